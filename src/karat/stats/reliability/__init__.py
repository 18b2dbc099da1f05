"""How far a ranking can be trusted, and how many queries it takes."""
