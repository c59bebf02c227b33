"""Reductions and choices. Each function gives one node with its inputs."""

import numpy as np

from base import F32, One, attributes, dims, floats, maybe, numbers, pick, some_axes, some_axis, whole


def reduce(operator):
    def make(rng):
        shape = dims(rng, 1)
        axes = some_axes(rng, len(shape)) if maybe(rng, 0.7) else None
        kinds = (
            (np.int32, np.int64)
            if operator not in ("ReduceMean", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp")
            else ()
        )
        if operator in ("ReduceMax", "ReduceMin"):
            kinds = (np.int32, np.int64, np.uint8, np.int8)
        kind = pick(rng, F32, F32, *kinds)
        x = floats(rng, shape) if kind is F32 else whole(rng, shape, kind, True)
        if operator == "ReduceLogSum":
            x = np.abs(x) + F32(0.1)
        if operator == "ReduceProd" and kind is not F32:
            x = np.clip(x, 0, 1) * 2 - 1
        out = attributes(rng, keepdims=lambda: int(rng.integers(2)))
        opset = pick(rng, 11, 13, 18)
        first = 13 if operator == "ReduceSum" else 18
        if opset >= first:
            if maybe(rng, 0.3):
                out["noop_with_empty_axes"] = int(rng.integers(2))
            given = None if axes is None else np.array(axes, np.int64)
            if maybe(rng, 0.1):
                given = np.zeros([0], np.int64)
            return One(operator, [x] if given is None else [x, given], out, opset=opset, constants=(1,))
        if axes is not None:
            out["axes"] = axes
        return One(operator, [x], out, opset=opset)

    make.__name__ = operator
    return make


def arg(operator):
    def make(rng):
        shape = dims(rng, 1)
        x = numbers(rng, shape, (np.int32, np.int8, np.uint8), True)
        if x.dtype == F32:
            x = np.round(np.nan_to_num(x))
        out = attributes(
            rng,
            axis=lambda: some_axis(rng, len(shape)),
            keepdims=lambda: int(rng.integers(2)),
            select_last_index=lambda: int(rng.integers(2)),
        )
        opset = pick(rng, 12, 13)
        return One(operator, [x], out, opset=opset)

    make.__name__ = operator
    return make


def softmax(operator):
    def make(rng):
        shape = dims(rng, 1)
        out = attributes(rng, axis=lambda: some_axis(rng, len(shape)))
        return One(operator, [floats(rng, shape)], out, opset=pick(rng, 7, 11, 12, 13, 17))

    make.__name__ = operator
    return make


def top_k(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    x = numbers(rng, shape, (np.int32, np.int64), True)
    x = np.nan_to_num(x)
    out = attributes(rng, largest=lambda: int(rng.integers(2)))
    out["axis"] = axis
    k = int(rng.integers(0, shape[axis] + 1))
    return One("TopK", [x, np.array([k], np.int64)], out, 2, opset=11)


def cum_sum(rng):
    shape = dims(rng, 1)
    out = attributes(rng, exclusive=lambda: int(rng.integers(2)), reverse=lambda: int(rng.integers(2)))
    kind = pick(rng, F32, np.int32, np.int64)
    x = floats(rng, shape) if kind is F32 else whole(rng, shape, kind, True)
    return One("CumSum", [x, np.array(some_axis(rng, len(shape)), pick(rng, np.int32, np.int64))], out, opset=14)


def non_zero(rng):
    x = numbers(rng, dims(rng, 1), (np.int32, np.int64, np.uint8), True)
    return One("NonZero", [x], opset=13)


def compress(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape)) if maybe(rng) else None
    size = int(np.prod(shape)) if axis is None else shape[axis]
    flags = rng.integers(0, 2, [int(rng.integers(1, size + 1))]).astype(bool)
    return One("Compress", [numbers(rng, shape), flags], {} if axis is None else {"axis": axis}, opset=11)


def one_hot(rng):
    shape, depth = dims(rng, 0, 3), int(rng.integers(1, 6))
    kind = pick(rng, np.int64, np.int32, F32)
    indices = rng.integers(-depth - 1, depth + 1, shape).astype(kind)
    values = pick(rng, np.array([0, 1], F32), np.array([5, -3], np.int64), np.array([2, 9], np.int32))
    out = attributes(rng, axis=lambda: some_axis(rng, len(shape) + 1))
    if indices.dtype == np.int32:
        values = values.astype(F32)
    return One("OneHot", [indices, np.array(depth, np.int64), values], out, opset=11)


def suppression(rng):
    batch, classes, count = pick(rng, 1, 2), pick(rng, 1, 2, 3), int(rng.integers(1, 8))
    boxes = (rng.random([batch, count, 4]) * 4).astype(F32)
    scores = rng.random([batch, classes, count]).astype(F32)
    if maybe(rng):
        scores = np.round(scores, 1).astype(F32)
    out = attributes(rng, center_point_box=lambda: int(rng.integers(2)))
    parts = [
        np.array([int(rng.integers(0, 5))], np.int64),
        np.array([rng.random()], F32),
        np.array([rng.random() * 0.5], F32),
    ]
    return One("NonMaxSuppression", [boxes, scores, *parts[: rng.integers(1, 4)]], out, opset=11)
