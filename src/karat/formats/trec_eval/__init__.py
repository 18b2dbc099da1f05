"""Tables of scores, rankings and relevance labels, as trec_eval and similar tools write them."""
