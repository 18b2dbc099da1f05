"""How far two scorings of the same runs agree."""
