#!/bin/sh
# Runs tests of the safe crate, and with them the simulator, in Miri: it finds accesses outside of memory or after its end,
# values that are not valid, references that break the rules of aliasing (as tree borrows have them), and data races.
#
#   tools/miri.sh            the tests that the list below names
#   tools/miri.sh rows::     the attacks whose names have this in them
#
# It needs a nightly toolchain with `miri` and `rust-src`. A test takes about 20 seconds. Miri has no other processes, no
# C compiler and no files that are libraries: tests that need one end the run, so the list has none of them.
set -eu

cd "$(dirname "$0")/.."
unset RUSTUP_TOOLCHAIN
# The library gets addresses of objects as C has them. What a test forgets on purpose is lost memory.
export MIRIFLAGS="-Zmiri-tree-borrows -Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-ignore-leaks ${MIRIFLAGS:-}"

attacks() {
    cargo +nightly miri test --locked -p ascendcl --test attacks -- --test-threads 1 "$@"
}

if [ $# -gt 0 ]; then
    attacks "$@"
    exit
fi
# The other unit tests of the library read all rules, or try all interleavings.
cargo +nightly miri test --locked -p ascendcl --lib -- allocator:: ffi::allocator ffi::call ffi::process ffi::shelf \
    --skip among_more_rows
# Two waits of one moment are not of one moment here.
attacks --skip undelivered:: --skip two_threads_that_wait_at_the_same_time captures::groups:: \
    copied_rows:: shared::views:: told:: visits:: wakers::
