"""Reading and fetching of data: tables of text, downloads, the benchmark files at hand."""
