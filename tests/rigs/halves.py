"""Networks whose weights are stored in half as many bits, with eleven for each number's digits (IEEE 754 binary16).

Run, where onnx is installed: python -m tests.rigs.halves vision/dice/reader.onnx
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LEAST = 16
"""Shorter lists of numbers stay as they are."""
_HALF = ".half"


def halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same network, whose weights are made whole again when it is loaded."""
    small = onnx.ModelProto()
    small.CopyFrom(model)
    casts, held = [], []
    for stored in small.graph.initializer:
        values = numpy_helper.to_array(stored)
        if values.dtype == np.float32 and values.size > LEAST:
            held.append(numpy_helper.from_array(values.astype(np.float16), stored.name + _HALF))
            casts.append(helper.make_node("Cast", [held[-1].name], [stored.name], to=TensorProto.FLOAT))
        else:
            held.append(stored)
    _put(small, held)
    nodes = [*casts, *small.graph.node]
    del small.graph.node[:]
    small.graph.node.extend(nodes)
    return small


def load(path: Path) -> onnx.ModelProto:
    """A network from its file, with all its weights in whole numbers again: to go on learning from."""
    model = onnx.load(str(path))
    casts = [node for node in model.graph.node if node.op_type == "Cast" and node.input[0].endswith(_HALF)]
    names = {cast.input[0]: cast.output[0] for cast in casts}
    _put(
        model,
        [
            numpy_helper.from_array(numpy_helper.to_array(one).astype(np.float32), names[one.name])
            if one.name in names
            else one
            for one in model.graph.initializer
        ],
    )
    for cast in casts:
        model.graph.node.remove(cast)
    return model


def _put(model: onnx.ModelProto, held: list[onnx.TensorProto]) -> None:
    copies = [onnx.TensorProto.FromString(one.SerializeToString()) for one in held]
    del model.graph.initializer[:]
    model.graph.initializer.extend(copies)


def main() -> None:
    """Halve the networks in some files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", type=Path)
    for path in parser.parse_args().networks:
        before = path.stat().st_size
        onnx.save(halved(load(path)), str(path))
        print(f"{path}: {before / 1e6:.2f} MB before, {path.stat().st_size / 1e6:.2f} MB now")


if __name__ == "__main__":
    main()
