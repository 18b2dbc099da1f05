"""Tests of differences between runs, their corrections, and the letters that show the result."""
