"""Convolutions and pools. Each function gives one node with its inputs."""

import numpy as np

from base import F32, One, floats, maybe, pick, whole, windows


def conv(rng):
    count, group = pick(rng, 1, 2, 2, 3), pick(rng, 1, 1, 2, 3)
    ins, outs = group * pick(rng, 1, 2), group * pick(rng, 1, 2)
    out = windows(rng, count, True)
    x = floats(rng, [pick(rng, 1, 2), ins, *[int(rng.integers(6, 10)) for _ in range(count)]])
    w = floats(rng, [outs, ins // group, *out["kernel_shape"]])
    if group > 1:
        out["group"] = group
    if maybe(rng, 0.5):
        del out["kernel_shape"]
    bias = [floats(rng, [outs])] if maybe(rng) else []
    return One("Conv", [x, w, *bias], out, opset=pick(rng, 7, 11, 17, 22), absolute=1e-2)


def conv_transpose(rng):
    count, group = pick(rng, 1, 2, 2), pick(rng, 1, 1, 2)
    ins, outs = group * pick(rng, 1, 2), group * pick(rng, 1, 2)
    out = windows(rng, count, True)
    x = floats(rng, [pick(rng, 1, 2), ins, *[int(rng.integers(3, 6)) for _ in range(count)]])
    w = floats(rng, [ins, outs // group, *out["kernel_shape"]])
    if group > 1:
        out["group"] = group
    if maybe(rng, 0.3) and "strides" in out:
        out["output_padding"] = [int(rng.integers(0, size)) for size in out["strides"]]
    if maybe(rng, 0.5):
        del out["kernel_shape"]
    bias = [floats(rng, [outs])] if maybe(rng) else []
    return One("ConvTranspose", [x, w, *bias], out, opset=pick(rng, 7, 11, 17, 22), absolute=1e-2)


def conv_integer(rng):
    count = 2
    ins, outs = pick(rng, 1, 2), pick(rng, 1, 2)
    out = windows(rng, count, True)
    x = whole(rng, [1, ins, 7, 8], np.uint8)
    w = whole(rng, [outs, ins, *out["kernel_shape"]], pick(rng, np.uint8, np.int8))
    points = pick(rng, [], [whole(rng, [], np.uint8)], [whole(rng, [], np.uint8), whole(rng, [], w.dtype)])
    return One("ConvInteger", [x, w, *points], out)


def qlinear_conv(rng):
    ins, outs = pick(rng, 1, 2), pick(rng, 1, 2, 3)
    out = windows(rng, 2, True)
    x = whole(rng, [1, ins, 7, 8], np.uint8)
    kind = pick(rng, np.uint8, np.int8)
    w = whole(rng, [outs, ins, *out["kernel_shape"]], kind)
    scale = lambda shape, size=0.1: np.asarray(rng.random(shape) * size + 0.01, F32)
    per = [outs] if maybe(rng) else []
    bias = [whole(rng, [outs], np.int32)] if maybe(rng) else []
    point = np.zeros(per, kind) if kind is np.int8 or per else whole(rng, [], kind)
    inputs = [x, scale([]), whole(rng, [], np.uint8), w, scale(per), point, scale([], 5), whole(rng, [], np.uint8)]
    return One("QLinearConv", [*inputs, *bias], out)


def pool(operator):
    def make(rng):
        count = pick(rng, 1, 2, 2, 3)
        opset = pick(rng, 7, 10, 11, 12, 19, 22)
        out = windows(rng, count, opset >= (12 if operator == "MaxPool" else 19), True)
        if out.get("auto_pad", "").startswith("SAME"):
            # Libraries differ where windows leave elements out, or have gaps.
            out["strides"] = [min(pair) for pair in zip(out["kernel_shape"], out.get("strides", [1] * count))]
            out.pop("dilations", None)
        if operator == "AveragePool" and maybe(rng):
            out["count_include_pad"] = int(rng.integers(2))
        if operator == "LpPool" and maybe(rng):
            out["p"] = int(rng.integers(1, 4))
        shape = [1, 2, *[int(rng.integers(6, 10)) for _ in range(count)]]
        x = floats(rng, shape)
        if operator == "MaxPool" and opset >= 12 and maybe(rng, 0.3):
            x = whole(rng, shape, pick(rng, np.int8, np.uint8))
        return One(operator, [x], out, opset=opset, relative=2e-3)

    make.__name__ = operator
    return make
