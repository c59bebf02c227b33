#!/usr/bin/env bash
# Runs the tests on a library in a file, for instance the vendor's on a machine with a device:
#
#     tools/tests-on.sh /usr/local/Ascend/ascend-toolkit/latest/lib64/libascendcl.so
#
# `tests/needs.tsv` names the tests that need more than a library: the simulator of their own process, because they
# make calls fail or look at what lives in it; models, which are ONNX files; single operators without compiled files.
# These are left out. Words behind the library say what it has all the same:
#
#     tools/tests-on.sh target/release/libascendcl.so model operator
#
# Without a library the tests run on the simulator as a library of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=(allocators asynchronous attacks execution inference models operators programs recovery resources scopes shapes)

if [ $# -eq 0 ]; then
    # The example gives dependencies the features that they have for tests.
    cargo build --locked --quiet --workspace --lib --example quickstart
    set -- "$(cargo metadata --locked --no-deps --format-version 1 |
        sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/debug/libascendcl.so" model operator
fi
library=$(realpath -e -- "$1") && shift

left_out() {
    awk -F '\t' -v target="$1" -v has=" ${*:2} " 'NR > 1 && $1 == target && !index(has, " " $3 " ") { print $2 }' tests/needs.tsv | sort -u
}

# The whole workspace, as in `.ci/run`: else the tests would be compiled again, with other features of dependencies.
build=(cargo test --locked --quiet --workspace)
for target in "${targets[@]}"; do
    # The list is compared with the tests that there are, so that it names none that was renamed.
    there=$("${build[@]}" --test "$target" -- --list --format terse | sed -n 's/: test$//p')
    unknown=$(comm -13 <(sort <<<"$there") <(awk -F '\t' -v target="$target" '$1 == target { print $2 }' tests/needs.tsv | sort -u))
    if [ -n "$unknown" ]; then
        printf 'tests/needs.tsv names tests of %s that do not exist:\n%s\n' "$target" "$unknown" >&2
        exit 1
    fi
    skip=()
    while read -r name; do skip+=(--skip "$name"); done < <(left_out "$target" "$@")
    printf '== %s: %d of %d tests\n' "$target" $(($(wc -l <<<"$there") - ${#skip[@]} / 2)) "$(wc -l <<<"$there")"
    ASCENDCL_TESTS_ON="$library" "${build[@]}" --test "$target" -- --exact "${skip[@]}"
done
