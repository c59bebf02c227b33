"""Products and normalizations. Each function gives one node with its inputs."""

import numpy as np

from base import F32, One, attributes, dims, floats, maybe, pick, some_axes, some_axis, spread, whole


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
    out = attributes(
        rng,
        alpha=lambda: float(rng.normal()),
        beta=lambda: float(rng.normal()),
        transA=lambda: int(rng.integers(2)),
        transB=lambda: int(rng.integers(2)),
    )
    a = floats(rng, [k, m] if out.get("transA") else [m, k])
    b = floats(rng, [n, k] if out.get("transB") else [k, n])
    c = [floats(rng, pick(rng, [], [n], [1, n], [m, 1], [m, n], [1]))] if maybe(rng, 0.7) else []
    return One("Gemm", [a, b, *c], out, opset=pick(rng, 11, 13), absolute=1e-2)


def einsum(rng):
    equation, shapes = pick(
        rng,
        ("ij,jk->ik", [[2, 3], [3, 4]]),
        ("bij,bjk->bik", [[2, 3, 4], [2, 4, 2]]),
        ("ij->ji", [[2, 3]]),
        ("ij->", [[2, 3]]),
        ("ij->i", [[2, 3]]),
        ("i,i->", [[4], [4]]),
        ("i,j->ij", [[4], [3]]),
        ("bhid,bhjd->bhij", [[1, 2, 3, 4], [1, 2, 5, 4]]),
        ("ii->i", [[3, 3]]),
        ("...ij,...jk->...ik", [[2, 2, 3], [2, 3, 4]]),
        ("ij,jk,kl->il", [[2, 3], [3, 4], [4, 2]]),
        ("bij,kj->bik", [[2, 3, 4], [5, 4]]),
        ("ij,ij->ij", [[2, 3], [2, 3]]),
        ("abc,cd->abd", [[2, 3, 4], [4, 2]]),
        ("ij,jk", [[2, 3], [3, 4]]),
        ("ji", [[2, 3]]),
        ("bnqd,bnkd->bnqk", [[1, 2, 3, 4], [1, 2, 3, 4]]),
        ("ijk,ilk->ijl", [[2, 3, 4], [2, 5, 4]]),
        ("ij,kj->ki", [[2, 3], [4, 3]]),
        ("abcd,adef->abcef", [[2, 2, 1, 3], [2, 3, 2, 2]]),
    )
    return One("Einsum", [floats(rng, shape) for shape in shapes], {"equation": equation}, opset=12, absolute=1e-2)


def batch_norm(rng):
    shape = [2, 3, *dims(rng, 0, 2)]
    parts = [floats(rng, [3]) for _ in range(3)] + [np.abs(floats(rng, [3])) + F32(0.5)]
    return One(
        "BatchNormalization",
        [floats(rng, shape), *parts],
        attributes(rng, epsilon=lambda: 0.01, momentum=lambda: 0.5),
        opset=pick(rng, 7, 9, 14, 15),
        absolute=1e-2,
    )


def instance_norm(rng):
    shape = [2, 3, *dims(rng, 1, 2)]
    return One(
        "InstanceNormalization",
        [rng.normal(size=shape).astype(F32), floats(rng, [3]), floats(rng, [3])],
        attributes(rng, epsilon=lambda: 0.01),
        absolute=1e-2,
    )


def layer_norm(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    scale = shape[axis:] if axis < 0 else shape[axis:]
    inputs = [floats(rng, shape), floats(rng, scale)] + ([floats(rng, scale)] if maybe(rng) else [])
    return One(
        "LayerNormalization",
        inputs,
        {"axis": axis, **attributes(rng, epsilon=lambda: 0.01)},
        pick(rng, 1, 1, 3),
        absolute=1e-2,
    )


def group_norm(rng):
    groups, per = pick(rng, 1, 2, 3), pick(rng, 1, 2)
    opset = pick(rng, 18, 21)
    count = groups * per if opset >= 21 else groups
    x = floats(rng, [2, groups * per, *dims(rng, 1, 2)])
    return One(
        "GroupNormalization",
        [x, floats(rng, [count]), floats(rng, [count])],
        {"num_groups": groups},
        opset=opset,
        absolute=1e-2,
    )


def lp_norm(rng):
    shape = dims(rng, 1)
    return One(
        "LpNormalization",
        [floats(rng, shape)],
        attributes(rng, axis=lambda: some_axis(rng, len(shape)), p=lambda: pick(rng, 1, 2)),
    )


def lrn(rng):
    out = {"size": int(rng.integers(1, 6)), **attributes(rng, alpha=lambda: 0.1, beta=lambda: 0.5, bias=lambda: 2.0)}
    return One("LRN", [floats(rng, [2, int(rng.integers(1, 6)), 2, 3])], out)


def mean_variance(rng):
    return One(
        "MeanVarianceNormalization",
        [rng.normal(size=[2, 3, 2, 3]).astype(F32)],
        attributes(rng, axes=lambda: some_axes(rng, 4)),
        opset=13,
        absolute=1e-2,
    )
