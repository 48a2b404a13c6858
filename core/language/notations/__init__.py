"""How logical forms are written: one file a notation, found by the files that are there."""
