#!/bin/sh
# Changes the files under `tests/stamps/` in ways that break the order of stamps, waits and failures, one at a time, and
# runs that test on each. Every change has to turn it red.
#
#   tools/mutants-of-stamps.sh
#
# The files are put back at the end. Each mutant is a Perl substitution over the whole file.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
kept=$(mktemp -d)
timeline=src/ffi/timeline.rs
stamp=src/ffi/stamp.rs
unnamed=src/ffi/unnamed.rs
cp "$timeline" "$kept/timeline.rs"
cp "$stamp" "$kept/stamp.rs"
cp "$unnamed" "$kept/unnamed.rs"
put_back() {
    cp "$kept/timeline.rs" "$timeline"
    cp "$kept/stamp.rs" "$stamp"
    cp "$kept/unnamed.rs" "$unnamed"
}
trap 'put_back; rm -r "$kept"' EXIT

lived=0
mutant() { # name, file, substitution
    put_back
    perl -0pi -e "$3" "$2"
    if cmp -s "$2" "$kept/$(basename "$2")"; then
        echo "does not apply: $1"
        lived=$((lived + 1))
    elif cargo test --quiet --test stamps >"$kept/said" 2>&1; then
        echo "LIVES: $1"
        lived=$((lived + 1))
    elif grep -q '^error' "$kept/said" && ! grep -q '^test result: FAILED' "$kept/said"; then
        echo "does not compile: $1"
        lived=$((lived + 1))
    else
        echo "red: $1: $(sed -n 's/^    \([a-z_]*\)$/\1/p' "$kept/said" | sort -u | tr '\n' ' ')"
    fi
}

covers='let covers = self.covers\(\);'
begin='for used in &uses \{\s*used.begin\(timeline.id\(\)\);\s*\}'
stamped='let number = timeline.clock\(\).stamp\(\);'
call='let result = \$call;'
mutant 'the mark is taken after the wait' "$timeline" "s/$covers(\s*)(let result = wait\(\);)/\$2\$1let covers = self.covers();/"
mutant 'memory is pending only after the call' "$timeline" "s/($begin)(\s*)($call)/\$3\$2\$1/"
mutant 'the number is stamped before the call' "$timeline" "s/($call)(\s*)($stamped)/\$3\$2\$1/"
mutant 'memory has its number before the call' "$timeline" "s/($call)(\s*)($stamped)(\s*)(for used in &uses \{\s*used.end\(number\);\s*\})/\$3\$4\$5\$2\$1/"
mutant 'no doubt after a failed call' "$timeline" 's/uses\.iter\(\)\.for_each\(\|used\| used\.mark_in_doubt\(\)\);//'
mutant 'a call under way does not count' "$stamp" 's/\(_, PENDING\) => false,//'
mutant 'use by a second stream is not noted' "$stamp" 's/self\.is_of_several\(\);//'
mutant 'a wait that failed counts as done' "$timeline" 's/(\s*end\(\);\n)(\s*\}\n\s*\}\n\s*result)/$1self.succeeded(covers);$2/'
mutant 'a failure is noted after the wait has ended' "$timeline" 's/(if let Some\(code\) = failed\(error\) \{.*?\n                \}\n)(\s*end\(\);)/$2$1/s'
mutant 'nobody waits for a note that is under way' "$timeline" 's/while under_way\(\) \{\s*yield_now\(\);\s*\}//'
mutant 'a failure is not noted' "$timeline" 's/self\.failures\.note\(.*?\);//'
mutant 'rows that nobody names are seen without a fence' "$unnamed" 's/\n    fence\(Ordering::Acquire\);//'
exit "$((lived > 0))"
