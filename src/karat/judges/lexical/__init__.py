"""The judge `lexical`: a logistic regression on features of words, learned from judged collections."""
