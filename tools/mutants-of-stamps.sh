#!/bin/sh
# Changes the files under `tests/stamps/` in ways that break the order of stamps, waits and failures, one at a time, and
# runs that test on each. Every change has to turn it red.
#
#   tools/mutants-of-stamps.sh
#
# Each mutant is a Perl substitution over a whole file. It is made in a copy, a package that has these files and that
# test alone: the checkout stays as it is, and the safe layer is not compiled for each mutant.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
export CARGO_TARGET_DIR="$root/target/mutants"

# These take longer than all others. They run only on what the others leave green.
long='sharing::of_two_names_that_went_on_one_stream_the_later_work_counts
what_is_called_idle_is_complete_while_others_submit_and_wait
shelves::each_thread_gets_a_slot_of_its_own_and_every_row_is_found_until_it_is_removed
tickets::work_without_memory_is_counted_among_the_work_around_it'
tests() { # the output goes to `said`
    # shellcheck disable=SC2046,SC2086 # names without blanks
    cargo test --quiet --offline --test stamps -- $(printf -- '--skip %s ' $long) >said 2>&1 &&
        cargo test --quiet --offline --test stamps -- --exact $long >said 2>&1
}

package() { # where
    mkdir -p "$1/src" "$1/tests"
    cp -r "$root/src/ffi" "$1/src/ffi"
    cp -r "$root/src/allocator" "$1/src/allocator"
    cp -r "$root/tests/stamps" "$1/tests/stamps"
    cp "$root/Cargo.lock" "$root/rust-toolchain.toml" "$1/"
    : >"$1/src/lib.rs"
    cat >"$1/Cargo.toml" <<EOF
[package]
name = "mutants-of-stamps"
edition = "2024"

[dev-dependencies]
ascendcl-macros = { path = "$root/macros" }
ascendcl-rules = { path = "$root/rules" }
loom = "0.7"

[[test]]
name = "stamps"
path = "tests/stamps/main.rs"

[workspace]
EOF
}

# The script runs itself: a worker for each processor, up to four, each with its own copy and every so many-th mutant.
if [ -z "${MUTANTS_WORKER:-}" ]; then
    copies=$(mktemp -d)
    trap 'rm -r "$copies"' EXIT
    package "$copies/0"
    cd "$copies/0"
    if ! tests; then
        cat said
        echo "red without a mutant"
        exit 1
    fi
    # A name that no test has would leave its test among those that run first, or nothing to run.
    cargo test --quiet --offline --test stamps -- --list >list 2>/dev/null
    for name in $long; do
        grep -q "^$name: test\$" list || {
            echo "there is no test $name"
            exit 1
        }
    done
    workers=$(nproc)
    [ "$workers" -le 4 ] || workers=4
    lived=0
    running=''
    # What all need is built: the others go on from there, in folders of their own.
    for worker in $(seq 1 $((workers - 1))); do
        package "$copies/$worker"
        rm -rf "$CARGO_TARGET_DIR-$worker"
        cp -a "$CARGO_TARGET_DIR" "$CARGO_TARGET_DIR-$worker"
    done
    for worker in $(seq 0 $((workers - 1))); do
        MUTANTS_WORKER=$worker MUTANTS_WORKERS=$workers "$root/tools/mutants-of-stamps.sh" "$copies/$worker" &
        running="$running $!"
    done
    for worker in $running; do
        wait "$worker" || lived=1
    done
    exit "$lived"
fi

[ "$MUTANTS_WORKER" = 0 ] || CARGO_TARGET_DIR="$CARGO_TARGET_DIR-$MUTANTS_WORKER"
cd "$1"

timeline=src/ffi/timeline.rs
stamp=src/ffi/stamp.rs
unreferenced=src/ffi/unreferenced.rs
sharing=src/ffi/sharing.rs
gate=src/ffi/gate.rs
admission=src/ffi/admission.rs
cache=src/ffi/function_cache.rs
slot=src/ffi/shelf/slot.rs
free_slots=src/ffi/free_slots.rs
in_place=src/ffi/in_place.rs
places=src/ffi/places.rs
recent=src/allocator/recent.rs
shelf=src/ffi/shelf/mod.rs

lived=0
number=0
mutant() { # name, file, substitution
    number=$((number + 1))
    [ $((number % MUTANTS_WORKERS)) = "$MUTANTS_WORKER" ] || return 0
    perl -0pi -e "$3" "$2"
    if cmp -s "$2" "$root/$2"; then
        echo "does not apply: $1"
        lived=$((lived + 1))
    elif tests; then
        echo "LIVES: $1"
        lived=$((lived + 1))
    elif grep -q '^error.*could not compile' said; then
        echo "does not compile: $1"
        lived=$((lived + 1))
    elif ! grep -q 'panicked at\|signal: ' said; then
        echo "no test fails: $1"
        cat said
        lived=$((lived + 1))
    else
        echo "red: $1: $(sed -n 's/^    \([a-z_:]*\)$/\1/p' said | sort -u | tr '\n' ' ')"
    fi
    cp "$root/$2" "$2"
}

covers='let covers = self.covers\(\);'
begin='for used in \$uses \{\s*\$crate::ffi::stamp::Ticket::begin\(\$ticket, used, id\);\s*\}'
mutant 'the mark is taken after the wait' "$timeline" "s/$covers(\s*)(let result = wait\(\);)/\$2\$1let covers = self.covers();/"
mutant 'memory has its stamp only after the call' "$timeline" "s/($begin)(\s*)match \\\$call \{/let result = \\\$call; \$1 match result {/"
mutant 'the submission counts before the call' "$timeline" 's/match \$call \{/let _early = \$ticket.taken(\$timeline.clock(), \&\$uses[..]); match \$call {/'
mutant 'no doubt after a failed call' "$timeline" 's/uses\.as_ref\(\)\.iter\(\)\.for_each\(\|used\| used\.mark_in_doubt\(\)\);//'
mutant 'a number that was not known is not stamped after the call' "$timeline" 's/uses\.iter\(\)\.for_each\(\|used\| used\.end\(number\)\);//'
mutant 'a call under way does not count' "$stamp" 's/\(_, PENDING\) => false,//'
mutant 'a number that is not known counts as done' "$stamp" 's/used\.number\.store\(PENDING, Ordering::Relaxed\)/used.number.store(0, Ordering::Relaxed)/'
mutant 'each of several threads takes the next number' "$stamp" 's/(fn taken\(self, clock: &Clock, _: &\[&LastUse\]\) -> u64 \{\s*)clock\.count_submission\(\)/$1clock.next().taken(clock, \&[])/'
mutant 'the count shows nothing of the call' "$stamp" 's/clock\.submitted\.store\(number, Ordering::Release\)/clock.submitted.store(number, Ordering::Relaxed)/'
mutant 'a mark sees nothing of the calls' "$stamp" 's/(fn last_submitted.*?)Ordering::Acquire/$1Ordering::Relaxed/s'
mutant 'a call that failed is not counted' "$stamp" 's/clock\.submitted\.fetch_max\(number, Ordering::AcqRel\);//'
mutant 'the count falls after a failed call' "$stamp" 's/clock\.submitted\.fetch_max\(number, Ordering::AcqRel\)/clock.submitted.store(number, Ordering::Release)/'
mutant 'work without memory has the number of the work before' "$stamp" 's/Self::stamped\(uses\)\.unwrap_or_else\(\|\| clock\.after_last\(\)\)/Self::stamped(uses).unwrap_or_else(|| clock.after_last() - 1)/'
mutant 'work without memory is not counted after a failed call' "$stamp" 's/else \{ return clock\.count_submission\(\) \}/else { return clock.after_last() }/'
mutant 'a number that was known does not raise the count' "$stamp" 's/map\(\|used\| used\.number\.load\(Ordering::Relaxed\)\)/map(|used| used.number.load(Ordering::Relaxed) - 1)/'
mutant 'all memory seems idle to the fast path' "$stamp" 's/unless_equal\(self\.stream\.load\(Ordering::Acquire\), NEVER\)/unless_equal(NEVER, NEVER)/'
mutant 'what is done falls' "$stamp" 's/self\.done\.fetch_max\(mark, Ordering::AcqRel\)/self.done.store(mark, Ordering::Release)/'
mutant 'what is done among others is lost' "$stamp" 's/self\.done\.fetch_max\(mark, Ordering::AcqRel\);//'
mutant 'the end of a wait shows nothing of it' "$stamp" 's/compare_exchange\(before, mark, Ordering::AcqRel/compare_exchange(before, mark, Ordering::Relaxed/'
mutant 'who sees what is done sees nothing of the wait' "$stamp" 's/(fn done\(&self.*?)Ordering::Acquire/$1Ordering::Relaxed/s'
mutant 'use by a second stream is not noted' "$stamp" 's/before == NEVER \|\| before == stream \{ stream \} else \{ SEVERAL \}/true { stream } else { SEVERAL }/'
mutant 'a known number is used for memory that another stream uses' "$stamp" 's/last == NEVER \|\| last == stream/true/'
mutant 'one operand without another stream is enough for a known number' "$timeline" 's/uses\.iter\(\)\.all\(/uses.iter().any(/'
mutant 'a wait that failed counts as done' "$timeline" 's/(\s*end\(\);\n)(\s*Err\(error\)\n)/$1self.succeeded(covers);$2/'
mutant 'a failure is noted after the wait has ended' "$timeline" 's/(if let Some\(code\) = failed\(&error\) \{.*?\n                \}\n)(\s*end\(\);)/$2$1/s'
mutant 'nobody waits for a note that is under way' "$timeline" 's/while under_way\(\) \{\s*yield_now\(\);\s*\}//'
mutant 'a wait for the context does not let waits for a stream end' "$timeline" 's/let_end\(under_way\);\n(\s*self\.succeeded\(covers\);)/$1/'
mutant 'a failure is not noted' "$timeline" 's/self\.failures\.note\(.*?\);//'
mutant 'a slot is claimed by a thread that did not clear its bit' "$free_slots" 's/& bit != 0 \{/\& bit != 1 {/'
mutant 'a slot is claimed before the last thread is seen to have left it' "$free_slots" 's/fetch_and\(!bit, Ordering::Acquire\)/fetch_and(!bit, Ordering::Relaxed)/'
mutant 'a slot is given back without what was done with it' "$free_slots" 's/fetch_or\(1 << index, Ordering::Release\)/fetch_or(1 << index, Ordering::Relaxed)/'
mutant 'a slot is held without what was put into it' "$slot" 's/compare_exchange\(from, to, Ordering::Acquire,/compare_exchange(from, to, Ordering::Relaxed,/'
mutant 'a slot is held by two threads' "$slot" 's/self\.change\(row, HELD\)/self.change(row, row)/'
mutant 'a row is taken without being visible' "$slot" 's/store\(address_of::<T>\(&row\), Ordering::Release\)/store(address_of::<T>(\&row), Ordering::Relaxed)/'
mutant 'a look into a slot ends unseen' "$slot" 's/store\(self\.row, Ordering::Release\)/store(self.row, Ordering::Relaxed)/'
mutant 'a slot is given back while it has its row' "$slot" 's/core::mem::forget\(self\);/let was = self.row; core::mem::forget(self);/; s/slot\.state\.store\(EMPTY, Ordering::Relaxed\)/slot.state.store(was, Ordering::Relaxed)/'
mutant 'a row that has left cannot come back' "$shelf" 's/(fn vacate.*?)row\.place\(\)\.clear\(\);/$1/s'
mutant 'a row is put on its shelf twice' "$shelf" 's/if row\.place\(\)\.begin\(\) \{/if row.place().begin() || true {/'
mutant 'a row that another thread is still adding counts as added' "$shelf" 's/if self\.has\(row\) \{\s+return;/if true {\n return;/'
mutant 'the row of another object is removed' "$slot" 's/match self\.change\(row, HELD\)/match self.change(self.state.load(Ordering::Relaxed).max(HELD + 1), HELD)/'
mutant 'a slot with the row of another object becomes spare' "$slot" 's/self\.change\(address_of\(row\), SPARE\)/{ let _ = row; self.change(self.state.load(Ordering::Relaxed).max(SPARE + 1), SPARE) }/'
mutant 'a slot with the row of another object becomes empty' "$slot" 's/self\.change\(address_of\(row\), EMPTY\)/{ let _ = row; self.change(self.state.load(Ordering::Relaxed).max(SPARE + 1), EMPTY) }/'
mutant 'a slot that another thread holds becomes spare' "$slot" 's/self\.change\(address_of\(row\), SPARE\)\.is_ok\(\)/[address_of(row), HELD].contains(\&self.state.swap(SPARE, Ordering::Acquire))/'
mutant 'a slot that another thread holds becomes empty' "$slot" 's/self\.change\(address_of\(row\), EMPTY\)\.is_ok\(\)/[address_of(row), HELD].contains(\&self.state.swap(EMPTY, Ordering::Acquire))/'
mutant 'a spare slot is claimed by two threads' "$slot" 's/if self\.change\(SPARE, EMPTY\)\.is_err\(\) \{/if !self.is_spare() {/'
mutant 'a slot that is claimed counts as spare' "$slot" 's/if self\.change\(SPARE, EMPTY\)\.is_err\(\) \{/if self.change(SPARE, EMPTY).is_err() \&\& self.state.load(Ordering::Relaxed) != EMPTY {/'
mutant 'a spare slot seems to have its row' "$slot" 's/EMPTY \| SPARE => return None/EMPTY => return None/'
mutant 'a spare slot is counted' "$slot" 's/\.filter\(\|slot\| !slot\.is_spare\(\)\)//'
mutant 'a spare slot that nothing leads to is lost' "$shelf" 's/if let Some\(claim\) = self\.groups\(\)\.find_map\(Group::claim_spare\) \{\s*return claim;\s*\}//'
mutant 'the shelf never has a spare slot' "$shelf" 's/let has_spare = .*?;/let has_spare = true;/; s/refers_to_nothing && self\.last\(\)/refers_to_nothing \&\& false \&\& self.last()/'
mutant 'the fast path removes a row and leaves it its place' "$shelf" 's/true => row\.place\(\)\.clear\(\),/true => (),/'
mutant 'a row outside the last slot is removed and leaves it its place' "$shelf" 's/(fn take_out_at_once.*?)row\.place\(\)\.clear\(\);/$1/s'
mutant 'a row outside the last slot is removed and keeps its slot' "$shelf" 's/(fn take_out_at_once.*?)group\.give_back\(index\)/$1()/s'
mutant 'rows that nobody names are seen without a fence' "$unreferenced" 's/\n    fence\(Ordering::Acquire\);//'
mutant 'a name that goes leaves nothing' "$sharing" 's/whole\.left\.leave\(&self\.last_use\);//'
mutant 'what was left does not go to the block' "$sharing" 's/self\.left\.settle\(self\.row\.last_use\(\)\);//'
mutant 'the last number that is left counts, not the greatest' "$sharing" 's/place\.number\.fetch_max\(number, Ordering::Relaxed\);/place.number.store(number, Ordering::Relaxed);/'
mutant 'a place is claimed by a load and a store' "$sharing" 's/match place\.stream\.compare_exchange\(NONE, stream, Ordering::Relaxed, Ordering::Relaxed\) \{/let claimed = match place.stream.load(Ordering::Relaxed) { NONE => { place.stream.store(stream, Ordering::Relaxed); Ok(NONE) } taken => Err(taken) }; match claimed {/'
mutant 'a place of another stream is taken' "$sharing" 's/Err\(taken\) if taken != stream => \{\}/Err(taken) if taken != stream \&\& taken == NONE => {}/'
mutant 'more streams than places are not noted' "$sharing" 's/(            \}\n        \}\n)        self\.note_several\(\);\n/$1/'
mutant 'work on several streams is not noted' "$sharing" 's/self\.several\.store\(true, Ordering::Relaxed\);//'
mutant 'an owner does not ask for other names' "$sharing" 's/self\.whole\.as_mut\(\)\.and_then\(SharedArc::get_mut\)\.ok_or\(NotOnly::Shared\)\?;/self.whole.as_ref().ok_or(NotOnly::Shared)?;/; s/self\.last_use\.mark_idle\(\);\s*whole\.left = LeftUses::nothing\(\);//'
mutant 'an owner does not ask what was left' "$sharing" 's/ \|\| !whole\.left\.is_over\(has_done, are_idle\)//'
mutant 'an owner does not ask its own stamp' "$sharing" 's/!self\.last_use\.is_over\(&has_done, &are_idle\) \|\| //'
mutant 'an owner that takes the block leaves what is over' "$sharing" 's/whole\.left = LeftUses::nothing\(\);//'
mutant 'one thing that is over stands for all that was left' "$sharing" 's/self\.awaited\(\)\.all\(/self.awaited().any(/'
mutant 'several streams count as over' "$sharing" 's/Awaited::Several => are_idle\(\)/Awaited::Several => { let _ = \&are_idle; true }/'
mutant 'the block awaits the last stream alone' "$sharing" 's/ if used\.is_marked_idle\(\) =>/ =>/'
mutant 'what the block is to await of several streams is over' "$stamp" 's/(fn follow_several.*?)self\.stream\.store\(SEVERAL, Ordering::Release\);/$1self.stream.store(NEVER, Ordering::Release);/s'
# The mark of a capture.
mutant 'a capture that did not begin leaves its mark' "$gate" 's/if before & CLOSED != 0 \{\s*self\.end_capture\(\);\s*\}//'
mutant 'a destroyed stream is captured' "$gate" 's/before & FLAGS == 0\n/before & CAPTURING == 0\n/'
mutant 'a stream is captured twice' "$gate" 's/before & FLAGS == 0\n/before & CLOSED == 0\n/'
mutant 'the begin of a capture forgets who is inside' "$gate" 's/fetch_or\(REFUSES \| CAPTURING,/swap(REFUSES | CAPTURING,/'
mutant 'a captured stream lets waits in' "$gate" 's/fetch_or\(REFUSES \| CAPTURING,/fetch_or(CAPTURING,/'
mutant 'an object that is being destroyed lets waits in' "$gate" 's/fetch_or\(REFUSES \| CLOSED,/fetch_or(CLOSED,/'
mutant 'an object that is destroyed at once lets waits in' "$gate" 's/compare_exchange\(0, REFUSES \| CLOSED,/compare_exchange(0, CLOSED,/'
mutant 'a gate refuses for good' "$gate" 's/word & !\(flag \| REFUSES\)/word \& !flag/'
mutant 'a gate lets in when one of two reasons ends' "$gate" 's/false => word & !flag/false => word \& !(flag | REFUSES)/'
mutant 'a reason to refuse stays' "$gate" 's/true => word & !\(flag \| REFUSES\)/true => word \& !REFUSES/'
mutant 'who is turned away counts as inside for good' "$gate" 's/self\.turn_away\(\);//'
mutant 'who leaves never learns of others' "$gate" 's/(fn leave\(.*?)AcqRel\) != 1/$1AcqRel) > u32::MAX - 1/s'
mutant 'who leaves alone hears of others' "$gate" 's/(fn leave\(.*?)AcqRel\) != 1/$1AcqRel) != u32::MAX/s'
mutant 'who leaves sees nothing of those that left before' "$gate" 's/(fn leave\(.*?)Ordering::AcqRel/$1Ordering::Release/s'
mutant 'who leaves shows nothing of what it did' "$gate" 's/(fn leave\(.*?)Ordering::AcqRel/$1Ordering::Acquire/s'
mutant 'the begin of a capture does not see the end of the last' "$gate" 's/fetch_or\(REFUSES \| CAPTURING, Ordering::AcqRel/fetch_or(REFUSES | CAPTURING, Ordering::Relaxed/'
mutant 'the end of a capture forgets who is inside' "$gate" 's/word & !\(flag \| REFUSES\)/0/'
mutant 'the end of a capture shows nothing of it' "$gate" 's/cleared\(word\), Ordering::AcqRel/cleared(word), Ordering::Acquire/'
mutant 'who asks for a capture sees nothing of its end' "$gate" 's/Acquire\) & CAPTURING/Relaxed) & CAPTURING/'
mutant 'a captured stream takes other work' "$gate" 's/Relaxed\) & FLAGS == 0/Relaxed) & CLOSED == 0/'
mutant 'a capture counts as a call inside' "$gate" 's/Acquire\) & !FLAGS/Acquire) & !CLOSED/'
mutant 'who destroys waits for a capture to end' "$gate" 's/while self\.inside\(\) != 0/while self.0.load(Ordering::Acquire) != REFUSES | CLOSED/'
mutant 'who gives up waiting destroys all the same' "$gate" 's/(if !goes_on\(\) \{\s*return )false/$1true/'
mutant 'an object that is gone is destroyed again' "$gate" 's/ & CLOSED == 0\n/ < u32::MAX\n/'
mutant 'who destroys at once does not look who is inside' "$gate" 's/compare_exchange\(0, REFUSES \| CLOSED, Ordering::AcqRel, Ordering::Relaxed\)\.is_ok\(\)/fetch_or(REFUSES | CLOSED, Ordering::AcqRel) \& CLOSED == 0/'
mutant 'an object that was destroyed at once takes work without a look' "$admission" 's/(let closed = gate\.close_at_once\(\);\s*if closed \{\s*)self\.set\(CheckReason::Destroyed, true\);/$1/'
mutant 'a stream that was not destroyed loses its mark' "$gate" 's/false => word & !flag/false => word \& !FLAGS/'
# The cache of functions.
mutant 'a function is kept before it is asked whether calls are checked' "$cache" 's/if is_plain\(&self\.mark\) \{(.*?)\}/$1 if !is_plain(\&self.mark) { place.store(null_mut(), Ordering::Relaxed); }/s; s/self\.keeping\.fetch_(add|sub)\(1, Ordering::\w+\);//g'
mutant 'nobody waits for who keeps a function' "$cache" 's/while self\.keeping.*?\}\n//s'
mutant 'who forgets functions only looks who keeps some' "$cache" 's/fetch_add\(0, Ordering::AcqRel\)/load(Ordering::Acquire)/'
mutant 'who forgets functions shows nothing of the change before' "$cache" 's/fetch_add\(0, Ordering::AcqRel\)/fetch_add(0, Ordering::Acquire)/'
mutant 'who keeps a function sees nothing of the change before' "$cache" 's/keeping\.fetch_add\(1, Ordering::AcqRel\)/keeping.fetch_add(1, Ordering::Relaxed)/'
mutant 'who has kept a function shows nothing of it' "$cache" 's/keeping\.fetch_sub\(1, Ordering::Release\)/keeping.fetch_sub(1, Ordering::Relaxed)/'
mutant 'a function is not kept' "$cache" 's/place\.store\(address, Ordering::Release\);//'
mutant 'who keeps a function shows nothing of its file' "$cache" 's/place\.store\(address, Ordering::Release\)/place.store(address, Ordering::Relaxed)/'
mutant 'who finds a function sees nothing of its file' "$cache" 's/\.load\(Ordering::Acquire\);\n(\s*\/\/ SAFETY: `transmute_copy`)/.load(Ordering::Relaxed);\n$1/'
# What a stream takes on a fast path.
mutant 'a captured stream takes work without a look' "$admission" 's/self\.set\(CheckReason::Capturing, true\);//'
mutant 'a stream looks captured for good' "$admission" 's/self\.set\(CheckReason::Capturing, false\);//'
mutant 'the next capture begins before the mark of the last is gone' "$admission" 's/(self\.set\(CheckReason::Capturing, false\);)(\s*)(gate\.end_capture\(\);)/$3$2$1/'
mutant 'a destroyed stream takes work without a look' "$admission" 's/(let shut = gate\.shut\(\);\s*if shut \{\s*)self\.set\(CheckReason::Destroyed, true\);/$1/'
mutant 'who destroys an object does not wait for those inside' "$admission" 's/ && gate\.becomes_empty\(\|\| true\)//'
mutant 'a stream that was not destroyed looks gone for good' "$admission" 's/self\.set\(CheckReason::Destroyed, false\);//'
mutant 'a reason that ends takes the others with it' "$admission" 's/fetch_and\(!\(reason as u64\), /fetch_and(!(0xF << 60), /'
mutant 'a reason that begins takes the others away' "$admission" 's/self\.0\.fetch_or\(reason as u64, /self.0.swap(reason as u64 | 7, /'
# An allocator that is in use.
mutant 'an allocator is taken out while it is used' "$in_place" 's/compare_exchange\(0, CHANGING, Ordering::Acquire, Ordering::Relaxed\)/fetch_update(Ordering::Acquire, Ordering::Relaxed, |word| (word < CHANGING).then_some(word + CHANGING))/'
mutant 'an allocator is taken out before its uses are seen' "$in_place" 's/compare_exchange\(0, CHANGING, Ordering::Acquire,/compare_exchange(0, CHANGING, Ordering::Relaxed,/'
mutant 'a use ends unseen' "$in_place" 's/fetch_sub\(1, Ordering::Release\)/fetch_sub(1, Ordering::Relaxed)/'
mutant 'a use begins without what was done before' "$in_place" 's/fetch_add\(1, Ordering::Acquire\)/fetch_add(1, Ordering::Relaxed)/'
mutant 'a use begins where there is no allocator' "$in_place" 's/ < CHANGING;/ < usize::MAX;/'
mutant 'a use that did not begin is counted' "$in_place" 's/if !is_there \{\s*self\.end\(\);\s*\}//'
mutant 'a use that begins while the allocator changes is let in' "$in_place" 's/ < CHANGING;/ \& VACANT == 0;/'
mutant 'an allocator is there before it is put there' "$in_place" 's/word \^ VACANT \^ CHANGING/word ^ VACANT/; s/self\.word\.fetch_sub\(CHANGING, Ordering::Release\);//'
mutant 'an allocator is put there unseen' "$in_place" 's/fetch_sub\(CHANGING, Ordering::Release\)/fetch_sub(CHANGING, Ordering::Relaxed)/'
mutant 'an allocator is put there before the last one is seen to be gone' "$in_place" 's/fetch_update\(Ordering::Acquire, Ordering::Relaxed, changing\)/fetch_update(Ordering::Relaxed, Ordering::Relaxed, changing)/'
mutant 'an allocator is taken out unseen' "$in_place" 's/fetch_add\(VACANT - CHANGING, Ordering::Release\)/fetch_add(VACANT - CHANGING, Ordering::Relaxed)/'
mutant 'an allocator is put where one is' "$in_place" 's/word & SHUT == VACANT/word \& CHANGING == 0/'
# The blocks of an allocator.
mutant 'a block is lent unseen' "$places" 's/store\(LENT, Ordering::Release\)/store(LENT, Ordering::Relaxed)/'
mutant 'a block comes back without what was put there' "$places" 's/swap\(FREE, Ordering::Acquire\)/swap(FREE, Ordering::Relaxed)/'
mutant 'a block comes back twice' "$places" 's/let before = place\.state\.swap\(FREE, Ordering::Acquire\);/let before = place.state.load(Ordering::Acquire); place.state.store(FREE, Ordering::Relaxed);/'
mutant 'a place is free before its block is out' "$places" 's/(let block = place\.block\.with_mut)/slot.of.give_back(slot.index); $1/; s/self\.slot\.of\.give_back\(self\.slot\.index\);//'
mutant 'who lends a block only looks whether it is marked' "$places" 's/marks\.fetch_or\(false, Ordering::AcqRel\)/marks.load(Ordering::Acquire)/'
mutant 'who lends a block shows nothing of it' "$places" 's/marks\.fetch_or\(false, Ordering::AcqRel\)/marks.fetch_or(false, Ordering::Acquire)/'
mutant 'who marks only notes it' "$places" 's/marks\.swap\(true, Ordering::AcqRel\)/marks.store(true, Ordering::Release)/'
mutant 'who marks sees no block that was lent before' "$places" 's/marks\.swap\(true, Ordering::AcqRel\)/marks.swap(true, Ordering::Relaxed)/'
mutant 'a block that came back is marked' "$places" 's/self\.state\.compare_exchange\(LENT, MARKED, Ordering::Relaxed, Ordering::Relaxed\)/Ok::<u32, u32>(self.state.swap(MARKED, Ordering::Relaxed))/'
mutant 'a marked block says nothing of it' "$places" 's/was_marked: before == MARKED/was_marked: false/'
# The blocks of a pool that came back.
mutant 'two threads take one block' "$recent" 's/NonZeroUsize::new\(slot\.swap\(0, Ordering::Acquire\)\)/{ let was = slot.load(Ordering::Acquire); slot.store(0, Ordering::Relaxed); NonZeroUsize::new(was) }/'
mutant 'a block is put where another one is' "$recent" 's/slot\.compare_exchange\(0, address\.get\(\), Ordering::Release, Ordering::Relaxed\)\.is_ok\(\)/{ slot.store(address.get(), Ordering::Release); true }/'
exit "$((lived > 0))"
