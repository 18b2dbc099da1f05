"""How the role model is made: `make model DATA=folder`, or `python -m karat.language.train folder`.

Training needs PyTorch and the language extra; using the model does not need PyTorch.
"""
