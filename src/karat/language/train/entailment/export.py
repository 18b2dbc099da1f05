"""The trained network as a file of ONNX with int8 weights, about a quarter of the size of the floats."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from karat.language.train.entailment.network import Tensor, encode, heads, torch
from karat.model.errors import require

_PURPOSE = "Training the entailment model"


def export(weights: dict[str, Tensor], output: Path, *, quantized: bool = True) -> None:
    """Write the network from token ids to P(entailed), with int8 products of matrices.

    Weights are int8 per channel; the scale of what is multiplied with them is found at run time. The embeddings are
    int8 as well. One pair is run at a time, so there is no mask.
    """
    plain = output.with_suffix(".float.onnx") if quantized else output
    ids = torch.ones((1, 7), dtype=torch.long)
    with warnings.catch_warnings():
        # The newer exporter of PyTorch needs one more library and writes the same graph.
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            _module(weights), (ids, ids * 0), str(plain), dynamo=False, opset_version=17,
            input_names=["ids", "segments"], output_names=["probability"],
            dynamic_axes={"ids": {1: "tokens"}, "segments": {1: "tokens"}},
        )  # fmt: skip
    if quantized:
        quantization = require("onnxruntime.quantization", extra="semantic", purpose=_PURPOSE)
        quantization.quantize_dynamic(
            str(plain), str(output), per_channel=True, weight_type=quantization.QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True},
        )  # fmt: skip
        plain.unlink()


def _module(weights: dict[str, Tensor]) -> Any:
    class Network(torch.nn.Module):  # type: ignore[misc,name-defined]
        """The functions of network.py as a module, because the exporter wants one."""

        def __init__(self) -> None:
            super().__init__()
            for name, value in weights.items():
                self.register_buffer(name.replace(".", "_"), value.detach().float())

        def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
            own = {name: getattr(self, name.replace(".", "_")) for name in weights}
            return torch.sigmoid(heads(own, encode(own, ids, segments))[0])

    return Network().eval()
