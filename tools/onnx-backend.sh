#!/usr/bin/env bash
# Fetches ONNX's own backend tests (the package `onnx` of PyPI) and runs them on the simulator.
#
#   tools/onnx-backend.sh               compares with sim/tests/onnx/table.tsv
#   DOCS=overwrite tools/onnx-backend.sh  writes the table anew
#
# ONNX_BACKEND_DETAILS=FILE writes a line for each test: outcome, operator, name, reason.
set -euo pipefail
cd "$(dirname "$0")/.."

release=1.23.2
folder="${CARGO_TARGET_DIR:-$PWD/target}/onnx-backend"
if [ "$(cat "$folder/tests/version.txt" 2>/dev/null)" != "$release" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet "onnx==$release" "numpy==2.4.6"
    "$folder/venv/bin/python" tools/onnx_cases.py "$folder/tests"
fi
ONNX_BACKEND_TESTS="$folder/tests" cargo test --workspace --locked --test onnx -- --nocapture
