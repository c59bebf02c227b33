"""All makers of random nodes."""

import numpy as np

from choices import arg, compress, cum_sum, non_zero, one_hot, reduce, softmax, suppression, top_k
from contributed import attention, contributed, group_query, matmul_bits, multi_head, rms_norm, rotary, skip_norm
from elements import binary, cast, clip, gelu, is_inf, prelu, unary, variadic, where
from networks import dequantize, dynamic_quantize, global_pool, grid_sample, quantize, recurrent
from products import (
    batch_norm,
    einsum,
    gemm,
    group_norm,
    instance_norm,
    layer_norm,
    lp_norm,
    lrn,
    matmul,
    matmul_integer,
    mean_variance,
)
from shapes import (
    concat,
    depth_to_space,
    expand,
    eye_like,
    flatten,
    gather,
    gather_elements,
    gather_nd,
    pad,
    range_,
    reshape,
    resize,
    reverse_sequence,
    scatter_elements,
    scatter_nd,
    shape_of,
    slice_,
    space_to_depth,
    split,
    squeeze,
    tile,
    transpose,
    trilu,
    unsqueeze,
    upsample,
)
from windows import conv, conv_integer, conv_transpose, pool, qlinear_conv

ACTIVATIONS = (
    [
        unary(name)
        for name in """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor HardSwish Identity IsNaN Log Mish Neg Reciprocal
    Relu Round Sigmoid Sin Sinh Softplus Softsign Sqrt Tan Tanh""".split()
    ]
    + [
        unary("Sign", half=False),
        unary("Elu", alpha=(0.1, 2)),
        unary("LeakyRelu", alpha=(0.001, 0.5)),
        unary("HardSigmoid", alpha=(0.1, 0.5), beta=(0, 1)),
        unary("Selu", alpha=(1, 2), gamma=(1, 2)),
        unary("Celu", alpha=(0.5, 2)),
        unary("ThresholdedRelu", alpha=(0.1, 2)),
        unary("Shrink", bias=(0, 1), lambd=(0.1, 1)),
    ]
)
BINARIES = (
    [binary(name) for name in "Add Sub Mul Div Mod Pow".split()]
    + [binary(name) for name in "Equal Less Greater LessOrEqual GreaterOrEqual".split()]
    + [binary(name, (np.bool_,), (7, 13), floating=False) for name in "And Or Xor".split()]
)
REDUCTIONS = [reduce(f"Reduce{name}") for name in "Sum Mean Max Min Prod L1 L2 LogSum LogSumExp SumSquare".split()]
ALL = [
    conv,
    conv,
    conv_transpose,
    conv_transpose,
    conv_integer,
    qlinear_conv,
    pool("MaxPool"),
    pool("AveragePool"),
    pool("LpPool"),
    *ACTIVATIONS,
    *BINARIES,
    *[variadic(name) for name in "Max Min Sum Mean".split()],
    *REDUCTIONS,
    clip,
    prelu,
    gelu,
    is_inf,
    where,
    cast,
    cast,
    arg("ArgMax"),
    arg("ArgMin"),
    softmax("Softmax"),
    softmax("LogSoftmax"),
    softmax("Hardmax"),
    top_k,
    cum_sum,
    non_zero,
    compress,
    one_hot,
    suppression,
    transpose,
    reshape,
    flatten,
    squeeze,
    unsqueeze,
    concat,
    split,
    slice_,
    slice_,
    gather,
    gather_elements,
    gather_nd,
    scatter_elements,
    scatter_nd,
    pad,
    pad,
    tile,
    expand,
    depth_to_space,
    space_to_depth,
    trilu,
    eye_like,
    range_,
    reverse_sequence,
    shape_of,
    resize,
    resize,
    resize,
    upsample,
    matmul,
    matmul,
    matmul_integer,
    gemm,
    einsum,
    batch_norm,
    instance_norm,
    layer_norm,
    group_norm,
    lp_norm,
    lrn,
    mean_variance,
    quantize,
    dequantize,
    dynamic_quantize,
    recurrent("LSTM", 4),
    recurrent("GRU", 3),
    recurrent("RNN", 1),
    grid_sample,
    *[contributed(name) for name in ("BiasGelu", "FastGelu", "Gelu", "QuickGelu")],
    skip_norm("SkipLayerNormalization"),
    skip_norm("SkipSimplifiedLayerNormalization"),
    matmul_bits,
    rotary,
    multi_head,
    group_query,
    attention,
    rms_norm,
    *[global_pool(name) for name in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")],
]


def makers(names):
    return [maker for maker in ALL if not names or maker.__name__ in names]
