"""`karat agree`: how far assessors agree."""
