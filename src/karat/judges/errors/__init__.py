"""How far a judge's errors go together, in one response and through all queries of a run."""
