"""Quantization and networks. Each function gives one node with its inputs."""

import numpy as np

from base import F32, One, attributes, dims, floats, maybe, pick, some_axis, whole


def quantize(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    per = [shape[axis]] if maybe(rng) else []
    kind = pick(rng, np.uint8, np.int8)
    scale = np.asarray(rng.random(per) * 0.5 + 0.01, F32)
    point = [whole(rng, per, kind)] if maybe(rng, 0.8) else []
    return One(
        "QuantizeLinear", [floats(rng, shape), scale, *point], {"axis": axis} if per else {}, opset=pick(rng, 13, 19)
    )


def dequantize(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    per = [shape[axis]] if maybe(rng) else []
    kind = pick(rng, np.uint8, np.int8, np.int32)
    scale = np.asarray(rng.random(per) * 0.5 + 0.01, F32)
    point = [np.zeros(per, kind) if kind is np.int32 else whole(rng, per, kind)] if maybe(rng, 0.8) else []
    return One(
        "DequantizeLinear",
        [whole(rng, shape, kind), scale, *point],
        {"axis": axis} if per else {},
        opset=pick(rng, 13, 19),
    )


def dynamic_quantize(rng):
    return One("DynamicQuantizeLinear", [floats(rng, dims(rng, 1)) + F32(0.1)], {}, 3, opset=11)


def recurrent(operator, gates):
    def make(rng):
        steps, batch, ins, hidden = int(rng.integers(1, 5)), pick(rng, 1, 2), pick(rng, 1, 3), pick(rng, 1, 2)
        direction = pick(rng, "forward", "reverse", "bidirectional")
        n = 2 if direction == "bidirectional" else 1
        draw = lambda shape: rng.normal(size=shape).astype(F32)
        inputs = [draw([steps, batch, ins]), draw([n, gates * hidden, ins]), draw([n, gates * hidden, hidden])]
        inputs.append(draw([n, 2 * gates * hidden]) if maybe(rng) else None)
        inputs.append(rng.integers(1, steps + 1, batch).astype(np.int32) if maybe(rng, 0.2) else None)
        inputs.append(draw([n, batch, hidden]) if maybe(rng) else None)
        if operator == "LSTM":
            inputs.append(draw([n, batch, hidden]) if maybe(rng) else None)
            inputs.append(draw([n, 3 * hidden]) if maybe(rng, 0.2) else None)
        out = {"hidden_size": hidden}
        if direction != "forward" or maybe(rng):
            out["direction"] = direction
        if operator == "GRU" and maybe(rng, 0.7):
            out["linear_before_reset"] = int(rng.integers(2))
        if maybe(rng, 0.15):
            out["clip"] = 0.5
        if maybe(rng, 0.15):
            out["activations"] = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}[
                operator
            ] * n
        elif maybe(rng, 0.1):
            out["activations"] = [
                pick(rng, "LeakyRelu", "Elu", "Softplus", "ThresholdedRelu", "ScaledTanh", "Affine")
                for _ in range({"LSTM": 3, "GRU": 2, "RNN": 1}[operator] * n)
            ]
            out["activation_alpha"] = [0.3 for _ in out["activations"]]
            out["activation_beta"] = [0.7 for _ in out["activations"]]
        elif maybe(rng, 0.15):
            out["activations"] = {
                "LSTM": ["HardSigmoid", "Relu", "Softsign"],
                "GRU": ["HardSigmoid", "Relu"],
                "RNN": ["Relu"],
            }[operator] * n
        if operator == "LSTM" and maybe(rng, 0.1):
            out["input_forget"] = 1
        if operator == "LSTM":
            inputs[3] = inputs[3] if maybe(rng) else None
        return One(operator, inputs, out, 3 if operator == "LSTM" else 2, opset=pick(rng, 7, 14))

    make.__name__ = operator
    return make


def grid_sample(rng):
    x = floats(rng, [1, 2, 4, 5])
    grid = (rng.random([1, 3, 4, 2]) * 2.6 - 1.3).astype(F32)
    out = attributes(
        rng,
        align_corners=lambda: int(rng.integers(2)),
        padding_mode=lambda: pick(rng, "zeros", "border", "reflection"),
        mode=lambda: pick(rng, "bilinear", "nearest", "bicubic"),
    )
    return One("GridSample", [x, grid], out, opset=16, absolute=1e-3)


def global_pool(operator):
    def make(rng):
        return One(operator, [floats(rng, [1, 2, *dims(rng, 1, 3)])])

    make.__name__ = operator
    return make
