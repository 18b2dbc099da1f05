"""The bundled demo collection: a key, the answers of five runs, and what a person judged of them."""
