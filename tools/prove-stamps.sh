#!/bin/sh
# Proves the models in `proof/` with z3, for any number of streams, threads and submissions. Then changes a step of a
# model at a time: z3 has to find a state in which the changed step breaks the claim.
#
#   tools/prove-stamps.sh             # takes minutes
#   tools/prove-stamps.sh --claims    # without the changed models; takes seconds
#
# A file of `proof/` says after `claim:` what must have no counterexample, and after `possible:` what must have an
# example, so that the claims are not about nothing. Changed models are searched in a world with two things of each sort. `docs/proof.md` says which line of the code each step stands for.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v z3 >/dev/null; then
    echo "skipped: z3 is not installed"
    exit 0
fi
copy=$(mktemp -d)
trap 'rm -r "$copy"' EXIT

failed=0
for model in "$root"/proof/*.smt2; do
    z3 -T:300 "$model" >"$copy/said"
    claims=0
    while read -r name && read -r answer; do
        case "$name $answer" in
        "claim: "*" unsat" | "possible: "*" sat") claims=$((claims + 1)) ;;
        *)
            echo "NOT PROVEN: $(basename "$model"): $name: $answer"
            failed=$((failed + 1))
            ;;
        esac
    done <"$copy/said"
    asked=$(grep -c '(echo "' "$model")
    if [ "$claims" -ne "$asked" ]; then
        echo "NOT PROVEN: $(basename "$model"): $claims of $asked"
        failed=$((failed + 1))
    fi
    echo "proven: $(basename "$model"): $claims claims and examples"
done

if [ "${1:-}" = --claims ]; then
    exit "$((failed > 0))"
fi

mutant() { # model, name, substitution
    perl -0p -e "$3" "$root/proof/$1.smt2" >"$copy/mutant.smt2"
    if cmp -s "$copy/mutant.smt2" "$root/proof/$1.smt2"; then
        echo "does not apply: $1: $2"
        failed=$((failed + 1))
        return
    fi
    found=
    # z3 does not always find an answer with one way to write a sort of two values.
    for two in '(declare-datatypes ((\1 0)) (((\1-1) (\1-2))))' '(define-sort \1 () Bool)'; do
        sed "s/^(declare-sort \([A-Za-z]*\) 0)/$two/" "$copy/mutant.smt2" >"$copy/small.smt2"
        z3 -T:60 "$copy/small.smt2" >"$copy/said" || true
        found=$(awk '/^claim: / { name = $0; next } name != "" && $0 == "sat" { printf "%s; ", substr(name, 8) } { name = "" }' "$copy/said")
        if [ -n "$found" ]; then
            break
        fi
    done
    if [ -z "$found" ]; then
        echo "LIVES: $1: $2"
        failed=$((failed + 1))
    else
        echo "refuted: $1: $2: $found"
    fi
}

# src/ffi/stamp.rs, src/ffi/timeline.rs
mutant stamps 'memory gets its number after the call' 's/\(= \(select \(kind y\) b\) one-stream\) \(= \(select \(stream y\) b\) \(on w\)\)\s+\(= \(select \(last y\) b\) n\)/(= (select (kind y) b) one-stream) (= (select (stream y) b) (on w)) (= (select (last y) b) (select (last x) b))/'
mutant stamps 'the count is taken for the next number' 's/(\(define-fun begin-known .*?)\(\+ \(select \(submitted x\) \(on w\)\) 1\)/$1(select (submitted x) (on w))/s'
mutant stamps 'two threads have a stream' 's/(\(define-fun begin-known .*?)\(forall \(\(v Work\)\) \(=> \(and \(known v\) \(= \(on v\) \(on w\)\)\) \(not \(in-hand x v\)\)\)\)\n/$1/s'
mutant stamps 'a number is taken during the call of another that knows it' 's/(\(define-fun take-number .*?)\(forall \(\(v Work\)\) \(=> \(and \(known v\) \(= \(on v\) \(on w\)\)\) \(not \(in-hand x v\)\)\)\)\n/$1/s'
mutant stamps 'a known number is used for memory that another stream uses' 's/\(forall \(\(b Block\)\) \(=> \(uses w b\) \(is-of-this-stream x b w\)\)\)\n//'
mutant stamps 'the submission is not counted' 's/\(= \(submitted y\) \(store \(submitted x\) \(on w\) \(select \(number x\) w\)\)\)/(= (submitted y) (submitted x))/'
mutant stamps 'memory is not pending during the call' 's/(\(define-fun begin \(.*?)\(and \(select \(pending y\) b\)/$1(and (not (select (pending y) b))/s'
mutant stamps 'a first use does not name its stream' 's/\(and \(= \(select \(kind y\) b\) one-stream\) \(= \(select \(stream y\) b\) \(on w\)\)\s+\(= \(select \(last y\) b\) \(ite/(and (= (select (kind y) b) (select (kind x) b)) (= (select (stream y) b) (on w)) (= (select (last y) b) (ite/'
mutant stamps 'use by a second stream is not noted' 's/(\(define-fun begin \(.*?)\(= \(select \(kind y\) b\) several-streams\)/$1(and (= (select (kind y) b) one-stream) (= (select (stream y) b) (on w)) (= (select (last y) b) 0))/s'
mutant stamps 'two calls have one block in hand' 's/\(forall \(\(v Work\) \(b Block\)\) \(=> \(and \(uses w b\) \(uses v b\)\) \(not \(in-hand x v\)\)\)\)/true/'
mutant stamps 'work is queued with memory that was freed' 's/\(forall \(\(b Block\)\) \(=> \(uses w b\) \(not \(select \(freed x\) b\)\)\)\)\n/true\n/'
mutant stamps 'the number is taken before the call' 's/\(>= \(select \(step x\) w\) 2\)\)\s+\(select \(select \(covers x\) u\) w\)/(>= (select (step x) w) 4)) (select (select (covers x) u) w)/'
mutant stamps 'two submissions get one number' 's/\(= \(submitted y\) \(store \(submitted x\) \(on w\) n\)\)/(= (submitted y) (submitted x))/'
mutant stamps 'the memory does not get the number' 's/\(= \(select \(last y\) b\) \(select \(number x\) w\)\)\)/(= (select (last y) b) (select (last x) b)))/'
mutant stamps 'the mark is taken after the wait' 's/\(let \(\(s \(for t\)\)\)\s+\(and \(= \(select \(waiting x\) t\) 2\)/(let ((s (for t))) (and (= (select (mark x) t) (select (submitted x) s)) (= (select (waiting x) t) 2)/; s/\(store \(mark x\) t \(select \(submitted x\) \(for t\)\)\)/(store (mark x) t (select (mark y) t))/; s/\(<= \(select \(number x\) w\) \(select \(mark x\) t\)\)/(<= (select (number x) w) 0)/; s/\(<= \(select \(mark x\) t\) \(select \(submitted x\) \(for t\)\)\)/true/'
mutant stamps 'a wait that failed counts as done' 's/(\(define-fun wait-fails.*?)\(same-streams x y\)/$1(= (submitted y) (submitted x)) (= (done y) (store (done x) (for t) (select (submitted x) (for t))))/s'
mutant stamps 'the library answers too early' 's/\(forall \(\(w Work\)\) \(=> \(select \(select \(covers x\) t\) w\) \(select \(complete x\) w\)\)\)\n//'
mutant stamps 'memory is at rest before the wait' 's/(\(define-fun rest.*?)\(and \(= \(select \(step x\) w\) 4\) \(has-done x \(on w\) \(select \(number x\) w\)\)\)/$1(= (select (step x) w) 4)/s'
mutant stamps 'memory follows work that does not come after' 's/\(=> \(and \(uses w b\) \(>= \(select \(step x\) w\) 1\)\) \(and \(= \(select \(step x\) w\) 4\) \(before w v\)\)\)/(=> (and (uses w b) (>= (select (step x) w) 1)) (= (select (step x) w) 4))/'
mutant stamps 'a call under way does not count' 's/\(and \(not \(select \(pending x\) b\)\)\s+\(ite/(and true (ite/'
mutant stamps 'several streams count as over' 's/\(forall \(\(s Stream\)\) \(is-idle x s\)\)/true/'
mutant stamps 'one idle stream stands for several' 's/\(forall \(\(s Stream\)\) \(is-idle x s\)\)/(is-idle x (select (stream x) b))/'
mutant stamps 'memory is freed without a look' 's/\(and \(is-over x b\) \(not \(select \(freed x\) b\)\)/(and true/'

# src/ffi/sharing.rs
mutant names 'a name that goes leaves nothing' 's/\(= \(select \(awaits x\) n\) nothing\) \(not \(owned x\)\)\n/(not (owned x))\n/'
mutant names 'the last number that is left counts' 's/\(ite \(< \(select \(left x\) s\) \(select \(number x\) n\)\) \(select \(number x\) n\) \(select \(left x\) s\)\)/(select (number x) n)/'
mutant names 'a place is not claimed' 's/\(= \(claimed y\) \(store \(claimed x\) \(select \(on x\) n\) true\)\)/(= (claimed y) (claimed x))/'
mutant names 'several streams are not noted' 's/\(= \(left-several y\) true\)/(= (left-several y) (left-several x))/'
mutant names 'the pointer goes before the stamp is left' 's/(\(define-fun go .*?\(= \(select \(at x\) n\)) 3\)/$1 2)/s'
mutant names 'what was left does not go to the block' 's/\(= \(kind y\) several\)\)\)\)/(= (kind y) (kind x)))))/'
mutant names 'the block awaits the last stream alone' 's/\(forall \(\(u Stream\)\) \(=> \(select \(claimed x\) u\) \(= u s\)\)\)/true/'
mutant names 'what the block awaited before is forgotten' 's/(\(exists \(\(s Stream\)\) .*?)\(= \(last y\) \(select \(left x\) s\)\)/$1(= (last y) 0)/s'
mutant names 'an owner does not ask for other names' 's/\(forall \(\(m Name\)\) \(=> \(not \(= m n\)\) \(or \(= \(select \(at x\) m\) 0\) \(= \(select \(at x\) m\) 4\)\)\)\)\n//'
mutant names 'an owner does not ask its own stamp' 's/\(is-over x n\) \(left-is-over x\)/(left-is-over x)/'
mutant names 'an owner does not ask what was left' 's/\(is-over x n\) \(left-is-over x\)/(is-over x n)/'
mutant names 'several that are left count as over' 's/\(=> \(left-several x\) \(is-idle x\)\)/true/'
mutant names 'a name is made of one that has gone' 's/\(and \(= \(select \(at x\) n\) 1\) \(= \(select \(at x\) m\) 0\) \(not \(owned x\)\)/(and (= (select (at x) m) 0)/'

# src/ffi/gate.rs
mutant gate 'a call does not look at the flag' 's/\(ite \(closed g\) 2 1\)/1/'
mutant gate 'a call is not counted' 's/\(\+ \(count g\) 1\)/(count g)/'
mutant gate 'a call that is turned away leaves twice' 's/\(= \(at h\) \(store \(at g\) c 0\)\)/(= (at h) (ite (= (select (at g) c) 2) (at g) (store (at g) c 0)))/'
mutant gate 'nobody waits for the calls inside' 's/\(and \(closed g\) \(= \(count g\) 0\)/(and (closed g)/'
mutant gate 'the gate is not closed before' 's/\(and \(closed g\) \(= \(count g\) 0\)/(and (= (count g) 0)/'
mutant gate 'a capture forgets who is inside' 's/\(gate \(closed g\) \(not \(capturing g\)\) \(count g\)/(gate (closed g) (not (capturing g)) 0/'
mutant gate 'a capture opens the gate' 's/\(gate \(closed g\) \(not \(capturing g\)\)/(gate false (not (capturing g))/'
mutant gate 'what is gone is opened again' 's/\(gate false \(capturing g\) \(count g\) false/(gate false (capturing g) (count g) (gone g)/'
exit "$((failed > 0))"
