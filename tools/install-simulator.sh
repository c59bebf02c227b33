#!/bin/sh
# Lays the simulator out as an installation of the vendor's toolkit is: FOLDER/lib64 with libascendcl.so, and under the
# other names by which programs link or load parts of it.
#
#   tools/install-simulator.sh FOLDER [LIBRARY]
#
# LIBRARY is a libascendcl.so that was built already; without it one is built for release.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
library=${2:-}
if [ -z "$library" ]; then
    cargo build --release --manifest-path "$root/Cargo.toml" -p ascendcl-sim-dylib
    library=${CARGO_TARGET_DIR:-$root/target}/release/libascendcl.so
fi
mkdir -p "$folder/lib64"
cp "$library" "$folder/lib64/libascendcl.so"

# The files that the table of functions names, and what libascendcl.so was split into by CANN 8.5.
{
    grep -hoE 'lib[a-z_]+\.so' "$root"/sys/src/table/*.rs
    printf '%s\n' libacl_rt.so libacl_mdl.so libacl_op_executor.so
} | sort -u | grep -vx libascendcl.so | while read -r name; do
    ln -sf libascendcl.so "$folder/lib64/$name"
done
