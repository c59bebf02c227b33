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
seconds=$1
shift
if [ $# -eq 0 ]; then
    set -- models settings protocols calls
fi
cd "$root"
failed=0
for target in "$@"; do
    corpus="target/fuzz/corpus/$target"
    artifacts="target/fuzz/artifacts/$target"
    said="target/fuzz/$target.log"
    seeds=
    if [ -d "fuzz/seeds/$target" ]; then
        seeds="fuzz/seeds/$target"
    fi
    mkdir -p "$corpus" "$artifacts"
    # The simulator keeps threads and tables for the length of the process: they are no leaks.
    if cargo +nightly fuzz run --target-dir target/fuzz/build "$target" "$corpus" $seeds -- \
        "-max_total_time=$seconds" -max_len=8192 -timeout=30 -rss_limit_mb=4096 -detect_leaks=0 \
        "-artifact_prefix=$artifacts/" >"$said" 2>&1; then
        echo "fuzzed: $target: $(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) second.*/\1 executions in \2 s/p' "$said"), $(find "$corpus" -type f | wc -l) inputs kept"
    else
        echo "CRASHED: $target: see $said"
        failed=$((failed + 1))
    fi
done
exit "$((failed > 0))"
