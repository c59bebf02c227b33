; The stamps of `src/ffi/stamp.rs` and `src/ffi/timeline.rs`: memory that work may still use is never taken for idle. For
; any number of streams, blocks, submissions and waits.
;
; The steps of all threads interleave in any order. The orderings of the atomic operations are not part of this model:
; loom runs the code with them (`tests/stamps/`).

(declare-sort Stream 0)
(declare-sort Block 0)
(declare-sort Work 0)
(declare-sort Wait 0)

(declare-fun on (Work) Stream)        ; the stream that the work is for
(declare-fun uses (Work Block) Bool)  ; the memory that it uses
(declare-fun known (Work) Bool)       ; its number is known before the call (`Next`); of other work it is not (`Unknown`)
(declare-fun before (Work Work) Bool) ; the second begins after the first: a task that waits for an event behind it
(declare-fun for (Wait) Stream)       ; the stream that a wait is for
(declare-const several-streams Int)   ; the kinds of stamps, as numbers
(declare-const never Int)
(declare-const one-stream Int)
(assert (and (= never 0) (= one-stream 1) (= several-streams 2)))

; `step` of work: 0 not begun, 1 its blocks have their stamp, 2 the library has it, 3 it has got a number that was not
; known, 4 it is counted, and its blocks have its number.
; `step` of a wait: 0 outside, 1 it has its mark, 2 the library waits.
(declare-datatypes ((World 0)) (((world
  (submitted (Array Stream Int)) (done (Array Stream Int))
  (step (Array Work Int)) (number (Array Work Int))
  (complete (Array Work Bool))               ; the device has done it
  (kind (Array Block Int)) (stream (Array Block Stream)) (last (Array Block Int)) (pending (Array Block Bool))
  (freed (Array Block Bool))
  (waiting (Array Wait Int)) (mark (Array Wait Int))
  (covers (Array Wait (Array Work Bool)))))))  ; what the library had when the wait called it

; --- What the code asks.

(define-fun has-done ((x World) (s Stream) (n Int)) Bool (<= n (select (done x) s)))
; `Clock::is_idle`
(define-fun is-idle ((x World) (s Stream)) Bool (has-done x s (select (submitted x) s)))
; `LastUse::is_over`
(define-fun is-over ((x World) (b Block)) Bool
  (or (= (select (kind x) b) never)
      (and (not (select (pending x) b))
           (ite (= (select (kind x) b) several-streams)
                (forall ((s Stream)) (is-idle x s))
                (has-done x (select (stream x) b) (select (last x) b))))))
; Work that the device may be doing.
(define-fun runs ((x World) (w Work)) Bool (and (>= (select (step x) w) 2) (not (select (complete x) w))))
; A call that queues work with this block is under way. It has the block: nobody else queues work with it.
(define-fun in-hand ((x World) (w Work)) Bool (and (<= 1 (select (step x) w)) (<= (select (step x) w) 3)))

; --- What always holds.

(define-fun steps ((x World)) Bool
  (and (forall ((w Work)) (and (<= 0 (select (step x) w)) (<= (select (step x) w) 4)))
       (forall ((t Wait)) (and (<= 0 (select (waiting x) t)) (<= (select (waiting x) t) 2)))
       (forall ((b Block)) (and (<= 0 (select (kind x) b)) (<= (select (kind x) b) 2)))))
(define-fun numbers ((x World)) Bool
  (and (forall ((w Work)) (=> (>= (select (step x) w) 3)
         (and (<= 1 (select (number x) w)) (<= (select (number x) w) (select (submitted x) (on w))))))
       (forall ((s Stream)) (and (<= 0 (select (done x) s)) (<= 0 (select (submitted x) s))))))
; What has a number up to the mark of a wait was with the library before the wait called it.
(define-fun marks ((x World)) Bool
  (forall ((t Wait) (w Work))
    (=> (and (= (on w) (for t)) (>= (select (step x) w) 3) (<= (select (number x) w) (select (mark x) t)))
        (and (=> (= (select (waiting x) t) 2) (select (select (covers x) t) w))))))
(define-fun marks-are-past ((x World)) Bool
  (forall ((t Wait)) (=> (>= (select (waiting x) t) 1) (<= (select (mark x) t) (select (submitted x) (for t))))))
(define-fun done-is-complete ((x World)) Bool
  (forall ((w Work)) (=> (and (>= (select (step x) w) 3) (has-done x (on w) (select (number x) w)))
                         (select (complete x) w))))
(define-fun order ((x World)) Bool
  (forall ((v Work) (w Work)) (=> (and (before w v) (select (complete x) v)) (select (complete x) w))))
(define-fun done-was-submitted ((x World)) Bool
  (forall ((s Stream)) (<= (select (done x) s) (select (submitted x) s))))
; A block in the hands of a call has a stamp that no wait reaches, and is in the hands of one call only.
(define-fun hands ((x World)) Bool
  (and (forall ((w Work) (b Block)) (=> (and (in-hand x w) (uses w b))
         (and (not (= (select (kind x) b) never)) (not (select (freed x) b))
              (or (= (select (kind x) b) several-streams) (= (select (stream x) b) (on w)))
              (= (select (pending x) b) (not (known w))))))
       (forall ((v Work) (w Work) (b Block))
         (=> (and (in-hand x v) (in-hand x w) (uses v b) (uses w b)) (= v w)))))
; A number that is known before the call is the next one, and that of one call only.
(define-fun next-numbers ((x World)) Bool
  (and (forall ((w Work)) (=> (and (known w) (in-hand x w))
         (and (<= (select (step x) w) 2) (= (select (number x) w) (+ (select (submitted x) (on w)) 1)))))
       (forall ((w Work) (b Block)) (=> (and (known w) (in-hand x w) (uses w b))
         (and (= (select (kind x) b) one-stream) (= (select (last x) b) (select (number x) w)))))
       (forall ((v Work) (w Work)) (=> (and (known v) (known w) (in-hand x v) (in-hand x w) (= (on v) (on w))) (= v w)))))
; A block's last submission is at most the next one, and a call in whose hand the block is gets a later number.
(define-fun last-uses ((x World)) Bool
  (and (forall ((b Block)) (=> (= (select (kind x) b) one-stream)
         (<= (select (last x) b) (+ (select (submitted x) (select (stream x) b)) 1))))
       (forall ((w Work) (b Block))
         (=> (and (uses w b) (= (select (step x) w) 3) (= (select (kind x) b) one-stream))
             (<= (select (last x) b) (select (number x) w))))))
; The last submission that a block's stamp names comes after this work.
(define-fun is-reached ((x World) (b Block) (w Work)) Bool
  (and (= (select (stream x) b) (on w)) (<= (select (number x) w) (select (last x) b))))
; The stamp of a block stands for all work that may use it.
(define-fun stamps ((x World)) Bool
  (forall ((w Work) (b Block)) (=> (and (uses w b) (runs x w) (= (select (step x) w) 4))
    (or (= (select (kind x) b) several-streams)
        (and (= (select (kind x) b) one-stream)
             (or (is-reached x b w)
                 (exists ((v Work)) (and (before w v) (= (select (step x) v) 4) (is-reached x b v)))))))))
; What is claimed: the device does not use memory that was freed.
(define-fun safe ((x World)) Bool
  (forall ((w Work) (b Block)) (=> (and (uses w b) (runs x w)) (not (select (freed x) b)))))
(define-fun inv ((x World)) Bool
  (and (steps x) (numbers x) (marks x) (marks-are-past x) (done-is-complete x) (done-was-submitted x) (hands x) (next-numbers x)
       (order x) (last-uses x) (stamps x) (safe x)))

; --- Steps. Each says what is new, and that the rest is as before.

(define-fun same-streams ((x World) (y World)) Bool (and (= (submitted y) (submitted x)) (= (done y) (done x))))
(define-fun same-blocks ((x World) (y World)) Bool
  (and (= (kind y) (kind x)) (= (stream y) (stream x)) (= (last y) (last x)) (= (pending y) (pending x))
       (= (freed y) (freed x))))
(define-fun same-waits ((x World) (y World)) Bool
  (and (= (waiting y) (waiting x)) (= (mark y) (mark x)) (= (covers y) (covers x))))
(define-fun same-work ((x World) (y World)) Bool
  (and (= (step y) (step x)) (= (number y) (number x)) (= (complete y) (complete x))))

(define-fun start ((y World)) Bool
  (and (forall ((s Stream)) (and (= (select (submitted y) s) 0) (= (select (done y) s) 0)))
       (forall ((w Work)) (and (= (select (step y) w) 0) (not (select (complete y) w))))
       (forall ((b Block)) (and (= (select (kind y) b) never) (not (select (pending y) b)) (not (select (freed y) b))))
       (forall ((t Wait)) (= (select (waiting y) t) 0))))

; Who queues work has the handles of all its operands: nobody has freed them, and no other call has them in hand.
(define-fun has-operands ((x World) (w Work)) Bool
  (and (forall ((b Block)) (=> (uses w b) (not (select (freed x) b))))
       (forall ((v Work) (b Block)) (=> (and (uses w b) (uses v b)) (not (in-hand x v))))))
(define-fun same-block ((x World) (y World) (b Block)) Bool
  (and (= (select (pending y) b) (select (pending x) b)) (= (select (kind y) b) (select (kind x) b))
       (= (select (stream y) b) (select (stream x) b)) (= (select (last y) b) (select (last x) b))))
(define-fun is-of-this-stream ((x World) (b Block) (w Work)) Bool
  (or (= (select (kind x) b) never) (and (= (select (kind x) b) one-stream) (= (select (stream x) b) (on w)))))

; `Timeline::next_for`, and `begin` of each block that the work uses. One thread has the stream: no other submission of a
; known number is under way there. No other stream may be using one of the blocks (`LastUse::is_free_for`).
(define-fun begin-known ((x World) (y World) (w Work)) Bool
  (let ((n (+ (select (submitted x) (on w)) 1)))
    (and (= (select (step x) w) 0) (known w) (has-operands x w)
         (forall ((v Work)) (=> (and (known v) (= (on v) (on w))) (not (in-hand x v))))
         (= (step y) (store (step x) w 1)) (= (number y) (store (number x) w n)) (= (complete y) (complete x))
         (same-waits x y) (= (freed y) (freed x)) (= (submitted y) (submitted x)) (= (done y) (done x))
         (forall ((b Block)) (=> (uses w b) (is-of-this-stream x b w)))
         (forall ((b Block)) (ite (uses w b)
           (and (not (select (pending y) b)) (= (select (kind y) b) one-stream) (= (select (stream y) b) (on w))
                (= (select (last y) b) n))
           (same-block x y b))))))

; `begin` of each block, where the number is not known. `last` keeps the number that the code replaces by PENDING; nothing
; reads it until `end`.
(define-fun begin ((x World) (y World) (w Work)) Bool
  (and (= (select (step x) w) 0) (not (known w)) (has-operands x w)
       (= (step y) (store (step x) w 1)) (= (number y) (number x)) (= (complete y) (complete x))
       (same-streams x y) (same-waits x y) (= (freed y) (freed x))
       (forall ((b Block)) (ite (uses w b)
         (and (select (pending y) b)
              (ite (is-of-this-stream x b w)
                   (and (= (select (kind y) b) one-stream) (= (select (stream y) b) (on w))
                        (= (select (last y) b) (ite (= (select (kind x) b) never) 0 (select (last x) b))))
                   (= (select (kind y) b) several-streams)))
         (same-block x y b)))))

; The call of the library. It may have queued the work, also when it answers with a failure.
(define-fun call ((x World) (y World) (w Work)) Bool
  (and (= (select (step x) w) 1)
       (= (step y) (store (step x) w 2)) (= (number y) (number x)) (= (complete y) (complete x))
       (same-streams x y) (same-blocks x y) (same-waits x y)))

; `Ticket::taken` of a known number: the count gets there after the call.
(define-fun count ((x World) (y World) (w Work)) Bool
  (and (= (select (step x) w) 2) (known w)
       (= (step y) (store (step x) w 4)) (= (number y) (number x)) (= (complete y) (complete x))
       (= (submitted y) (store (submitted x) (on w) (select (number x) w))) (= (done y) (done x))
       (same-blocks x y) (same-waits x y)))

; `Clock::count_submission`: the number is taken after the call. No submission of a known number is under way on the stream.
(define-fun take-number ((x World) (y World) (w Work)) Bool
  (let ((n (+ (select (submitted x) (on w)) 1)))
    (and (= (select (step x) w) 2) (not (known w))
         (forall ((v Work)) (=> (and (known v) (= (on v) (on w))) (not (in-hand x v))))
         (= (step y) (store (step x) w 3)) (= (number y) (store (number x) w n)) (= (complete y) (complete x))
         (= (submitted y) (store (submitted x) (on w) n)) (= (done y) (done x))
         (same-blocks x y) (same-waits x y))))

; `end`, of each block.
(define-fun end ((x World) (y World) (w Work)) Bool
  (and (= (select (step x) w) 3)
       (= (step y) (store (step x) w 4)) (= (number y) (number x)) (= (complete y) (complete x))
       (same-streams x y) (same-waits x y)
       (= (kind y) (kind x)) (= (stream y) (stream x)) (= (freed y) (freed x))
       (forall ((b Block)) (ite (uses w b)
         (and (not (select (pending y) b)) (= (select (last y) b) (select (number x) w)))
         (and (= (select (pending y) b) (select (pending x) b)) (= (select (last y) b) (select (last x) b)))))))

; The device completes work: in any order, but for waits for events.
(define-fun complete-work ((x World) (y World) (w Work)) Bool
  (and (>= (select (step x) w) 2) (forall ((v Work)) (=> (before v w) (select (complete x) v)))
       (= (step y) (step x)) (= (number y) (number x)) (= (complete y) (store (complete x) w true))
       (same-streams x y) (same-blocks x y) (same-waits x y)))

; `Timeline::covers`
(define-fun take-mark ((x World) (y World) (t Wait)) Bool
  (and (= (select (waiting x) t) 0)
       (= (waiting y) (store (waiting x) t 1)) (= (mark y) (store (mark x) t (select (submitted x) (for t))))
       (= (covers y) (covers x)) (same-streams x y) (same-blocks x y) (same-work x y)))
; The wait calls the library, which then waits for all work that it has on this stream.
(define-fun call-wait ((x World) (y World) (t Wait)) Bool
  (and (= (select (waiting x) t) 1)
       (= (waiting y) (store (waiting x) t 2)) (= (mark y) (mark x))
       (forall ((u Wait) (w Work)) (= (select (select (covers y) u) w)
         (ite (= u t) (and (= (on w) (for t)) (>= (select (step x) w) 2)) (select (select (covers x) u) w))))
       (same-streams x y) (same-blocks x y) (same-work x y)))
; The library answers success: everything that it had is complete (STREAM-09). `Clock::complete_up_to`
(define-fun wait-succeeds ((x World) (y World) (t Wait)) Bool
  (let ((s (for t)))
    (and (= (select (waiting x) t) 2)
         (forall ((w Work)) (=> (select (select (covers x) t) w) (select (complete x) w)))
         (= (waiting y) (store (waiting x) t 0)) (= (mark y) (mark x)) (= (covers y) (covers x))
         (= (done y) (store (done x) s (ite (< (select (done x) s) (select (mark x) t)) (select (mark x) t) (select (done x) s))))
         (= (submitted y) (submitted x)) (same-blocks x y) (same-work x y))))
; It answers with a failure: nothing is known.
(define-fun wait-fails ((x World) (y World) (t Wait)) Bool
  (and (= (select (waiting x) t) 2)
       (= (waiting y) (store (waiting x) t 0)) (= (mark y) (mark x)) (= (covers y) (covers x))
       (same-streams x y) (same-blocks x y) (same-work x y)))

; `rest`: whoever has the block's handle has waited for all work that used it.
(define-fun rest ((x World) (y World) (b Block)) Bool
  (and (forall ((w Work)) (=> (and (uses w b) (>= (select (step x) w) 1))
         (and (= (select (step x) w) 4) (has-done x (on w) (select (number x) w)))))
       (same-streams x y) (same-waits x y) (same-work x y)
       (= (stream y) (stream x)) (= (last y) (last x)) (= (pending y) (pending x)) (= (freed y) (freed x))
       (= (kind y) (store (kind x) b never))))

; `follow`: `v` waits for an event behind all work that used the block. Whoever has the block's handle says so.
(define-fun all-come-before ((x World) (b Block) (v Work)) Bool
  (forall ((w Work)) (=> (and (uses w b) (>= (select (step x) w) 1)) (and (= (select (step x) w) 4) (before w v)))))
(define-fun follow ((x World) (y World) (b Block) (v Work)) Bool
  (and (= (select (step x) v) 4) (all-come-before x b v)
       (same-streams x y) (same-waits x y) (same-work x y) (= (freed y) (freed x))
       (= (kind y) (store (kind x) b one-stream)) (= (stream y) (store (stream x) b (on v)))
       (= (last y) (store (last x) b (select (number x) v))) (= (pending y) (store (pending x) b false))))
; `follow_several`
(define-fun follow-several ((x World) (y World) (b Block)) Bool
  (and (forall ((w Work)) (=> (and (uses w b) (>= (select (step x) w) 1)) (= (select (step x) w) 4)))
       (same-streams x y) (same-waits x y) (same-work x y) (= (freed y) (freed x))
       (= (kind y) (store (kind x) b several-streams)) (= (stream y) (stream x))
       (= (last y) (store (last x) b 0)) (= (pending y) (store (pending x) b false))))

; Memory is freed.
(define-fun free ((x World) (y World) (b Block)) Bool
  (and (is-over x b) (not (select (freed x) b))
       (same-streams x y) (same-waits x y) (same-work x y)
       (= (kind y) (kind x)) (= (stream y) (stream x)) (= (last y) (last x)) (= (pending y) (pending x))
       (= (freed y) (store (freed x) b true))))

; --- Obligations: each is the negation of what is claimed, and has no model.

(declare-const x World)
(declare-const y World)
(declare-const w Work)
(declare-const t Wait)
(declare-const b Block)
(define-fun keeps ((step Bool)) Bool (and (inv x) step (not (inv y))))

(push) (echo "claim: start") (assert (and (start y) (not (inv y)))) (check-sat) (pop)
(push) (echo "claim: begin with a known number") (assert (keeps (begin-known x y w))) (check-sat) (pop)
(push) (echo "claim: count") (assert (keeps (count x y w))) (check-sat) (pop)
(push) (echo "claim: begin") (assert (keeps (begin x y w))) (check-sat) (pop)
(push) (echo "claim: call") (assert (keeps (call x y w))) (check-sat) (pop)
(push) (echo "claim: take a number") (assert (keeps (take-number x y w))) (check-sat) (pop)
(push) (echo "claim: end") (assert (keeps (end x y w))) (check-sat) (pop)
(push) (echo "claim: the device completes work") (assert (keeps (complete-work x y w))) (check-sat) (pop)
(push) (echo "claim: take a mark") (assert (keeps (take-mark x y t))) (check-sat) (pop)
(push) (echo "claim: call the wait") (assert (keeps (call-wait x y t))) (check-sat) (pop)
(push) (echo "claim: the wait succeeds") (assert (keeps (wait-succeeds x y t))) (check-sat) (pop)
(push) (echo "claim: the wait fails") (assert (keeps (wait-fails x y t))) (check-sat) (pop)
(push) (echo "claim: rest") (assert (keeps (rest x y b))) (check-sat) (pop)
(push) (echo "claim: follow") (assert (keeps (follow x y b w))) (check-sat) (pop)
(push) (echo "claim: follow several") (assert (keeps (follow-several x y b))) (check-sat) (pop)
(push) (echo "claim: free") (assert (keeps (free x y b))) (check-sat) (pop)

; --- What is claimed is about something: each of these has a model, with one stream, one block and one wait.

(define-fun small () Bool
  (and (forall ((c Block)) (= c b)) (forall ((u Wait)) (= u t)) (forall ((s Stream)) (= s (for t)))))
(push) (echo "possible: a block is idle, and is freed")
(assert (and small (forall ((v Work)) (= v w)) (inv x) (uses w b) (= (select (step x) w) 4)
             (= (select (kind x) b) one-stream) (is-over x b))) (check-sat) (pop)
(push) (echo "possible: work runs, and a wait for it is under way")
(assert (and small (forall ((v Work)) (= v w)) (inv x) (uses w b) (runs x w) (= (select (step x) w) 4)
             (= (select (waiting x) t) 2) (select (select (covers x) t) w))) (check-sat) (pop)
(push) (echo "possible: the device does work that is not counted yet")
(assert (and small (forall ((v Work)) (= v w)) (inv x) (uses w b) (known w) (runs x w) (= (select (step x) w) 2)
             (= (select (kind x) b) one-stream))) (check-sat) (pop)
