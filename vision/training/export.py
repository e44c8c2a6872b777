"""Writes a trained net as one small ONNX file that describes itself."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

OPSET = 17


def save_model(
    net: nn.Module,
    example: torch.Tensor,
    path: Path,
    *,
    inputs: list[str],
    outputs: list[str],
    dynamic: dict[int, str],
    meta: dict[str, str],
) -> None:
    """Export, halve the weights' bytes and add what the file must say about itself."""
    buffer = io.BytesIO()
    torch.onnx.export(
        net,
        (example,),
        buffer,
        input_names=inputs,
        output_names=outputs,
        opset_version=OPSET,
        dynamic_axes=dict.fromkeys((*inputs, *outputs), dynamic),
        dynamo=False,
    )
    model = onnx.load_from_string(buffer.getvalue())
    _halve(model)
    for key, value in sorted({"opset": str(OPSET), **meta}.items()):
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    model.producer_name = "mahjong-table"
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString())


def _halve(model: onnx.ModelProto) -> None:
    """Keep large weights as 16-bit numbers; the runtime widens them once, when it loads."""
    graph = model.graph
    casts = []
    for weight in list(graph.initializer):
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) < 256:
            continue
        values = numpy_helper.to_array(weight).astype(np.float16)
        name = weight.name
        graph.initializer.remove(weight)
        graph.initializer.append(numpy_helper.from_array(values, name + "_half"))
        casts.append(helper.make_node("Cast", [name + "_half"], [name], to=TensorProto.FLOAT))
    for node in reversed(casts):
        graph.node.insert(0, node)
