//! The macros that queue work: they make the call between its stamps.

/// Queues work by a function of the library. The function runs no code that could queue work, and the caller has the
/// stream's handle: `queue_alone!(stream, here, "record an event", [], |stream| aclrtRecordEvent(event, stream))`. The
/// macro is used in an unsafe block, whose comment says why the function's contract holds.
///
/// The fast path is [`queue_at_once!`]. Further checks and the look-up of the function are out of line, where the
/// arguments are evaluated again.
///
/// After a failed call the stream is synchronised, whatever the code, because the library may have queued the work.
/// That wait has a limit of one second, because a hanging device is one cause of failure. When the time is up, the last
/// query may take a quarter of a second more. If the wait fails too, the memory that the call was to use is in doubt for
/// good. A call that never reached the library needs no wait and leaves no doubt.
macro_rules! queue_alone {
    ($queue:expr, $here:expr, $doing:expr, $uses:expr, |$stream:ident| { $($call:tt)+ }) => {
        $crate::ffi::work::queue_alone!($queue, $here, $doing, $uses, |$stream| $($call)+)
    };
    (
        $queue:expr,
        $here:expr,
        $doing:expr,
        $uses:expr,
        |$stream:ident| $function:ident($($argument:expr),* $(,)?)
    ) => {{
        let (queue, here) = ($queue, $here);
        match $crate::ffi::work::queue_at_once!(queue, here, $doing, $uses, |$stream| $function($($argument),*)) {
            Some(queued) => queued,
            None => $crate::ffi::cold_path::cold_path(move || {
                let (ready, ticket) = queue.check_before_work(here)?;
                $crate::ffi::work::queue_work!(queue, ready, ticket, $doing, $uses, |ready, $stream| {
                    $crate::ffi::call::call!(ready.$function($($argument),*))
                })
            }),
        }
    }};
}
pub(super) use queue_alone;

/// The fast path of [`queue_alone!`]. `None` when further checks are needed; then nothing has happened. It calls
/// nothing but the library.
macro_rules! queue_at_once {
    ($queue:expr, $here:expr, $doing:expr, $uses:expr, |$stream:ident| { $($call:tt)+ }) => {
        $crate::ffi::work::queue_at_once!($queue, $here, $doing, $uses, |$stream| $($call)+)
    };
    (
        $queue:expr,
        $here:expr,
        $doing:expr,
        $uses:expr,
        |$stream:ident| $function:ident($($argument:expr),* $(,)?)
    ) => {{
        let (queue, here) = ($queue, $here);
        let begun = $crate::ffi::work::begin_at_once!(
            queue,
            here,
            $crate::ffi::stamp::Obstacles::NONE,
            $uses,
            $uses,
            |$stream| $function($($argument),*),
            ()
        );
        match begun {
            Some(((), Ok(number))) => Some(Ok(number)),
            Some(((), Err(failed))) => {
                Some(Err($crate::ffi::cold_path::cold_path(move || queue.settle($doing, failed, $uses))))
            }
            None => {
                // Caches the function for the next call, in case it was not cached.
                let _ = $crate::ffi::call::cached!(here.$function);
                None
            }
        }
    }};
}
pub(super) use queue_at_once;

/// Like [`queue_at_once!`], for a caller that settles a failed call itself ([`RawStream::settle`]), before anything else
/// happens: what the call was to use counts as in use until then. `$obstacles` are those of the caller. `$keep` is
/// evaluated right before the call, and its value is returned with the result. If the result is `None`, the caller uses
/// [`queue_alone!`], which also caches the function. `$numbered` is as in
/// [`taken_or_answer!`](super::timeline::taken_or_answer).
///
/// The compiler does not know that settling never unwinds. A function that still had the operands then would have to
/// keep them in memory during every call, in order to drop them. So the caller moves them into the function that
/// settles.
///
/// [`RawStream::settle`]: super::RawStream::settle
macro_rules! begin_at_once {
    (
        $queue:expr,
        $here:expr,
        $obstacles:expr,
        $uses:expr,
        $numbered:expr,
        |$stream:ident| $function:ident($($argument:expr),* $(,)?),
        $keep:expr $(,)?
    ) => {{
        let (queue, here) = ($queue, $here);
        let function = match queue.ready_for_work(here, $obstacles, $uses) {
            Some(ticket) => $crate::ffi::call::cached_only!(here.$function).map(|function| (function, ticket)),
            None => None,
        };
        match function {
            Some((function, ticket)) => {
                let kept = $keep;
                let taken = $crate::ffi::timeline::taken_or_answer!(queue.timeline(), ticket, $uses, $numbered, {
                    let $stream = queue.handle();
                    let code = function($($argument),*);
                    $crate::ffi::call::success_of::<$crate::ffi::call::functions::$function>(code)
                });
                Some((kept, taken))
            }
            None => None,
        }
    }};
}
pub(super) use begin_at_once;

/// Queues work after the checks of [`check_before_work`](super::RawStream::check_before_work), which gave `$ready` and
/// `$ticket`. The last argument is an expression that makes the call and gives its
/// [`ReadyAnswer`](super::answer::ReadyAnswer); it is compiled in place.
macro_rules! queue_work {
    (
        $queue:expr,
        $ready:expr,
        $ticket:expr,
        $doing:expr,
        $uses:expr,
        |$by:ident, $stream:ident| $call:expr
    ) => {{
        let (queue, $by) = ($queue, $ready);
        $crate::ffi::timeline::submitted!(
            queue.timeline(),
            $ticket,
            $uses,
            {
                let $stream = queue.handle();
                $call.or_answer()
            },
            move |answer, number| queue.settle_call($doing, answer, number)
        )
    }};
}
pub(super) use queue_work;
