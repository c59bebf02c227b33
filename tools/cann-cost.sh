#!/bin/sh
# Counts the instructions of operations through the published crate `cann` 0.1.3, as `cargo bench -p ascendcl --bench cost`
# counts the others, and writes them to benches/cost/cann.tsv. That bench shows them in docs/cost.md. It needs valgrind.
#
#   tools/cann-cost.sh [SCRATCH]
#
# The library is the one of the bench, which does nothing. The crate's build script wants an installation of the vendor's
# toolkit: a header that names the functions, and lib64/libascendcl.so. Both are made in the scratch folder.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
scratch=${1:-$(mktemp -d)}
mkdir -p "$scratch/toolkit/include/acl" "$scratch/toolkit/lib64"
scratch=$(cd "$scratch" && pwd)
library=$scratch/toolkit/lib64

cc -shared -fPIC -O2 "$root/tests/null/library.c" -o "$library/libascendcl.so"
nm -D --defined-only "$library/libascendcl.so" | sed -n 's|.* T \(.*\)$|// \1|p' >"$scratch/toolkit/include/acl/acl_rt.h"

# What the crate declares and this library does not have is never called here.
(cd "$root/benches/cann" && cargo vendor --quiet --locked "$scratch/vendor" >/dev/null)
grep -hoE 'fn (acl|cann_grph_)[A-Za-z0-9_]+' "$scratch"/vendor/cann-sys/src/*.rs | cut -d' ' -f2 | sort -u |
    while read -r name; do
        grep -qx "// $name" "$scratch/toolkit/include/acl/acl_rt.h" || echo "void $name(void) { abort(); }"
    done >"$scratch/absent.c"
cc -shared -fPIC -include stdlib.h "$scratch/absent.c" -o "$library/libopapi.so"

export ASCEND_TOOLKIT_HOME="$scratch/toolkit" LD_LIBRARY_PATH="$library"
RUSTFLAGS="-L native=$library -l dylib=opapi" cargo build --quiet --release --locked --manifest-path "$root/benches/cann/Cargo.toml" \
    --target-dir "$scratch/target"

counted() { # operation, rounds
    valgrind --tool=callgrind --callgrind-out-file=/dev/null '--toggle-collect=*counted_operation*' \
        "$scratch/target/release/cann-cost" "$1" "$2" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
for operation in Copy CopyAndWait Record WaitFor Synchronize CopyNow Stream Event Buffer; do
    printf '%s\t%s\n' "$operation" "$((($(counted "$operation" 1000) - $(counted "$operation" 0) + 999) / 1000))"
done | tee "$root/benches/cost/cann.tsv"
