"""Summary pyramids: DUC/TAC .pyr and .pan, PyrEval, Lite2Pyramid."""
