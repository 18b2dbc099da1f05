"""`karat plan` and `karat stability`: how many queries it takes, and how far rankings can be trusted."""
