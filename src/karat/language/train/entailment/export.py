"""The trained network as a file of ONNX whose weights are stored as bytes, about a quarter of the size of the floats.

Only the storage is int8: the weights become floats again when the file is loaded, and all is computed with floats. With
products of bytes (dynamic quantization) it would be a third faster, but probabilities move by up to 0.3, and by 0.03
between two ways of computing the same sums, so that processors would not agree.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.language.train.entailment.network import Tensor, encode, heads, torch
from karat.model.errors import require

_TABLE = 1000
"""Rows from which on an embedding table is stored as bytes; the tables of positions and segments stay as they are."""


def export(weights: dict[str, Tensor], output: Path, *, small: bool = True) -> None:
    """Write the network from token ids to P(entailed). One pair is run at a time, so there is no mask."""
    ids = torch.ones((1, 7), dtype=torch.long)
    with warnings.catch_warnings():
        # The newer exporter of PyTorch needs one more library and writes the same graph.
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            _module(weights), (ids, ids * 0), str(output), dynamo=False, opset_version=17,
            input_names=["ids", "segments"], output_names=["probability"],
            dynamic_axes={"ids": {1: "tokens"}, "segments": {1: "tokens"}},
        )  # fmt: skip
    if small:
        onnx = require("onnx", extra="train", purpose="Training the entailment model")
        model = onnx.load(str(output))
        store_as_bytes(model.graph, onnx)
        onnx.checker.check_model(model)
        onnx.save(model, str(output))


def store_as_bytes(graph: Any, onnx: Any) -> None:
    """Replace matrices and the table of words by bytes with a scale per column; the graph turns them into floats."""
    stored = {tensor.name: tensor for tensor in graph.initializer}
    nodes, done = [], set()
    for node in list(graph.node):
        place = {"MatMul": 1, "Gather": 0}.get(node.op_type)
        name = None if place is None else node.input[place]
        values = onnx.numpy_helper.to_array(stored[name]) if name in stored else None
        if values is None or values.ndim != 2 or (node.op_type == "Gather" and len(values) < _TABLE):
            nodes.append(node)
            continue
        if name not in done:
            done.add(name)
            small, scale = to_bytes(values)
            graph.initializer.remove(stored[name])
            graph.initializer.append(onnx.numpy_helper.from_array(small, f"{name}.bytes"))
            graph.initializer.append(onnx.numpy_helper.from_array(scale, f"{name}.scale"))
        back = onnx.helper.make_node
        if node.op_type == "MatMul":
            wide = f"{node.output[0]}.weight"
            nodes += [back("DequantizeLinear", [f"{name}.bytes", f"{name}.scale"], [wide], axis=1), node]
            node.input[1] = wide
        else:
            # The rows are picked first, so that the table stays small in memory.
            rows = f"{node.output[0]}.rows"
            nodes += [node, back("DequantizeLinear", [rows, f"{name}.scale"], [node.output[0]], axis=2)]
            node.input[0], node.output[0] = f"{name}.bytes", rows
    del graph.node[:]
    graph.node.extend(nodes)


def to_bytes(values: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers from -127 to 127 and the scale of each column: values = bytes x scale, nearly.

    >>> to_bytes(np.array([[1.0, -4.0], [0.5, 2.0]], dtype=np.float32))[0].tolist()
    [[127, -127], [64, 64]]
    """
    scale = np.maximum(np.abs(values).max(axis=0) / 127.0, 1e-9).astype(np.float32)
    return np.clip(np.rint(values / scale), -127, 127).astype(np.int8), scale


def _module(weights: dict[str, Tensor]) -> Any:
    class Network(torch.nn.Module):  # type: ignore[misc]
        """The functions of network.py as a module, because the exporter wants one."""

        def __init__(self) -> None:
            super().__init__()
            for name, value in weights.items():
                self.register_buffer(name.replace(".", "_"), value.detach().float())

        def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
            own = {name: getattr(self, name.replace(".", "_")) for name in weights}
            return torch.sigmoid(heads(own, encode(own, ids, segments))[0])

    return Network().eval()
