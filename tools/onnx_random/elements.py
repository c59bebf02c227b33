"""Functions of elements. Each function gives one node with its inputs."""

import numpy as np

from base import F32, One, WHOLE, attributes, dims, floats, maybe, numbers, pick, spread, whole


def unary(operator, opset=17, half=True, **makers):
    def make(rng):
        out = attributes(
            rng,
            **{name: (lambda low=low, high=high: float(rng.uniform(low, high))) for name, (low, high) in makers.items()}
        )
        return One(operator, [floats(rng, dims(rng, 0), special=True)], out, opset=opset, half=half)

    make.__name__ = operator
    return make


def binary(operator, kinds=WHOLE, opsets=(7, 14, 17), floating=True):
    def make(rng):
        shape = dims(rng, 0)
        kind = pick(rng, *((F32,) if floating else ()), *kinds)
        draw = lambda shape: floats(rng, shape, True) if kind is F32 else whole(rng, shape, kind, small=True)
        pair = [draw(shape), draw(spread(rng, shape))]
        if maybe(rng):
            pair.reverse()
        opset = pick(rng, *opsets)
        out = {}
        if operator == "Mod":
            opset = max(opset, 13)
            if kind is F32:
                out["fmod"] = 1
            elif maybe(rng):
                out["fmod"] = 1
        if operator in ("Div", "Mod") and kind is not F32:
            pair[1] = np.where(pair[1] == 0, np.asarray(1, kind), pair[1]).astype(kind)
        if operator == "Pow":
            opset = max(opset, 12)
            if kind is not F32:
                pair[1] = np.abs(pair[1]).astype(kind) % 5
            if maybe(rng, 0.3):
                pair[1] = pick(
                    rng,
                    whole(rng, pair[1].shape, np.int64, True) % 4,
                    np.abs(np.nan_to_num(floats(rng, pair[1].shape))) % F32(4),
                )
        return One(operator, pair, out, opset=opset)

    make.__name__ = operator
    return make


def variadic(operator):
    def make(rng):
        shape = dims(rng, 0)
        kind = pick(rng, F32, *((np.int32, np.int64, np.uint8, np.int8) if operator in ("Max", "Min") else ()))
        draw = lambda shape: floats(rng, shape, True) if kind is F32 else whole(rng, shape, kind, True)
        return One(operator, [draw(shape), *[draw(spread(rng, shape)) for _ in range(rng.integers(0, 3))]], opset=13)

    make.__name__ = operator
    return make


def clip(rng):
    if maybe(rng, 0.3):
        out = attributes(rng, min=lambda: float(rng.normal()), max=lambda: float(rng.normal() + 1))
        return One("Clip", [floats(rng, dims(rng), True)], out, opset=pick(rng, 6, 10))
    x = numbers(rng, dims(rng), small=True)
    bound = lambda: None if maybe(rng, 0.3) else (floats(rng, []) if x.dtype == F32 else whole(rng, [], x.dtype, True))
    return One("Clip", [x, bound(), bound()], opset=pick(rng, 12, 13))


def prelu(rng):
    shape = dims(rng, 1)
    return One("PRelu", [floats(rng, shape, True), floats(rng, spread(rng, shape))], opset=pick(rng, 9, 16))


def gelu(rng):
    return One("Gelu", [floats(rng, dims(rng), True)], {"approximate": pick(rng, "none", "tanh")}, opset=20)


def is_inf(rng):
    out = attributes(rng, detect_negative=lambda: int(rng.integers(2)), detect_positive=lambda: int(rng.integers(2)))
    return One("IsInf", [floats(rng, dims(rng), True)], out)


def where(rng):
    shape = dims(rng)
    kind = pick(rng, F32, np.int64, np.int32, np.uint8)
    draw = lambda shape: floats(rng, shape, True) if kind is F32 else whole(rng, shape, kind, True)
    parts = [rng.integers(0, 2, spread(rng, shape)).astype(bool), draw(spread(rng, shape)), draw(spread(rng, shape))]
    return One("Where", parts)


def cast(rng):
    x = numbers(rng, dims(rng)) if maybe(rng, 0.8) else rng.integers(0, 2, dims(rng)).astype(bool)
    if x.dtype == F32:
        x = np.nan_to_num(x, posinf=0, neginf=0).clip(-120, 120).astype(F32)
    to = int(pick(rng, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13))
    if x.dtype == F32 and to in (2, 4, 12, 13):
        x = np.abs(x)
    return One("Cast", [x], {"to": to}, opset=pick(rng, 9, 13, 19))
