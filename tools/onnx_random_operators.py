"""Random nodes, by operator, for onnx_random.py. Each function gives one node with its inputs."""

from dataclasses import dataclass, field

import numpy as np

F32 = np.float32


@dataclass
class One:
    operator: str
    inputs: list
    attributes: dict = field(default_factory=dict)
    outputs: int = 1
    opset: int = 17
    constants: tuple = ()
    domain: str = ""
    relative: float = 1e-3
    absolute: float = 1e-4
    half: bool = True


def pick(rng, *choices):
    return choices[rng.integers(len(choices))]


def maybe(rng, chance=0.5):
    return rng.random() < chance


def dims(rng, low=1, high=4, most=5):
    return [int(rng.integers(1, most + 1)) for _ in range(rng.integers(low, high + 1))]


def floats(rng, shape, special=False):
    values = rng.normal(size=shape).astype(F32) * F32(pick(rng, 1, 1, 3, 50))
    if maybe(rng, 0.3):
        values = np.round(values)
    if special and values.size:
        flat = values.reshape(-1)
        for value in pick(rng, [0.0], [-0.0, 0.0], [np.nan], [np.inf, -np.inf], [1e30, -1e30], [1e-30]):
            flat[rng.integers(flat.size)] = value
    return np.asarray(values, F32)


WHOLE = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint32, np.uint64)


def whole(rng, shape, kind, small=False):
    low, high = (0 if np.dtype(kind).kind == "u" else -9), 10
    if not small and np.dtype(kind).itemsize < 4:
        low, high = np.iinfo(kind).min, np.iinfo(kind).max + 1
    elif not small:
        low, high = (0 if low == 0 else -30000), 30000
    return rng.integers(low, high, size=shape).astype(kind)


def numbers(rng, shape, kinds=WHOLE, small=False):
    kind = pick(rng, F32, F32, *kinds)
    return floats(rng, shape, special=maybe(rng, 0.2)) if kind is F32 else whole(rng, shape, kind, small)


def some_axis(rng, rank):
    return int(rng.integers(-rank, rank))


def some_axes(rng, rank):
    chosen = rng.permutation(rank)[: rng.integers(1, rank + 1)] if rank else []
    return [int(axis - rank if maybe(rng, 0.3) else axis) for axis in chosen]


def attributes(rng, **makers):
    """Each with a chance of being left out."""
    return {name: make() for name, make in makers.items() if maybe(rng, 0.6)}


def spread(rng, shape):
    """A shape that is spread to this one."""
    other = [1 if maybe(rng, 0.3) else size for size in shape]
    return other[rng.integers(0, len(other) + 1):]


def windows(rng, count, dilates, ceils=False, groups=None):
    kernel = [int(rng.integers(1, 4)) for _ in range(count)]
    out = {"kernel_shape": kernel}
    if maybe(rng):
        out["strides"] = [int(rng.integers(1, 4)) for _ in range(count)]
    if dilates and maybe(rng, 0.4):
        out["dilations"] = [int(rng.integers(1, 3)) for _ in range(count)]
    mode = pick(rng, None, None, "pads", "pads", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    if mode == "pads":
        out["pads"] = [int(rng.integers(0, size)) for size in kernel * 2]
    elif mode:
        out["auto_pad"] = mode
    if ceils and maybe(rng, 0.4):
        out["ceil_mode"] = 1
    return out


# --- convolutions and pools


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


# --- elements


def unary(operator, opset=17, half=True, **makers):
    def make(rng):
        out = attributes(rng, **{name: (lambda low=low, high=high: float(rng.uniform(low, high)))
                                 for name, (low, high) in makers.items()})
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
                pair[1] = pick(rng, whole(rng, pair[1].shape, np.int64, True) % 4, np.abs(np.nan_to_num(floats(rng, pair[1].shape))) % F32(4))
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


# --- reductions and choices


def reduce(operator):
    def make(rng):
        shape = dims(rng, 1)
        axes = some_axes(rng, len(shape)) if maybe(rng, 0.7) else None
        kinds = (np.int32, np.int64) if operator not in ("ReduceMean", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp") else ()
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
        out = attributes(rng, axis=lambda: some_axis(rng, len(shape)), keepdims=lambda: int(rng.integers(2)),
                         select_last_index=lambda: int(rng.integers(2)))
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
    parts = [np.array([int(rng.integers(0, 5))], np.int64), np.array([rng.random()], F32), np.array([rng.random() * 0.5], F32)]
    return One("NonMaxSuppression", [boxes, scores, *parts[: rng.integers(1, 4)]], out, opset=11)


# --- shapes


def transpose(rng):
    shape = dims(rng, 1, 5)
    out = attributes(rng, perm=lambda: [int(axis) for axis in rng.permutation(len(shape))])
    return One("Transpose", [numbers(rng, shape)], out, opset=13)


def reshape(rng):
    shape = dims(rng, 1)
    target = list(rng.permutation(shape))
    if maybe(rng):
        target = [int(np.prod(shape[:1])), int(np.prod(shape[1:]))]
    if maybe(rng):
        target[rng.integers(len(target))] = -1
    elif maybe(rng, 0.3):
        target = [0, *shape[1:]]
    return One("Reshape", [numbers(rng, shape), np.array(target, np.int64)], opset=pick(rng, 5, 13, 14))


def flatten(rng):
    shape = dims(rng, 1)
    out = attributes(rng, axis=lambda: int(rng.integers(-len(shape), len(shape) + 1)))
    return One("Flatten", [numbers(rng, shape)], out, opset=13)


def squeeze(rng):
    shape = [pick(rng, 1, 1, 3) for _ in range(rng.integers(1, 5))]
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    axes = [axis - len(shape) if maybe(rng, 0.3) else axis for axis in ones if maybe(rng, 0.7)] if maybe(rng, 0.7) else None
    x = numbers(rng, shape)
    if maybe(rng):
        return One("Squeeze", [x], {} if not axes else {"axes": axes}, opset=11)
    return One("Squeeze", [x] if not axes else [x, np.array(axes, np.int64)], opset=13)


def unsqueeze(rng):
    shape = dims(rng, 0, 3)
    count = int(rng.integers(1, 3))
    axes = [int(a) for a in rng.permutation(len(shape) + count)[:count]]
    x = numbers(rng, shape)
    if maybe(rng):
        return One("Unsqueeze", [x], {"axes": axes}, opset=11)
    axes = [axis - len(shape) - count if maybe(rng, 0.3) else axis for axis in axes]
    return One("Unsqueeze", [x, np.array(axes, np.int64)], opset=13)


def concat(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    kind = pick(rng, F32, *WHOLE)
    parts = []
    for _ in range(rng.integers(1, 4)):
        part = list(shape)
        part[axis] = int(rng.integers(1, 4))
        parts.append(floats(rng, part) if kind is F32 else whole(rng, part, kind))
    return One("Concat", parts, {"axis": axis}, opset=13)


def split(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    x = numbers(rng, shape)
    size = shape[axis]
    cut = int(rng.integers(0, size + 1))
    out = {"axis": axis}
    way = rng.integers(4)
    if way == 0:
        return One("Split", [x], {**out, "split": [cut, size - cut]}, 2, opset=11)
    if way == 1:
        return One("Split", [x, np.array([cut, size - cut], np.int64)], out, 2, opset=pick(rng, 13, 18))
    count = int(rng.integers(1, 4))
    if way == 2:
        return One("Split", [x], {**out, "num_outputs": count}, count, opset=18)
    return One("Split", [x], out, count, opset=pick(rng, 11, 13))


def slice_(rng):
    shape = dims(rng, 1)
    axes = some_axes(rng, len(shape))
    starts = [int(rng.integers(-6, 7)) for _ in axes]
    steps = [pick(rng, 1, 1, 2, -1, -2) for _ in axes] if maybe(rng) else [1 for _ in axes]
    far = lambda step: pick(rng, 2**31 - 1, 2**63 - 1) if step > 0 else -pick(rng, 2**31, 2**62)
    ends = [int(pick(rng, int(rng.integers(-6, 7)), far(step))) for step in steps]
    x = numbers(rng, shape)
    if set(steps) == {1} and maybe(rng, 0.5):
        return One("Slice", [x], {"starts": starts, "ends": ends, "axes": axes}, opset=9)
    kind = pick(rng, np.int64, np.int32)
    ends = [max(min(end, 2**31 - 1), -(2**31)) for end in ends] if kind is np.int32 else ends
    parts = [np.array(part, kind) for part in (starts, ends, axes, steps)]
    return One("Slice", [x, *parts[: 3 if set(steps) == {1} else 4]], opset=pick(rng, 10, 13), constants=(1, 2, 3, 4))


def gather(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    size = shape[axis]
    indices = rng.integers(-size, size, dims(rng, 0, 2)).astype(pick(rng, np.int64, np.int32))
    return One("Gather", [numbers(rng, shape), indices], attributes(rng, axis=lambda: axis) if axis == 0 else {"axis": axis}, opset=13)


def gather_elements(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    places = [int(rng.integers(1, size + 1)) for size in shape]
    places[axis] = int(rng.integers(1, 5))
    indices = rng.integers(-shape[axis], shape[axis], places).astype(pick(rng, np.int64, np.int32))
    return One("GatherElements", [numbers(rng, shape), indices], {"axis": axis}, opset=13)


def gather_nd(rng):
    shape = dims(rng, 1)
    batch = int(rng.integers(0, len(shape)))
    depth = int(rng.integers(1, len(shape) - batch + 1))
    places = [*shape[:batch], *dims(rng, 0, 2), depth]
    indices = np.stack([rng.integers(-shape[batch + i], shape[batch + i], places[:-1]) for i in range(depth)], -1)
    return One("GatherND", [numbers(rng, shape), indices.astype(np.int64)], {"batch_dims": batch}, opset=13)


def scatter_elements(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    places = [int(rng.integers(1, size + 1)) for size in shape]
    indices = np.argsort(rng.random(shape), axis=axis)[tuple(slice(0, size) for size in places)]
    x = numbers(rng, shape, (np.int32, np.int64), True)
    if x.dtype == F32:
        x = np.nan_to_num(x, posinf=0, neginf=0)
    updates = floats(rng, places) if x.dtype == F32 else whole(rng, places, x.dtype, True)
    opset = pick(rng, 13, 16, 18)
    out = {"axis": axis}
    if opset >= 16:
        out["reduction"] = pick(rng, "none", "add", "mul", *(["max", "min"] if opset >= 18 else []))
        if out["reduction"] != "none":
            indices = rng.integers(-shape[axis], shape[axis], places)
    return One("ScatterElements", [x, indices.astype(np.int64), updates], out, opset=opset)


def scatter_nd(rng):
    shape = dims(rng, 1)
    depth = int(rng.integers(1, len(shape) + 1))
    count = int(rng.integers(1, 4))
    opset = pick(rng, 13, 16, 18)
    out = {}
    if opset >= 16:
        out["reduction"] = pick(rng, "none", "add", "mul", *(["max", "min"] if opset >= 18 else []))
    if out.get("reduction", "none") == "none":
        count = min(count, int(np.prod(shape[:depth])))
        flat = rng.permutation(int(np.prod(shape[:depth])))[:count]
    else:
        flat = rng.integers(0, int(np.prod(shape[:depth])), count)
    indices = np.stack(np.unravel_index(flat, shape[:depth]), -1)
    x = floats(rng, shape)
    return One("ScatterND", [x, indices.astype(np.int64), floats(rng, [count, *shape[depth:]])], out, opset=opset)


def pad(rng):
    shape = dims(rng, 1)
    rank = len(shape)
    mode = pick(rng, "constant", "reflect", "edge", "wrap")
    lowest = -1 if mode == "constant" else 0
    most = [size - 1 if mode == "reflect" else 2 for size in shape]
    pads = [int(rng.integers(lowest, max(m, 0) + 1)) for m in most * 2]
    x = numbers(rng, shape, (np.int32, np.int64, np.int8, np.uint8))
    opset = pick(rng, 10, 13, 18, 19)
    if mode == "wrap":
        opset = 19
    if opset == 10:
        out = {"pads": pads, "mode": mode}
        if maybe(rng):
            out["value"] = float(rng.normal())
        return One("Pad", [floats(rng, shape)], out, opset=10)
    value = pick(rng, None, floats(rng, []) if x.dtype == F32 else whole(rng, [], x.dtype))
    inputs = [x, np.array(pads, np.int64), value]
    if opset >= 18 and maybe(rng):
        axes = some_axes(rng, rank)
        whole_axes = [axis % rank for axis in axes]
        inputs[1] = np.array([pads[axis] for axis in whole_axes] + [pads[axis + rank] for axis in whole_axes], np.int64)
        inputs.append(np.array(axes, np.int64))
    return One("Pad", inputs, {"mode": mode}, opset=opset, constants=(3,))


def tile(rng):
    shape = dims(rng, 1)
    return One("Tile", [numbers(rng, shape), rng.integers(1, 3, len(shape)).astype(np.int64)], opset=13)


def expand(rng):
    shape = dims(rng, 1)
    return One("Expand", [numbers(rng, spread(rng, shape)), np.array(shape, np.int64)], opset=13)


def depth_to_space(rng):
    block = int(rng.integers(1, 4))
    x = floats(rng, [1, block * block * pick(rng, 1, 2), 2, 3])
    return One("DepthToSpace", [x], {"blocksize": block, **attributes(rng, mode=lambda: pick(rng, "DCR", "CRD"))}, opset=13)


def space_to_depth(rng):
    block = int(rng.integers(1, 4))
    return One("SpaceToDepth", [floats(rng, [1, 2, 2 * block, 3 * block])], {"blocksize": block}, opset=13)


def trilu(rng):
    inputs = [numbers(rng, dims(rng, 2), (np.int64, np.int32))]
    if maybe(rng):
        inputs.append(np.array(int(rng.integers(-4, 5)), np.int64))
    return One("Trilu", inputs, attributes(rng, upper=lambda: int(rng.integers(2))), opset=14)


def eye_like(rng):
    return One("EyeLike", [numbers(rng, dims(rng, 2, 2), (np.int64, np.int32))], attributes(rng, k=lambda: int(rng.integers(-4, 5)), dtype=lambda: pick(rng, 1, 6, 7)), opset=9)


def range_(rng):
    if maybe(rng):
        start, step = float(rng.integers(-5, 5)), float(pick(rng, 0.5, 1, -0.25, 2, 0.1))
        end = start + step * float(rng.integers(0, 6)) + (0.01 if maybe(rng) else 0)
        return One("Range", [np.array(v, F32) for v in (start, end, step)], opset=11)
    kind = pick(rng, np.int64, np.int32)
    return One("Range", [np.array(v, kind) for v in (int(rng.integers(-5, 5)), int(rng.integers(-9, 9)), pick(rng, 1, 2, -1, -3))], opset=11)


def reverse_sequence(rng):
    shape = dims(rng, 2)
    batch = int(rng.integers(2))
    lengths = rng.integers(1, shape[1 - batch] + 1, shape[batch]).astype(np.int64)
    return One("ReverseSequence", [floats(rng, shape), lengths], {"batch_axis": batch, "time_axis": 1 - batch}, opset=10)


def shape_of(rng):
    shape = dims(rng, 0)
    out = attributes(rng, start=lambda: int(rng.integers(-5, 5)), end=lambda: int(rng.integers(-5, 5)))
    return One("Shape", [numbers(rng, shape)], out, opset=15)


def resize(rng):
    rank = pick(rng, 2, 3, 4, 4, 4)
    shape = [1, 2, 4, 5][:rank] if rank == 4 else dims(rng, rank, rank)
    mode = pick(rng, "nearest", "linear", "cubic")
    opset = pick(rng, 10, 11, 13, 18, 19)
    out = {"mode": mode}
    scales = [1.0] * (rank - min(2, rank)) + [float(pick(rng, 0.5, 0.6, 0.8, 1.0, 1.3, 2.0, 2.5, 3.0)) for _ in range(min(2, rank))]
    sizes = [max(1, int(size * scale)) for size, scale in zip(shape, scales)]
    x = floats(rng, shape)
    if opset == 10:
        out["mode"] = pick(rng, "nearest", "linear")
        if any(size == before and scale != 1 for size, before, scale in zip(sizes, shape, scales)):
            scales = [1.0] * (rank - 1) + [2.0]
    if sizes == list(shape):
        # Here onnxruntime copies, whatever the scales are.
        scales = [1.0] * rank
        return One("Resize", [x, np.array(scales, F32)], out, opset=10)
    ways = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "tf_crop_and_resize"]
    if opset >= 19:
        ways.append("half_pixel_symmetric")
    way = pick(rng, None, *ways)
    if way:
        out["coordinate_transformation_mode"] = way
    if mode == "nearest" and maybe(rng, 0.7):
        out["nearest_mode"] = pick(rng, "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    if mode == "cubic":
        out |= attributes(rng, cubic_coeff_a=lambda: -0.5, exclude_outside=lambda: int(rng.integers(2)))
    if opset >= 18 and mode != "nearest" and maybe(rng, 0.3):
        out["antialias"] = 1
    region = None
    if way == "tf_crop_and_resize":
        starts = [0.0] * (rank - 2) + list(rng.random(2) * 0.4)
        region = np.array(starts + [1.0] * (rank - 2) + list(0.6 + rng.random(2) * 0.8), F32)
        if maybe(rng):
            out["extrapolation_value"] = float(rng.normal())
    exact = all((size * F32(scale)) % 1 == 0 for size, scale in zip(shape, scales))
    if maybe(rng) and (exact or way not in ("align_corners", "tf_crop_and_resize", "half_pixel_symmetric")):
        return One("Resize", [x, region, np.array(scales, F32)], out, opset=opset, constants=(1,), absolute=1e-3)
    return One("Resize", [x, region, None, np.array(sizes, np.int64)], out, opset=opset, constants=(1,), absolute=1e-3)


def upsample(rng):
    scales = np.array([1, 1, pick(rng, 1, 2, 3), pick(rng, 1.5, 2, 3)], F32)
    mode = pick(rng, "nearest", "linear")
    x = floats(rng, [1, 2, 3, 4])
    if maybe(rng):
        return One("Upsample", [x], {"mode": mode, "scales": [float(s) for s in scales]}, opset=7)
    return One("Upsample", [x, scales], {"mode": mode}, opset=9)


# --- products


def matmul(rng):
    a, b, inner = dims(rng, 1, 2), dims(rng, 1, 2), int(rng.integers(1, 5))
    batch = dims(rng, 0, 2)
    left = [*spread(rng, batch), a[0], inner] if maybe(rng, 0.8) else [inner]
    right = [*spread(rng, batch), inner, b[0]] if maybe(rng, 0.8) else [inner]
    kind = pick(rng, F32, F32, F32, np.int32, np.int64)
    draw = lambda shape: floats(rng, shape) if kind is F32 else whole(rng, shape, kind, True)
    return One("MatMul", [draw(left), draw(right)], opset=13, absolute=1e-2)


def matmul_integer(rng):
    m, k, n = (int(v) for v in rng.integers(1, 5, 3))
    batch = dims(rng, 0, 1)
    kinds = pick(rng, (np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8))
    points = [None, None]
    if maybe(rng):
        points[0] = whole(rng, [], kinds[0])
    if maybe(rng):
        points[1] = whole(rng, pick(rng, [], [n]), kinds[1])
    return One("MatMulInteger", [whole(rng, [*batch, m, k], kinds[0]), whole(rng, [k, n], kinds[1]), *points])


def gemm(rng):
    m, k, n = (int(v) for v in rng.integers(1, 5, 3))
    out = attributes(rng, alpha=lambda: float(rng.normal()), beta=lambda: float(rng.normal()),
                     transA=lambda: int(rng.integers(2)), transB=lambda: int(rng.integers(2)))
    a = floats(rng, [k, m] if out.get("transA") else [m, k])
    b = floats(rng, [n, k] if out.get("transB") else [k, n])
    c = [floats(rng, pick(rng, [], [n], [1, n], [m, 1], [m, n], [1]))] if maybe(rng, 0.7) else []
    return One("Gemm", [a, b, *c], out, opset=pick(rng, 11, 13), absolute=1e-2)


def einsum(rng):
    equation, shapes = pick(
        rng, ("ij,jk->ik", [[2, 3], [3, 4]]), ("bij,bjk->bik", [[2, 3, 4], [2, 4, 2]]), ("ij->ji", [[2, 3]]),
        ("ij->", [[2, 3]]), ("ij->i", [[2, 3]]), ("i,i->", [[4], [4]]), ("i,j->ij", [[4], [3]]),
        ("bhid,bhjd->bhij", [[1, 2, 3, 4], [1, 2, 5, 4]]), ("ii->i", [[3, 3]]), ("...ij,...jk->...ik", [[2, 2, 3], [2, 3, 4]]),
        ("ij,jk,kl->il", [[2, 3], [3, 4], [4, 2]]), ("bij,kj->bik", [[2, 3, 4], [5, 4]]), ("ij,ij->ij", [[2, 3], [2, 3]]),
        ("abc,cd->abd", [[2, 3, 4], [4, 2]]), ("ij,jk", [[2, 3], [3, 4]]), ("ji", [[2, 3]]), ("bnqd,bnkd->bnqk", [[1, 2, 3, 4], [1, 2, 3, 4]]),
        ("ijk,ilk->ijl", [[2, 3, 4], [2, 5, 4]]), ("ij,kj->ki", [[2, 3], [4, 3]]), ("abcd,adef->abcef", [[2, 2, 1, 3], [2, 3, 2, 2]]))
    return One("Einsum", [floats(rng, shape) for shape in shapes], {"equation": equation}, opset=12, absolute=1e-2)


# --- normalizations


def batch_norm(rng):
    shape = [2, 3, *dims(rng, 0, 2)]
    parts = [floats(rng, [3]) for _ in range(3)] + [np.abs(floats(rng, [3])) + F32(0.5)]
    return One("BatchNormalization", [floats(rng, shape), *parts], attributes(rng, epsilon=lambda: 0.01, momentum=lambda: 0.5), opset=pick(rng, 7, 9, 14, 15), absolute=1e-2)


def instance_norm(rng):
    shape = [2, 3, *dims(rng, 1, 2)]
    return One("InstanceNormalization", [rng.normal(size=shape).astype(F32), floats(rng, [3]), floats(rng, [3])], attributes(rng, epsilon=lambda: 0.01), absolute=1e-2)


def layer_norm(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    scale = shape[axis:] if axis < 0 else shape[axis:]
    inputs = [floats(rng, shape), floats(rng, scale)] + ([floats(rng, scale)] if maybe(rng) else [])
    return One("LayerNormalization", inputs, {"axis": axis, **attributes(rng, epsilon=lambda: 0.01)}, pick(rng, 1, 1, 3), absolute=1e-2)


def group_norm(rng):
    groups, per = pick(rng, 1, 2, 3), pick(rng, 1, 2)
    opset = pick(rng, 18, 21)
    count = groups * per if opset >= 21 else groups
    x = floats(rng, [2, groups * per, *dims(rng, 1, 2)])
    return One("GroupNormalization", [x, floats(rng, [count]), floats(rng, [count])], {"num_groups": groups}, opset=opset, absolute=1e-2)


def lp_norm(rng):
    shape = dims(rng, 1)
    return One("LpNormalization", [floats(rng, shape)], attributes(rng, axis=lambda: some_axis(rng, len(shape)), p=lambda: pick(rng, 1, 2)))


def lrn(rng):
    out = {"size": int(rng.integers(1, 6)), **attributes(rng, alpha=lambda: 0.1, beta=lambda: 0.5, bias=lambda: 2.0)}
    return One("LRN", [floats(rng, [2, int(rng.integers(1, 6)), 2, 3])], out)


def mean_variance(rng):
    return One("MeanVarianceNormalization", [rng.normal(size=[2, 3, 2, 3]).astype(F32)], attributes(rng, axes=lambda: some_axes(rng, 4)), opset=13, absolute=1e-2)


# --- quantization


def quantize(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    per = [shape[axis]] if maybe(rng) else []
    kind = pick(rng, np.uint8, np.int8)
    scale = np.asarray(rng.random(per) * 0.5 + 0.01, F32)
    point = [whole(rng, per, kind)] if maybe(rng, 0.8) else []
    return One("QuantizeLinear", [floats(rng, shape), scale, *point], {"axis": axis} if per else {}, opset=pick(rng, 13, 19))


def dequantize(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    per = [shape[axis]] if maybe(rng) else []
    kind = pick(rng, np.uint8, np.int8, np.int32)
    scale = np.asarray(rng.random(per) * 0.5 + 0.01, F32)
    point = [np.zeros(per, kind) if kind is np.int32 else whole(rng, per, kind)] if maybe(rng, 0.8) else []
    return One("DequantizeLinear", [whole(rng, shape, kind), scale, *point], {"axis": axis} if per else {}, opset=pick(rng, 13, 19))


def dynamic_quantize(rng):
    return One("DynamicQuantizeLinear", [floats(rng, dims(rng, 1)) + F32(0.1)], {}, 3, opset=11)


# --- networks


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
            out["activations"] = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}[operator] * n
        elif maybe(rng, 0.1):
            out["activations"] = [pick(rng, "LeakyRelu", "Elu", "Softplus", "ThresholdedRelu", "ScaledTanh", "Affine") for _ in range({"LSTM": 3, "GRU": 2, "RNN": 1}[operator] * n)]
            out["activation_alpha"] = [0.3 for _ in out["activations"]]
            out["activation_beta"] = [0.7 for _ in out["activations"]]
        elif maybe(rng, 0.15):
            out["activations"] = {"LSTM": ["HardSigmoid", "Relu", "Softsign"], "GRU": ["HardSigmoid", "Relu"], "RNN": ["Relu"]}[operator] * n
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
    out = attributes(rng, align_corners=lambda: int(rng.integers(2)), padding_mode=lambda: pick(rng, "zeros", "border", "reflection"),
                     mode=lambda: pick(rng, "bilinear", "nearest", "bicubic"))
    return One("GridSample", [x, grid], out, opset=16, absolute=1e-3)


def global_pool(operator):
    def make(rng):
        return One(operator, [floats(rng, [1, 2, *dims(rng, 1, 3)])])

    make.__name__ = operator
    return make


# --- operators of onnxruntime, and attention


MICROSOFT = "com.microsoft"


def contributed(operator):
    def make(rng):
        shape = dims(rng, 1)
        inputs, out = [floats(rng, shape)], {}
        if operator in ("BiasGelu", "FastGelu"):
            inputs.append(floats(rng, shape[-1:]))
        if operator == "QuickGelu" and maybe(rng):
            out["alpha"] = 0.7
        return One(operator, inputs, out, domain=MICROSOFT)

    make.__name__ = operator
    return make


def skip_norm(operator):
    def make(rng):
        shape = [2, 3, 8]
        inputs = [floats(rng, shape), floats(rng, shape), floats(rng, [8])]
        if operator == "SkipLayerNormalization":
            inputs.append(floats(rng, [8]) if maybe(rng) else None)
        inputs.append(floats(rng, [8]) if maybe(rng) else None)
        outputs = pick(rng, 1, 1, 4)
        return One(operator, inputs, {"epsilon": 1e-4} if maybe(rng) else {}, 1, domain=MICROSOFT, absolute=1e-2)

    make.__name__ = operator
    return make


def matmul_bits(rng):
    n, k, block = int(rng.integers(1, 5)), 32, pick(rng, 16, 32)
    blocks = k // block
    inputs = [floats(rng, [2, k]), whole(rng, [n, blocks, block // 2], np.uint8), np.asarray(rng.random([n * blocks]) + 0.1, F32)]
    if maybe(rng):
        inputs.append(whole(rng, [n * ((blocks + 1) // 2)], np.uint8))
    return One("MatMulNBits", inputs, {"K": k, "N": n, "bits": 4, "block_size": block}, domain=MICROSOFT, constants=(1, 2, 3), absolute=0.5)


def rotary(rng):
    batch, steps, heads, size = pick(rng, 1, 2), int(rng.integers(1, 5)), pick(rng, 1, 2), 8
    angles = rng.random([6, size // 2])
    caches = [np.cos(angles).astype(F32), np.sin(angles).astype(F32)]
    places = rng.integers(0, 6, [batch, steps]).astype(np.int64) if maybe(rng) else np.array([rng.integers(0, 6 - steps)], np.int64)
    x = floats(rng, [batch, heads, steps, size] if maybe(rng) else [batch, steps, heads * size])
    out = attributes(rng, interleaved=lambda: int(rng.integers(2)))
    if maybe(rng, 0.5):
        if x.ndim == 3:
            out["num_heads"] = heads
        if places.size == 1 and places.ndim == 1:
            places = (places + np.arange(steps) + np.zeros([batch, 1], np.int64)).astype(np.int64)
        if maybe(rng):
            caches = [np.ascontiguousarray(cache[places]) for cache in caches]
            return One("RotaryEmbedding", [x, *caches], out, opset=23)
        return One("RotaryEmbedding", [x, *caches, places], out, opset=23)
    return One("RotaryEmbedding", [x, places, *caches], out, domain=MICROSOFT)


def multi_head(rng):
    batch, heads, size, ours, theirs = pick(rng, 1, 2), pick(rng, 1, 2), 4, int(rng.integers(1, 4)), int(rng.integers(1, 5))
    width = heads * size
    q, k, v = rng.normal(size=[batch, ours, width]), rng.normal(size=[batch, theirs, width]), rng.normal(size=[batch, theirs, width])
    inputs = [part.astype(F32) for part in (q, k, v)]
    inputs.append(rng.normal(size=[3 * width]).astype(F32) if maybe(rng, 0.4) else None)
    inputs.append(rng.integers(0, 2, [batch, theirs]).astype(np.int32) if maybe(rng, 0.3) else None)
    if inputs[-1] is not None:
        inputs[-1][:, 0] = 1
    inputs.append(rng.normal(size=[pick(rng, 1, batch), heads, ours, theirs]).astype(F32) if maybe(rng, 0.4) else None)
    out = {"num_heads": heads, **attributes(rng, scale=lambda: 0.3, unidirectional=lambda: int(rng.integers(2)))}
    return One("MultiHeadAttention", inputs, out, domain=MICROSOFT)


def group_query(rng):
    groups, per, size, steps, past = pick(rng, 1, 2), pick(rng, 1, 2), 8, int(rng.integers(1, 4)), int(rng.integers(0, 3))
    heads = groups * per
    draw = lambda shape: rng.normal(size=shape).astype(F32)
    inputs = [draw([1, steps, heads * size]), draw([1, steps, groups * size]), draw([1, steps, groups * size]),
              draw([1, groups, past, size]), draw([1, groups, past, size]), np.array([past + steps - 1], np.int32), np.array(past + steps, np.int32)]
    out = {"num_heads": heads, "kv_num_heads": groups, **attributes(rng, scale=lambda: 0.3)}
    if past == 0:
        out |= attributes(rng, local_window_size=lambda: 2, softcap=lambda: 2.0)
    if maybe(rng, 0.4):
        angles = rng.random([8, size // 2])
        inputs += [np.cos(angles).astype(F32), np.sin(angles).astype(F32)]
        out["do_rotary"] = 1
        if maybe(rng):
            out["rotary_interleaved"] = 1
    return One("GroupQueryAttention", inputs, out, 3, domain=MICROSOFT, constants=(5, 6) if past else ())


def attention(rng):
    groups, per, size, ours, theirs = pick(rng, 1, 2), pick(rng, 1, 2), 4, int(rng.integers(1, 4)), int(rng.integers(1, 5))
    heads, batch = groups * per, pick(rng, 1, 2)
    draw = lambda shape: rng.normal(size=shape).astype(F32)
    flat = maybe(rng)
    shape = lambda heads, steps: [batch, steps, heads * size] if flat else [batch, heads, steps, size]
    inputs = [draw(shape(heads, ours)), draw(shape(groups, theirs)), draw(shape(groups, theirs))]
    if maybe(rng):
        mask = [1] * rng.integers(0, 3) + [ours, theirs]
        inputs.append(draw(mask) if maybe(rng) else np.concatenate([np.ones([*mask[:-1], 1], bool), rng.integers(0, 2, [*mask[:-1], theirs - 1]).astype(bool)], -1))
    out = attributes(rng, scale=lambda: 0.3, softcap=lambda: 2.0, is_causal=lambda: int(rng.integers(2)))
    if flat:
        out |= {"q_num_heads": heads, "kv_num_heads": groups}
    return One("Attention", inputs, out, opset=pick(rng, 23, 24))


def rms_norm(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    return One("RMSNormalization", [floats(rng, shape), floats(rng, shape[axis:])], {"axis": axis, **attributes(rng, epsilon=lambda: 0.01)}, opset=23, absolute=1e-2)


ACTIVATIONS = [
    unary(name) for name in
    """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor HardSwish Identity IsNaN Log Mish Neg Reciprocal
    Relu Round Sigmoid Sin Sinh Softplus Softsign Sqrt Tan Tanh""".split()
] + [
    unary("Sign", half=False), unary("Elu", alpha=(0.1, 2)), unary("LeakyRelu", alpha=(0.001, 0.5)), unary("HardSigmoid", alpha=(0.1, 0.5), beta=(0, 1)),
    unary("Selu", alpha=(1, 2), gamma=(1, 2)), unary("Celu", alpha=(0.5, 2)), unary("ThresholdedRelu", alpha=(0.1, 2)),
    unary("Shrink", bias=(0, 1), lambd=(0.1, 1)),
]
BINARIES = [binary(name) for name in "Add Sub Mul Div Mod Pow".split()] + [
    binary(name) for name in "Equal Less Greater LessOrEqual GreaterOrEqual".split()] + [
    binary(name, (np.bool_,), (7, 13), floating=False) for name in "And Or Xor".split()]
REDUCTIONS = [reduce(f"Reduce{name}") for name in "Sum Mean Max Min Prod L1 L2 LogSum LogSumExp SumSquare".split()]
ALL = [
    conv, conv, conv_transpose, conv_transpose, conv_integer, qlinear_conv, pool("MaxPool"), pool("AveragePool"), pool("LpPool"),
    *ACTIVATIONS, *BINARIES, *[variadic(name) for name in "Max Min Sum Mean".split()], *REDUCTIONS, clip, prelu, gelu, is_inf,
    where, cast, cast, arg("ArgMax"), arg("ArgMin"), softmax("Softmax"), softmax("LogSoftmax"), softmax("Hardmax"), top_k,
    cum_sum, non_zero, compress, one_hot, suppression, transpose, reshape, flatten, squeeze, unsqueeze, concat, split, slice_,
    slice_, gather, gather_elements, gather_nd, scatter_elements, scatter_nd, pad, pad, tile, expand, depth_to_space,
    space_to_depth, trilu, eye_like, range_, reverse_sequence, shape_of, resize, resize, resize, upsample, matmul, matmul,
    matmul_integer, gemm, einsum, batch_norm, instance_norm, layer_norm, group_norm, lp_norm, lrn, mean_variance, quantize,
    dequantize, dynamic_quantize, recurrent("LSTM", 4), recurrent("GRU", 3), recurrent("RNN", 1), grid_sample,
    *[contributed(name) for name in ("BiasGelu", "FastGelu", "Gelu", "QuickGelu")], skip_norm("SkipLayerNormalization"),
    skip_norm("SkipSimplifiedLayerNormalization"), matmul_bits, rotary, multi_head, group_query, attention, rms_norm,
    *[global_pool(name) for name in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")],
]


def makers(names):
    return [maker for maker in ALL if not names or maker.__name__ in names]
