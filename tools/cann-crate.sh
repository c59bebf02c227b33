#!/bin/sh
# Runs the tests of the published crate `cann` 0.1.3, feature `ffi`, on the simulator.
#
#   tools/cann-crate.sh [SCRATCH]
#
# The crate's build script wants an installation of the vendor's toolkit: a header that names the functions, and
# lib64/libascendcl.so. Both are made in the scratch folder from the simulator. What the crate takes from libraries beside
# AscendCL (aclnn operators, the graph engine) is in neither: a library of functions that abort lets the tests be linked,
# and the tests that would call them are left out.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
scratch=${1:-$(mktemp -d)}
mkdir -p "$scratch/src" "$scratch/toolkit/include/acl" "$scratch/toolkit/lib64"
scratch=$(cd "$scratch" && pwd)

cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p ascendcl-sim-dylib --target-dir "$scratch/simulator"
cp "$scratch/simulator/release/libascendcl.so" "$scratch/toolkit/lib64/"
nm -D --defined-only "$scratch/toolkit/lib64/libascendcl.so" |
    sed -n 's|.* \(acl[A-Za-z0-9_]*\)$|// \1|p' >"$scratch/toolkit/include/acl/acl_rt.h"

cat >"$scratch/Cargo.toml" <<'TOML'
[package]
name = "scratch"
version = "0.0.0"
edition = "2024"

[dependencies]
cann = { version = "=0.1.3", features = ["ffi"] }

[workspace]
exclude = ["vendor"]
TOML
: >"$scratch/src/lib.rs"
(cd "$scratch" && cargo vendor --quiet vendor >/dev/null)


# What the crate declares and AscendCL does not have.
grep -hoE 'fn (acl|cann_grph_)[A-Za-z0-9_]+' "$scratch"/vendor/cann-sys/src/*.rs | cut -d' ' -f2 | sort -u |
    while read -r name; do
        grep -qx "// $name" "$scratch/toolkit/include/acl/acl_rt.h" || echo "void $name(void) { abort(); }"
    done >"$scratch/absent.c"
cc -shared -fPIC -include stdlib.h "$scratch/absent.c" -o "$scratch/toolkit/lib64/libopapi.so"

# One thread: the tests share the process's devices. One test wants the name of the system on chip to begin with `Ascend`.
# One wants a version of three numbers; the simulator's says that it is a simulator.
cd "$scratch/vendor/cann"
ASCEND_TOOLKIT_HOME="$scratch/toolkit" \
LD_LIBRARY_PATH="$scratch/toolkit/lib64" \
ASCENDCL_SIM_SOC=AscendSimulator910B1 \
CARGO_TARGET_DIR="$scratch/target" \
    cargo test --features ffi -- --include-ignored --test-threads 1 \
    --skip tensor_metadata_roundtrip --skip tensor_list_roundtrip --skip scalar_roundtrip \
    --skip matmul_full_chain --skip softmax_full_chain --skip rms_norm_full_chain \
    --skip from_onnx_missing_file_returns_err --skip test_str_and_num_consistent
