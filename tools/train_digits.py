#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Make digits.onnx, digits-8.onnx and digits-test.csv in examples/data.

Trains a small convolutional network on the 8x8 handwritten digits that
scikit-learn ships, and measures it on images it was not trained on.

    pip install -r tools/requirements.txt
    python tools/train_digits.py             # write the files
    python tools/train_digits.py --check     # make them again and compare

See examples/data/README.md for what the files hold.
"""

import os

# Sums must be added up in the same order every time: one thread only. This has
# to be said before NumPy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import hashlib
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

DATA = Path(__file__).resolve().parent.parent / "examples" / "data"
MODEL, IMAGES = "digits.onnx", "digits-test.csv"
# The same network for batches of this size only.
FIXED, FIXED_BATCH = "digits-8.onnx", 8

SEED = 0
HELD_OUT = 360
MINIMUM_ACCURACY = 0.97

FILTERS, HIDDEN, CLASSES = 16, 64, 10
EPOCHS, BATCH = 40, 32
LEARNING_RATE, MOMENTUM, WEIGHT_DECAY = 0.05, 0.9, 1e-3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=DATA, help="folder to write to")
    parser.add_argument(
        "--check",
        action="store_true",
        help="write to a temporary folder instead, and compare with the files in --out",
    )
    args = parser.parse_args()

    if args.check:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder))
            same = [compare(args.out / name, Path(folder) / name) for name in (MODEL, FIXED, IMAGES)]
        sys.exit(0 if all(same) else 1)
    args.out.mkdir(parents=True, exist_ok=True)
    make(args.out)


def make(folder):
    digits = load_digits()
    train_x, test_x, train_y, test_y = train_test_split(
        digits.data,
        digits.target,
        test_size=HELD_OUT,
        stratify=digits.target,
        random_state=SEED,
    )
    weights = rounded(train(train_x, train_y))

    for name, batch in ((MODEL, "batch"), (FIXED, FIXED_BATCH)):
        model = to_onnx(weights, batch)
        onnx.checker.check_model(model, full_check=True)
        (folder / name).write_bytes(model.SerializeToString(deterministic=True))
    lines = [",".join(str(int(v)) for v in (y, *x)) for y, x in zip(test_y, test_x)]
    (folder / IMAGES).write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")

    measure(folder)


# ---- Training -------------------------------------------------------------


def train(images, labels):
    """Plain stochastic gradient descent on the cross entropy.

    In float64, so that what another processor's rounding changes stays far
    below what `rounded` rounds away.
    """
    rng = np.random.default_rng(SEED)
    patches = patches_of(images)
    weights = {
        "conv.weight": rng.normal(0, np.sqrt(2 / 9), (9, FILTERS)),
        "conv.bias": np.zeros(FILTERS),
        "fc1.weight": rng.normal(0, np.sqrt(2 / (FILTERS * 16)), (FILTERS * 16, HIDDEN)),
        "fc1.bias": np.zeros(HIDDEN),
        "fc2.weight": rng.normal(0, np.sqrt(1 / HIDDEN), (HIDDEN, CLASSES)),
        "fc2.bias": np.zeros(CLASSES),
    }
    speed = {name: np.zeros_like(value) for name, value in weights.items()}

    for epoch in range(EPOCHS):
        rate = LEARNING_RATE * (1 - epoch / EPOCHS)
        order = rng.permutation(len(labels))
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            slopes = gradients(weights, patches[some], labels[some])
            for name, value in weights.items():
                slope = slopes[name]
                if name.endswith(".weight"):
                    slope = slope + WEIGHT_DECAY * value
                speed[name] = MOMENTUM * speed[name] - rate * slope
                value += speed[name]
    return weights


def patches_of(images):
    """The 3x3 surroundings of every pixel, grouped by 2x2 pooling cell:
    [image, cell, pixel in cell, 9], pixel values scaled to 0..1."""
    padded = np.pad(images.reshape(-1, 8, 8) / 16, ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    cells = windows.reshape(-1, 4, 2, 4, 2, 9).transpose(0, 1, 3, 2, 4, 5)
    return cells.reshape(-1, 16, 4, 9)


def gradients(w, patches, labels):
    n = len(labels)

    # Forward. The maximum of a cell may be taken before the ReLU: same result.
    conv = patches @ w["conv.weight"] + w["conv.bias"]  # [n, 16, 4, FILTERS]
    pooled = conv.max(axis=2)
    features = np.maximum(pooled, 0).transpose(0, 2, 1).reshape(n, -1)
    hidden = np.maximum(features @ w["fc1.weight"] + w["fc1.bias"], 0)
    logits = hidden @ w["fc2.weight"] + w["fc2.bias"]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))

    # Backward.
    d_logits = odds / odds.sum(axis=1, keepdims=True)
    d_logits[np.arange(n), labels] -= 1
    d_logits /= n
    d_hidden = (d_logits @ w["fc2.weight"].T) * (hidden > 0)
    d_features = (d_hidden @ w["fc1.weight"].T) * (features > 0)
    d_pooled = d_features.reshape(n, FILTERS, 16).transpose(0, 2, 1)
    winner = conv.argmax(axis=2)[:, :, None, :] == np.arange(4)[:, None]
    d_conv = d_pooled[:, :, None, :] * winner
    return {
        "conv.weight": patches.reshape(-1, 9).T @ d_conv.reshape(-1, FILTERS),
        "conv.bias": d_conv.sum(axis=(0, 1, 2)),
        "fc1.weight": features.T @ d_hidden,
        "fc1.bias": d_hidden.sum(axis=0),
        "fc2.weight": hidden.T @ d_logits,
        "fc2.bias": d_logits.sum(axis=0),
    }


def rounded(weights):
    """Round to multiples of 1/1024.

    Processors differ in the last bits of a sum; after this the model is the
    same bytes whichever one made it. Below 2 such values are also exact in
    half precision.
    """
    # Adding zero turns -0 into 0.
    return {name: np.round(value * 1024) / 1024 + 0.0 for name, value in weights.items()}


# ---- Export ---------------------------------------------------------------


def to_onnx(w, batch):
    # The input holds raw pixels, 0..16: the division by 16 goes into the
    # filters, where it is exact.
    constants = {
        "image_shape": np.array([-1, 1, 8, 8], np.int64),
        "conv.weight": w["conv.weight"].T.reshape(FILTERS, 1, 3, 3) / 16,
        "conv.bias": w["conv.bias"],
        "fc1.weight": w["fc1.weight"],
        "fc1.bias": w["fc1.bias"],
        "fc2.weight": w["fc2.weight"],
        "fc2.bias": w["fc2.bias"],
    }
    nodes = [
        node("Reshape", "images", "image_shape", to="pixels"),
        node("Conv", "pixels", "conv.weight", "conv.bias", to="conv",
             kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1]),
        node("Relu", "conv", to="conv_relu"),
        node("MaxPool", "conv_relu", to="pool", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", "pool", to="features", axis=1),
        node("Gemm", "features", "fc1.weight", "fc1.bias", to="fc1"),
        node("Relu", "fc1", to="fc1_relu"),
        node("Gemm", "fc1_relu", "fc2.weight", "fc2.bias", to="logits"),
        node("Softmax", "logits", to="probabilities", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [batch, 64])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [batch, CLASSES])],
        [constant(name, value) for name, value in constants.items()],
    )
    return helper.make_model(
        graph,
        # Old enough for most converters and runtimes.
        ir_version=7,
        opset_imports=[helper.make_opsetid("", 13)],
        producer_name="train_digits.py",
        model_version=1,
        doc_string=(
            "Recognises handwritten digits. images: 8x8 grey values 0..16, row by row; "
            "probabilities: of the digits 0 to 9. Trained on the UCI data set 'Optical "
            "Recognition of Handwritten Digits' by E. Alpaydin and C. Kaynak "
            "(doi 10.24432/C50P49, CC BY 4.0)."
        ),
    )


def node(op, *inputs, to, **attributes):
    return helper.make_node(op, inputs, [to], name=to, **attributes)


def constant(name, value):
    if value.dtype == np.int64:
        kind, value = TensorProto.INT64, value.astype("<i8")
    else:
        kind, value = TensorProto.FLOAT, value.astype("<f4")
    return helper.make_tensor(name, kind, value.shape, value.tobytes(), raw=True)


# ---- Checks ---------------------------------------------------------------


def measure(folder):
    """Read both files back and count the held-out images the model gets right."""
    rows = np.loadtxt(folder / IMAGES, delimiter=",", dtype=np.float32)
    labels, images = rows[:, 0].astype(int), rows[:, 1:]
    session = ReferenceEvaluator(str(folder / MODEL))

    for batch in (1, 7, len(images)):
        parts = [
            session.run(None, {"images": images[i : i + batch]})[0]
            for i in range(0, len(images), batch)
        ]
        right = int((np.concatenate(parts).argmax(axis=1) == labels).sum())
        accuracy = right / len(labels)
        print(f"held-out accuracy, batch {batch}: {right}/{len(labels)} = {accuracy:.2%}")
        if accuracy < MINIMUM_ACCURACY:
            sys.exit(f"below {MINIMUM_ACCURACY:.0%}")
    for name in (MODEL, FIXED, IMAGES):
        content = (folder / name).read_bytes()
        print(f"{name}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


def compare(kept, made):
    same = kept.is_file() and kept.read_bytes() == made.read_bytes()
    print(f"{kept.name}: {'same' if same else 'DIFFERENT'}")
    return same


if __name__ == "__main__":
    main()
