"""Training of the entailment model: pairs from public sets, pairs made from their sentences, the network, the export.

It needs PyTorch, onnx, spaCy and the data, which are not part of Karat.
"""
