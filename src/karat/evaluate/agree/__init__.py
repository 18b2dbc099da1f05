"""`karat agree`: how much assessors agree."""
