"""How far annotators agree, in votes, labels and spans."""
