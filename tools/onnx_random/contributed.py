"""Operators of onnxruntime, and attention. Each function gives one node with its inputs."""

import numpy as np

from base import F32, One, attributes, dims, floats, maybe, pick, some_axis, whole

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
        return One(operator, inputs, {"epsilon": 1e-4} if maybe(rng) else {}, 1, domain=MICROSOFT, absolute=1e-2)

    make.__name__ = operator
    return make


def matmul_bits(rng):
    n, k, block = int(rng.integers(1, 5)), 32, pick(rng, 16, 32)
    blocks = k // block
    inputs = [
        floats(rng, [2, k]),
        whole(rng, [n, blocks, block // 2], np.uint8),
        np.asarray(rng.random([n * blocks]) + 0.1, F32),
    ]
    if maybe(rng):
        inputs.append(whole(rng, [n * ((blocks + 1) // 2)], np.uint8))
    return One(
        "MatMulNBits",
        inputs,
        {"K": k, "N": n, "bits": 4, "block_size": block},
        domain=MICROSOFT,
        constants=(1, 2, 3),
        absolute=0.5,
    )


def rotary(rng):
    batch, steps, heads, size = pick(rng, 1, 2), int(rng.integers(1, 5)), pick(rng, 1, 2), 8
    angles = rng.random([6, size // 2])
    caches = [np.cos(angles).astype(F32), np.sin(angles).astype(F32)]
    places = (
        rng.integers(0, 6, [batch, steps]).astype(np.int64)
        if maybe(rng)
        else np.array([rng.integers(0, 6 - steps)], np.int64)
    )
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
    batch, heads, size, ours, theirs = (
        pick(rng, 1, 2),
        pick(rng, 1, 2),
        4,
        int(rng.integers(1, 4)),
        int(rng.integers(1, 5)),
    )
    width = heads * size
    q, k, v = (
        rng.normal(size=[batch, ours, width]),
        rng.normal(size=[batch, theirs, width]),
        rng.normal(size=[batch, theirs, width]),
    )
    inputs = [part.astype(F32) for part in (q, k, v)]
    inputs.append(rng.normal(size=[3 * width]).astype(F32) if maybe(rng, 0.4) else None)
    inputs.append(rng.integers(0, 2, [batch, theirs]).astype(np.int32) if maybe(rng, 0.3) else None)
    if inputs[-1] is not None:
        inputs[-1][:, 0] = 1
    inputs.append(rng.normal(size=[pick(rng, 1, batch), heads, ours, theirs]).astype(F32) if maybe(rng, 0.4) else None)
    out = {"num_heads": heads, **attributes(rng, scale=lambda: 0.3, unidirectional=lambda: int(rng.integers(2)))}
    return One("MultiHeadAttention", inputs, out, domain=MICROSOFT)


def group_query(rng):
    groups, per, size, steps, past = (
        pick(rng, 1, 2),
        pick(rng, 1, 2),
        8,
        int(rng.integers(1, 4)),
        int(rng.integers(0, 3)),
    )
    heads = groups * per
    draw = lambda shape: rng.normal(size=shape).astype(F32)
    inputs = [
        draw([1, steps, heads * size]),
        draw([1, steps, groups * size]),
        draw([1, steps, groups * size]),
        draw([1, groups, past, size]),
        draw([1, groups, past, size]),
        np.array([past + steps - 1], np.int32),
        np.array(past + steps, np.int32),
    ]
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
    groups, per, size, ours, theirs = (
        pick(rng, 1, 2),
        pick(rng, 1, 2),
        4,
        int(rng.integers(1, 4)),
        int(rng.integers(1, 5)),
    )
    heads, batch = groups * per, pick(rng, 1, 2)
    draw = lambda shape: rng.normal(size=shape).astype(F32)
    flat = maybe(rng)
    shape = lambda heads, steps: [batch, steps, heads * size] if flat else [batch, heads, steps, size]
    inputs = [draw(shape(heads, ours)), draw(shape(groups, theirs)), draw(shape(groups, theirs))]
    if maybe(rng):
        mask = [1] * rng.integers(0, 3) + [ours, theirs]
        inputs.append(
            draw(mask)
            if maybe(rng)
            else np.concatenate(
                [np.ones([*mask[:-1], 1], bool), rng.integers(0, 2, [*mask[:-1], theirs - 1]).astype(bool)], -1
            )
        )
    out = attributes(rng, scale=lambda: 0.3, softcap=lambda: 2.0, is_causal=lambda: int(rng.integers(2)))
    if flat:
        out |= {"q_num_heads": heads, "kv_num_heads": groups}
    return One("Attention", inputs, out, opset=pick(rng, 23, 24))


def rms_norm(rng):
    shape = dims(rng, 1)
    axis = some_axis(rng, len(shape))
    return One(
        "RMSNormalization",
        [floats(rng, shape), floats(rng, shape[axis:])],
        {"axis": axis, **attributes(rng, epsilon=lambda: 0.01)},
        opset=23,
        absolute=1e-2,
    )
