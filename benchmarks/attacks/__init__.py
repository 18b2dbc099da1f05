"""The parts of benchmarks/attack.py: what is tried, how a call is made, and what counts as a failure."""
