#!/usr/bin/env bash
# Compares random models with onnxruntime: nodes with random attributes, shapes and data, and graphs of several nodes.
#
#   tools/onnx-random.sh [SEED [COUNT]]
#
# ONNX_BACKEND_DETAILS=FILE writes a line for each model: outcome, operator, name, reason.
set -euo pipefail
cd "$(dirname "$0")/.."

seed="${1:-1}" count="${2:-8000}"
folder="${CARGO_TARGET_DIR:-$PWD/target}/onnx-random"
python="$folder/venv/bin/python"
if [ ! -x "$python" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet "onnx==1.23.2" "numpy==2.4.6" "onnxruntime==1.32.0"
fi
rm -rf "$folder/tests"
"$python" tools/onnx_random "$folder/tests" "$seed" "$count"
"$python" tools/onnx_random "$folder/tests" "$seed" "$((count / 4))" graphs
ONNX_RANDOM_TESTS="$folder/tests" cargo test --workspace --locked --test onnx random -- --nocapture
