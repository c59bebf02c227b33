; The gate of `src/ffi/gate.rs`: an object is not destroyed while a call uses it, for any number of calls.
;
; A step is one atomic operation of the code. The flag `REFUSES` is not part of the model: each step that changes one of the
; two other flags changes it in the same operation, so it is set while the gate is closed or capturing, and at no other time.
; `mutants-of-stamps.sh` changes these operations. The steps of all threads interleave in any order. The orderings of the
; operations are not part of this model: loom runs the code with them (`tests/stamps/`).

(declare-sort Call 0)

; `at` of a call: 0 outside, 1 inside, 2 turned away but still counted.
; `place` is no part of the code: it numbers the calls that the counter counts.
(declare-datatypes ((Gate 0)) (((gate
  (closed Bool) (capturing Bool) (count Int)
  (gone Bool)                      ; the library has destroyed the object, or is about to
  (at (Array Call Int)) (place (Array Call Int))))))

(define-fun counted ((g Gate) (c Call)) Bool (not (= (select (at g) c) 0)))

; --- What always holds.

(define-fun each-call-has-a-place ((g Gate)) Bool
  (forall ((c Call)) (=> (counted g c) (and (<= 0 (select (place g) c)) (< (select (place g) c) (count g))))))
(define-fun no-two-have-one-place ((g Gate)) Bool
  (forall ((c Call) (d Call))
    (=> (and (counted g c) (counted g d) (= (select (place g) c) (select (place g) d))) (= c d))))
(define-fun nobody-is-inside-what-is-gone ((g Gate)) Bool
  (=> (gone g) (forall ((c Call)) (not (= (select (at g) c) 1)))))
(define-fun inv ((g Gate)) Bool
  (and (>= (count g) 0)
       (forall ((c Call)) (and (<= 0 (select (at g) c)) (<= (select (at g) c) 2)))
       (each-call-has-a-place g) (no-two-have-one-place g)
       (=> (gone g) (closed g)) (nobody-is-inside-what-is-gone g)))

; --- Steps.

(define-fun open ((h Gate)) Bool
  (and (not (closed h)) (not (capturing h)) (= (count h) 0) (not (gone h))
       (forall ((c Call)) (= (select (at h) c) 0))))

; `pass`: `fetch_add(1)`, and a look at the flag in what was there before. `pass_unless_captured` also turns calls away
; while the object is captured, which the model allows: to be turned away is to enter and leave.
(define-fun pass ((g Gate) (h Gate) (c Call)) Bool
  (and (= (select (at g) c) 0)
       (= h (gate (closed g) (capturing g)
                  (+ (count g) 1) (gone g)
                  (store (at g) c (ite (closed g) 2 1))
                  (store (place g) c (count g))))))

; `leave` and `Drop`: `fetch_sub(1)`. The call with the last place takes the place that becomes free.
(define-fun leave ((g Gate) (h Gate) (c Call)) Bool
  (and (counted g c)
       (= (closed h) (closed g)) (= (capturing h) (capturing g)) (= (gone h) (gone g))
       (= (count h) (- (count g) 1))
       (= (at h) (store (at g) c 0))
       (forall ((d Call))
         (= (select (place h) d)
            (ite (= (select (place g) d) (- (count g) 1)) (select (place g) c) (select (place g) d))))))

; `shut`, which is the first step of `close`: `fetch_or(REFUSES | CLOSED)`.
(define-fun shut ((g Gate) (h Gate)) Bool
  (= h (gate true (capturing g) (count g) (gone g) (at g) (place g))))

; The last look of `becomes_empty`, by the one thread that found it open: the object is destroyed after it.
(define-fun see-that-nobody-is-inside ((g Gate) (h Gate)) Bool
  (and (closed g) (= (count g) 0)
       (= h (gate (closed g) (capturing g) (count g) true (at g) (place g)))))

; `reopen`: the object was not destroyed, because the library refused or a call is still inside. Called by the thread that
; closed the gate. One `compare_exchange` that succeeds.
(define-fun reopen ((g Gate) (h Gate)) Bool
  (= h (gate false (capturing g) (count g) false (at g) (place g))))

; `begin_capture` and `end_capture` change their own bit.
(define-fun mark ((g Gate) (h Gate)) Bool
  (= h (gate (closed g) (not (capturing g)) (count g) (gone g) (at g) (place g))))

; --- Obligations: each is the negation of what is claimed, and has no model.

(declare-const g Gate)
(declare-const h Gate)
(declare-const c Call)

(push) (echo "claim: a new gate")
(assert (and (open h) (not (inv h)))) (check-sat) (pop)
(push) (echo "claim: pass")
(assert (and (inv g) (pass g h c) (not (inv h)))) (check-sat) (pop)
(push) (echo "claim: leave")
(assert (and (inv g) (leave g h c) (not (inv h)))) (check-sat) (pop)
(push) (echo "claim: shut")
(assert (and (inv g) (shut g h) (not (inv h)))) (check-sat) (pop)
(push) (echo "claim: see that nobody is inside")
(assert (and (inv g) (see-that-nobody-is-inside g h) (not (inv h)))) (check-sat) (pop)
(push) (echo "claim: reopen")
(assert (and (inv g) (reopen g h) (not (inv h)))) (check-sat) (pop)
(push) (echo "claim: mark")
(assert (and (inv g) (mark g h) (not (inv h)))) (check-sat) (pop)
(push) (echo "claim: who was let in finds the object")
(assert (and (inv g) (= (select (at g) c) 1) (gone g))) (check-sat) (pop)
(push) (echo "claim: a call that is let in was let in before the gate was closed")
(assert (and (inv g) (closed g) (pass g h c) (= (select (at h) c) 1))) (check-sat) (pop)

; --- What is claimed is about something: each of these has a model.

(push) (echo "possible: a call is inside a closed gate")
(assert (and (forall ((d Call)) (= d c)) (inv g) (closed g) (= (select (at g) c) 1))) (check-sat) (pop)
(push) (echo "possible: the object is gone, and a call was turned away")
(assert (and (forall ((d Call)) (= d c)) (inv g) (gone g) (= (select (at g) c) 2))) (check-sat) (pop)
