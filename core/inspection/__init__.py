"""Looking into the parsers that runs have kept: what they write for an utterance, and why."""
