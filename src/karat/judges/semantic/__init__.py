"""`semantic`: a judge that reads meaning, and its checks for statements that disagree."""
