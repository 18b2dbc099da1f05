"""How the role model is made: `make model DATA=folder`, or `python -m karat.language.train folder`.

Needs PyTorch beside the language extra; nothing of it is needed to use the model.
"""
