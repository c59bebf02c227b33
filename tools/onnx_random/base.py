"""What random nodes are made of."""

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
    return other[rng.integers(0, len(other) + 1) :]


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
