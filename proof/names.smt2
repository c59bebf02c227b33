; Shared memory, `src/ffi/sharing.rs`: a block with several names is not taken back, and its stamp does not end, while
; work of a name may run. For any number of names and streams.
;
; The stamp of each name is that of `stamps.smt2`: here it is what the name awaits, and it is right. Each step is one
; atomic operation, in any order of the threads. loom runs the code with its orderings (`tests/stamps/`).

(declare-sort Name 0)
(declare-sort Stream 0)
(define-fun nothing () Int 0)
(define-fun one () Int 1)
(define-fun several () Int 2)

; `at` of a name: 0 not made yet, 1 there, 2 it has claimed a place, 3 it has left what it awaits, 4 its pointer is gone.
(declare-datatypes ((World 0)) (((world
  (submitted (Array Stream Int)) (done (Array Stream Int))
  (at (Array Name Int)) (awaits (Array Name Int)) (on (Array Name Stream)) (number (Array Name Int))
  (claimed (Array Stream Bool)) (left (Array Stream Int)) (left-several Bool)  ; the places of `Left`
  (settled Bool) (kind Int) (stream Stream) (last Int)                         ; the block's own stamp
  (owned Bool)                                                                 ; one owner has the block
  (running (Array Name Bool))))))                                              ; the device may do work of the name

(define-fun is-idle ((x World)) Bool
  (forall ((s Stream)) (<= (select (submitted x) s) (select (done x) s))))
; What a name awaits is known to be complete.
(define-fun is-over ((x World) (n Name)) Bool
  (or (= (select (awaits x) n) nothing)
      (ite (= (select (awaits x) n) several) (is-idle x)
           (<= (select (number x) n) (select (done x) (select (on x) n))))))
; `LeftUses::is_over`
(define-fun left-is-over ((x World)) Bool
  (and (=> (left-several x) (is-idle x))
       (forall ((s Stream)) (=> (select (claimed x) s) (<= (select (left x) s) (select (done x) s))))))

; --- What always holds.

(define-fun kinds ((x World)) Bool
  (and (forall ((n Name)) (and (<= 0 (select (at x) n)) (<= (select (at x) n) 4)
                               (<= 0 (select (awaits x) n)) (<= (select (awaits x) n) 2)))
       (<= 0 (kind x)) (<= (kind x) 2)))
(define-fun numbers ((x World)) Bool
  (forall ((n Name)) (=> (= (select (awaits x) n) one)
                         (<= (select (number x) n) (select (submitted x) (select (on x) n))))))
; What `stamps.smt2` shows: the stamp of a name that is there is right.
(define-fun stamps-are-right ((x World)) Bool
  (and (forall ((n Name)) (=> (is-over x n) (not (select (running x) n))))
       (forall ((s Stream)) (<= (select (done x) s) (select (submitted x) s)))))
(define-fun in-the-places ((x World) (n Name)) Bool
  (or (= (select (awaits x) n) nothing) (left-several x)
      (and (= (select (awaits x) n) one) (select (claimed x) (select (on x) n))
           (<= (select (number x) n) (select (left x) (select (on x) n))))))
(define-fun claims ((x World)) Bool
  (forall ((n Name)) (=> (= (select (at x) n) 2)
    (and (= (select (awaits x) n) one) (select (claimed x) (select (on x) n))))))
; Work of a name that is gone is complete, or it is in the places, or the block's own stamp has it.
(define-fun nothing-is-lost ((x World)) Bool
  (forall ((n Name)) (=> (and (>= (select (at x) n) 3) (not (settled x)) (select (running x) n)) (in-the-places x n))))
(define-fun block-awaits ((x World) (n Name)) Bool
  (or (not (select (running x) n)) (= (kind x) several)
      (and (= (kind x) one) (= (select (awaits x) n) one) (= (stream x) (select (on x) n))
           (<= (select (number x) n) (last x)))))
(define-fun the-block-awaits-all ((x World)) Bool
  (=> (settled x) (forall ((n Name)) (and (or (= (select (at x) n) 0) (= (select (at x) n) 4))
                                          (=> (= (select (at x) n) 4) (block-awaits x n))))))
; What is claimed: an owner has the block alone, and no work of a name runs.
(define-fun owners ((x World)) Bool
  (=> (owned x) (forall ((n Name)) (=> (>= (select (at x) n) 1) (not (select (running x) n))))))
(define-fun inv ((x World)) Bool
  (and (kinds x) (numbers x) (stamps-are-right x) (claims x) (nothing-is-lost x) (the-block-awaits-all x) (owners x)))

; --- Steps.

(define-fun same-clocks ((x World) (y World)) Bool (and (= (submitted y) (submitted x)) (= (done y) (done x))))
(define-fun same-stamps ((x World) (y World)) Bool
  (and (= (awaits y) (awaits x)) (= (on y) (on x)) (= (number y) (number x)) (= (running y) (running x))))
(define-fun same-places ((x World) (y World)) Bool
  (and (= (claimed y) (claimed x)) (= (left y) (left x)) (= (left-several y) (left-several x))))
(define-fun same-block ((x World) (y World)) Bool
  (and (= (settled y) (settled x)) (= (kind y) (kind x)) (= (stream y) (stream x)) (= (last y) (last x))
       (= (owned y) (owned x))))

; `HandleStamp::first`
(define-fun start ((y World) (n Name)) Bool
  (and (forall ((m Name)) (= (select (at y) m) (ite (= m n) 1 0)))
       (forall ((m Name)) (and (= (select (awaits y) m) nothing) (not (select (running y) m))))
       (forall ((s Stream)) (and (= (select (submitted y) s) 0) (= (select (done y) s) 0)))
       (forall ((s Stream)) (and (not (select (claimed y) s)) (= (select (left y) s) 0)))
       (not (left-several y)) (not (settled y)) (not (owned y)) (<= 0 (kind y)) (<= (kind y) 2)))

; `HandleStamp::another`, by somebody who has a name.
(define-fun another ((x World) (y World) (n Name) (m Name)) Bool
  (and (= (select (at x) n) 1) (= (select (at x) m) 0) (not (owned x))
       (= (at y) (store (at x) m 1)) (= (awaits y) (store (awaits x) m nothing)) (= (on y) (on x)) (= (number y) (number x))
       (= (running y) (store (running x) m false))
       (same-clocks x y) (same-places x y) (same-block x y)))

; Work is queued with a name, on a stream: its stamp awaits that, or work on several streams.
(define-fun queue ((x World) (y World) (n Name) (s Stream)) Bool
  (and (= (select (at x) n) 1) (not (owned x))
       (= (submitted y) (store (submitted x) s (+ (select (submitted x) s) 1))) (= (done y) (done x))
       (= (at y) (at x)) (same-places x y) (same-block x y) (= (running y) (store (running x) n true))
       (= (on y) (store (on x) n s)) (= (number y) (store (number x) n (+ (select (submitted x) s) 1)))
       (= (awaits y) (store (awaits x) n
            (ite (or (= (select (awaits x) n) nothing) (and (= (select (awaits x) n) one) (= (select (on x) n) s))) one several)))))

; Other work is submitted, work completes, and waits succeed.
(define-fun clocks ((x World) (y World)) Bool
  (and (forall ((s Stream)) (and (<= (select (submitted x) s) (select (submitted y) s))
                                 (<= (select (done x) s) (select (done y) s))))
       (forall ((n Name)) (=> (select (running y) n) (select (running x) n)))
       (stamps-are-right y)
       (= (at y) (at x)) (= (awaits y) (awaits x)) (= (on y) (on x)) (= (number y) (number x))
       (same-places x y) (same-block x y)))

; `Drop` of a name, `LeftUses::leave`: what is at rest leaves nothing; several streams are noted.
(define-fun leave-nothing ((x World) (y World) (n Name)) Bool
  (and (= (select (at x) n) 1) (= (select (awaits x) n) nothing) (not (owned x))
       (= (at y) (store (at x) n 3)) (same-clocks x y) (same-stamps x y) (same-places x y) (same-block x y)))
(define-fun leave-several ((x World) (y World) (n Name)) Bool
  (and (= (select (at x) n) 1) (not (= (select (awaits x) n) nothing)) (not (owned x)) ; also where no place is free
       (= (at y) (store (at x) n 3)) (same-clocks x y) (same-stamps x y) (same-block x y)
       (= (claimed y) (claimed x)) (= (left y) (left x)) (= (left-several y) true)))
; A place that is free, or of this stream, by one exchange.
(define-fun claim ((x World) (y World) (n Name)) Bool
  (and (= (select (at x) n) 1) (= (select (awaits x) n) one) (not (owned x))
       (= (at y) (store (at x) n 2)) (same-clocks x y) (same-stamps x y) (same-block x y)
       (= (claimed y) (store (claimed x) (select (on x) n) true)) (= (left y) (left x))
       (= (left-several y) (left-several x))))
; `fetch_max`
(define-fun leave-number ((x World) (y World) (n Name)) Bool
  (let ((s (select (on x) n)))
    (and (= (select (at x) n) 2)
         (= (at y) (store (at x) n 3)) (same-clocks x y) (same-stamps x y) (same-block x y)
         (= (claimed y) (claimed x)) (= (left-several y) (left-several x))
         (= (left y) (store (left x) s (ite (< (select (left x) s) (select (number x) n)) (select (number x) n) (select (left x) s)))))))
; The pointer goes.
(define-fun go ((x World) (y World) (n Name)) Bool
  (and (= (select (at x) n) 3)
       (= (at y) (store (at x) n 4)) (same-clocks x y) (same-stamps x y) (same-places x y) (same-block x y)))

; `Drop` of the whole, by the last name that goes: `LeftUses::settle`.
(define-fun all-are-gone ((x World)) Bool
  (forall ((n Name)) (or (= (select (at x) n) 0) (= (select (at x) n) 4))))
(define-fun settle ((x World) (y World)) Bool
  (and (all-are-gone x) (not (settled x)) (not (owned x)) (= (settled y) true) (= (owned y) false)
       (same-clocks x y) (same-stamps x y) (same-places x y) (= (at y) (at x))
       (or (and (not (left-several x)) (forall ((s Stream)) (not (select (claimed x) s)))
                (= (kind y) (kind x)) (= (stream y) (stream x)) (= (last y) (last x)))
           (and (not (left-several x)) (= (kind x) nothing)
                (exists ((s Stream)) (and (select (claimed x) s) (forall ((u Stream)) (=> (select (claimed x) u) (= u s)))
                                          (= (kind y) one) (= (stream y) s) (= (last y) (select (left x) s)))))
           (= (kind y) several))))

; `HandleStamp::only`: the last name takes the block back.
(define-fun take-back ((x World) (y World) (n Name)) Bool
  (and (= (select (at x) n) 1) (not (owned x)) (not (settled x))
       (forall ((m Name)) (=> (not (= m n)) (or (= (select (at x) m) 0) (= (select (at x) m) 4))))
       (is-over x n) (left-is-over x)
       (= (owned y) true) (= (settled y) (settled x)) (= (kind y) (kind x)) (= (stream y) (stream x)) (= (last y) (last x))
       (= (at y) (at x)) (same-clocks x y) (same-places x y)
       (= (awaits y) (store (awaits x) n nothing)) (= (on y) (on x)) (= (number y) (number x))
       (= (running y) (running x))))

; --- Obligations: each is the negation of what is claimed, and has no model.

(declare-const x World)
(declare-const y World)
(declare-const n Name)
(declare-const m Name)
(declare-const s Stream)
(define-fun keeps ((step Bool)) Bool (and (inv x) step (not (inv y))))

(push) (echo "claim: start") (assert (and (start y n) (not (inv y)))) (check-sat) (pop)
(push) (echo "claim: another") (assert (keeps (another x y n m))) (check-sat) (pop)
(push) (echo "claim: queue") (assert (keeps (queue x y n s))) (check-sat) (pop)
(push) (echo "claim: clocks") (assert (keeps (clocks x y))) (check-sat) (pop)
(push) (echo "claim: leave nothing") (assert (keeps (leave-nothing x y n))) (check-sat) (pop)
(push) (echo "claim: leave several") (assert (keeps (leave-several x y n))) (check-sat) (pop)
(push) (echo "claim: claim") (assert (keeps (claim x y n))) (check-sat) (pop)
(push) (echo "claim: leave a number") (assert (keeps (leave-number x y n))) (check-sat) (pop)
(push) (echo "claim: go") (assert (keeps (go x y n))) (check-sat) (pop)
(push) (echo "claim: settle") (assert (keeps (settle x y))) (check-sat) (pop)
(push) (echo "claim: take back") (assert (keeps (take-back x y n))) (check-sat) (pop)

; --- What is claimed is about something: each of these has a model, with two names and one stream.

(define-fun small () Bool
  (and (not (= n m)) (forall ((k Name)) (or (= k n) (= k m))) (forall ((u Stream)) (= u s)) (= (select (done x) s) 0)))
(push) (echo "possible: a name is gone whose work runs, and another is there")
(assert (and small (inv x) (= (select (at x) n) 1) (= (select (at x) m) 4) (select (running x) m))) (check-sat) (pop)
(push) (echo "possible: the block awaits what names left")
(assert (and small (inv x) (settled x) (= (kind x) one) (= (last x) 1) (= (select (submitted x) s) 1)
             (select (running x) m) (= (select (awaits x) m) one) (= (select (awaits x) n) nothing) (not (owned x))
             (not (left-several x)) (= (select (at x) n) 4) (= (select (at x) m) 4) (not (select (running x) n))
             (= (select (number x) m) 1))) (check-sat) (pop)
