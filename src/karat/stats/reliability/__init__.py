"""How far a ranking of runs can be trusted, and how many queries are needed."""
