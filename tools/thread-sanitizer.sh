#!/bin/sh
# Runs tests of the safe crate, and with them the simulator, under the thread sanitizer, which finds data races.
#
#   tools/thread-sanitizer.sh            the tests of `attacks` and `asynchronous`
#   tools/thread-sanitizer.sh threads::  those whose names have this in them
#
# It needs a nightly toolchain with `rust-src`. What orders threads is inside the standard library, so that is compiled with
# the sanitizer, too: without it, the sanitizer reports races in safe programs that have none.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
unset RUSTUP_TOOLCHAIN
# The simulator asks for more memory than there is, to know how much a model can have, and expects to be refused. Tests start
# threads in forked children.
export TSAN_OPTIONS="suppressions=$root/tools/races.supp allocator_may_return_null=1 die_after_fork=0 ${TSAN_OPTIONS:-}"
export RUSTFLAGS=-Zsanitizer=thread
# With a target, the build scripts and the macros are not instrumented: they run inside the compiler.
cargo +nightly test --locked --no-fail-fast -Zbuild-std --target x86_64-unknown-linux-gnu --target-dir target/tsan \
    -p ascendcl --test attacks --test asynchronous -- "$@"
