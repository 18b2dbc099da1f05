"""(nug, response) -> judgement: what decides whether an answer contains a nug, and how sure it is."""
