"""Weights of a network that was written for OpenCV, to be taught on: there each normalisation of batches is folded into
the convolution before it, and comes back from what it is shown."""

from itertools import pairwise
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn


@torch.no_grad()  # type: ignore[untyped-decorator]  # torch may be missing
def unfold(network: nn.Module, path: Path, shown: torch.Tensor) -> None:
    """Give a network the weights of an ONNX file that was exported of one like it, so that it says the same: its
    convolutions in the order in which they work. What normalises batches has the mean and spread of what is `shown`.

    Raises:
        ValueError: the file has other convolutions.
    """
    graph = onnx.load(str(path)).graph
    known = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    known |= {
        node.output[0]: known[node.input[0]] for node in graph.node if node.op_type == "Cast" and node.input[0] in known
    }
    folded = [[known[name] for name in node.input[1:]] for node in graph.node if node.op_type == "Conv"]
    layers = _in_order(network, shown)
    if [tuple(weight.shape) for weight, *_ in folded] != [tuple(one.weight.shape) for one in layers]:
        raise ValueError(f"{path}: other convolutions than those of a {type(network).__name__}")
    norms = _norms(network)
    for layer, (weight, *bias) in zip(layers, folded, strict=True):
        layer.weight.copy_(torch.from_numpy(weight.copy()).float())
        bias_of = norms.get(layer, layer).bias
        bias_of.copy_(torch.from_numpy(bias[0].copy()).float())
    for layer in layers:
        if (norm := norms.get(layer)) is not None:
            _settle(network, layer, norm, shown)


def _in_order(network: nn.Module, shown: torch.Tensor) -> list[nn.Conv2d]:
    layers: list[nn.Conv2d] = []
    hooks = [
        module.register_forward_hook(lambda own, *_: layers.append(own))
        for module in network.modules()
        if isinstance(module, nn.Conv2d)
    ]
    network.eval()(shown[:1])
    for hook in hooks:
        hook.remove()
    return layers


def _norms(network: nn.Module) -> dict[nn.Conv2d, nn.BatchNorm2d]:
    """What normalises what each convolution gives."""
    rows = [list(module) for module in network.modules() if isinstance(module, nn.Sequential)]
    return {
        one: after
        for row in rows
        for one, after in pairwise(row)
        if isinstance(one, nn.Conv2d) and isinstance(after, nn.BatchNorm2d)
    }


def _settle(network: nn.Module, layer: nn.Conv2d, norm: nn.BatchNorm2d, shown: torch.Tensor) -> None:
    """Have it normalise as if it did nothing but add its bias, by what comes to it."""
    given: list[torch.Tensor] = []
    hook = layer.register_forward_hook(lambda *told: given.append(told[2]))
    network.eval()(shown)
    hook.remove()
    mean, spread = given[0].mean((0, 2, 3)), given[0].var((0, 2, 3), unbiased=False) + norm.eps
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(spread - norm.eps)
    norm.weight.copy_(spread.sqrt())
    norm.bias.add_(mean)
