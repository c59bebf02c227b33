#!/bin/sh
# Fuzzes with libFuzzer under the address sanitizer, each target of `fuzz/` for so many seconds.
#
#   tools/fuzz.sh SECONDS [TARGET]...
#
# It needs a nightly toolchain and cargo-fuzz (`.ci/evidence --install-tools`). A run begins with the seeds in
# `fuzz/seeds/` and with what runs before it found, in `target/fuzz/corpus/`. An input that crashes a target is left in
# `target/fuzz/artifacts/`, and the exit code is 1.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
PATH="$root/target/tools/bin:$PATH"
unset RUSTUP_TOOLCHAIN
seconds=$1
shift
if [ $# -eq 0 ]; then
    set -- models settings protocols calls programs
fi
cd "$root"
build="cargo +nightly fuzz build --target-dir $root/target/fuzz/build"
fuzzed="$root/target/fuzz/build/x86_64-unknown-linux-gnu/release"
for target in "$@"; do
    $build "$target" >"$root/target/fuzz-build.log" 2>&1 || {
        cat "$root/target/fuzz-build.log"
        exit 1
    }
done
options="-max_len=4096 -timeout=90 -rss_limit_mb=4096 -detect_leaks=0"
failed=0
for target in "$@"; do
    corpus="target/fuzz/corpus/$target"
    artifacts="target/fuzz/artifacts/$target"
    said="target/fuzz/$target.log"
    seeds="fuzz/seeds/$target"
    mkdir -p "$corpus" "$artifacts" "$seeds"
    # The simulator asks for more memory than there is, to know how much a model can have, and expects to be refused.
    # Memory that is lost is looked for once, at the end of the process. Programs forget values on purpose.
    leaks=1
    if [ "$target" = programs ]; then
        leaks=0
    fi
    export ASAN_OPTIONS="allocator_may_return_null=1:max_allocation_size_mb=1024:detect_leaks=$leaks"
    # shellcheck disable=SC2086 # the options are words
    if "$fuzzed/$target" $options "-max_total_time=$seconds" "-artifact_prefix=$artifacts/" "$corpus" "$seeds" \
        >"$said" 2>&1; then
        echo "fuzzed: $target: $(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) second.*/\1 executions in \2 s/p' "$said")"
    else
        echo "CRASHED: $target: see $said"
        failed=$((failed + 1))
    fi
done
exit "$((failed > 0))"
