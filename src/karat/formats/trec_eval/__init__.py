"""Tables of scores, rankings and relevance labels, as trec_eval and its relatives write them."""
