"""`karat compare` and `karat correlate`: differences between runs, and between two scorings."""
