"""Documents that runs cite: plain JSON, TREC files, folders of text files."""
