"""Migrations of the tables: one module per version, oldest first. Written out in full, they never change again."""
