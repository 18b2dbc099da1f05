"""Reports of NeuCLIR, RAGTIME and others, and what Auto-ARGUE and autojudge-annotate say about them."""
