"""Operators that move elements. Each function gives one node with its inputs."""

import numpy as np

from base import F32, One, WHOLE, attributes, dims, floats, maybe, numbers, pick, some_axes, some_axis, spread, whole


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
    axes = (
        [axis - len(shape) if maybe(rng, 0.3) else axis for axis in ones if maybe(rng, 0.7)]
        if maybe(rng, 0.7)
        else None
    )
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
    return One(
        "Gather",
        [numbers(rng, shape), indices],
        attributes(rng, axis=lambda: axis) if axis == 0 else {"axis": axis},
        opset=13,
    )


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
    return One(
        "DepthToSpace", [x], {"blocksize": block, **attributes(rng, mode=lambda: pick(rng, "DCR", "CRD"))}, opset=13
    )


def space_to_depth(rng):
    block = int(rng.integers(1, 4))
    return One("SpaceToDepth", [floats(rng, [1, 2, 2 * block, 3 * block])], {"blocksize": block}, opset=13)


def trilu(rng):
    inputs = [numbers(rng, dims(rng, 2), (np.int64, np.int32))]
    if maybe(rng):
        inputs.append(np.array(int(rng.integers(-4, 5)), np.int64))
    return One("Trilu", inputs, attributes(rng, upper=lambda: int(rng.integers(2))), opset=14)


def eye_like(rng):
    return One(
        "EyeLike",
        [numbers(rng, dims(rng, 2, 2), (np.int64, np.int32))],
        attributes(rng, k=lambda: int(rng.integers(-4, 5)), dtype=lambda: pick(rng, 1, 6, 7)),
        opset=9,
    )


def range_(rng):
    if maybe(rng):
        start, step = float(rng.integers(-5, 5)), float(pick(rng, 0.5, 1, -0.25, 2, 0.1))
        end = start + step * float(rng.integers(0, 6)) + (0.01 if maybe(rng) else 0)
        return One("Range", [np.array(v, F32) for v in (start, end, step)], opset=11)
    kind = pick(rng, np.int64, np.int32)
    return One(
        "Range",
        [np.array(v, kind) for v in (int(rng.integers(-5, 5)), int(rng.integers(-9, 9)), pick(rng, 1, 2, -1, -3))],
        opset=11,
    )


def reverse_sequence(rng):
    shape = dims(rng, 2)
    batch = int(rng.integers(2))
    lengths = rng.integers(1, shape[1 - batch] + 1, shape[batch]).astype(np.int64)
    return One(
        "ReverseSequence", [floats(rng, shape), lengths], {"batch_axis": batch, "time_axis": 1 - batch}, opset=10
    )


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
    scales = [1.0] * (rank - min(2, rank)) + [
        float(pick(rng, 0.5, 0.6, 0.8, 1.0, 1.3, 2.0, 2.5, 3.0)) for _ in range(min(2, rank))
    ]
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
