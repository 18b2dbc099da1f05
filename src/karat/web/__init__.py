"""The workbench in a browser: pages, the JSON API behind them, and what keeps both safe."""
