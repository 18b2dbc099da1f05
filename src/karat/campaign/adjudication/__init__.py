"""Two assessors' work side by side, and what was decided of their differences."""
