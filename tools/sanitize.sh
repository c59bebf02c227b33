#!/bin/sh
# Runs tests of the safe crate, and with them the simulator, under the address sanitizer.
#
#   tools/sanitize.sh
#
# It needs a nightly toolchain. The standard library is not instrumented: the sanitizer sees its allocations and frees,
# and not what the standard library itself reads and writes. At the end of each test program it looks for lost memory.
# Tests that forget values on purpose are named in `tools/forgotten.supp`.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
unset RUSTUP_TOOLCHAIN
# The simulator asks for more memory than there is, to know how much a model can have, and expects to be refused.
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1:max_allocation_size_mb=1024
export LSAN_OPTIONS="suppressions=$root/tools/forgotten.supp"
export RUSTFLAGS=-Zsanitizer=address
# With a target, the build scripts and the macros are not instrumented: they run inside the compiler.
cargo +nightly test --locked --no-fail-fast --target x86_64-unknown-linux-gnu --target-dir target/asan -p ascendcl \
    --test execution --test operators --test shapes
