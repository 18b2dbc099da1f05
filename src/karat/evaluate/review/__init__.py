"""`karat review` and `karat explain`: a person checks what a judge says."""
