"""Find candidates for nuggets in an analysed sentence; one module per kind of nugget."""
