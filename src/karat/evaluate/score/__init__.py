"""`karat score`: scores of runs with their intervals, ratios and tie groups."""
