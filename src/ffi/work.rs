//! The macros that queue work: they make the call between its stamps.

/// Queues work by a function of the library. The function runs no code that could queue work, and the caller has the
/// stream's handle: `queue_alone!(stream, here, "record an event", [], |stream| aclrtRecordEvent(event, stream))`. The
/// macro is used in an unsafe block, whose comment says why the function's contract holds.
///
/// The first way is that of [`queue_at_once!`]. Everything else is a function by itself: further checks, and the look-up
/// of the function. The arguments are made anew there.
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
            None => $crate::ffi::seldom::seldom(move || {
                let (ready, ticket) = queue.look_before_work(here)?;
                $crate::ffi::work::queue_work!(queue, ready, ticket, $doing, $uses, |ready, $stream| {
                    $crate::ffi::call::call!(ready.$function($($argument),*))
                })
            }),
        }
    }};
}
pub(super) use queue_alone;

/// Like [`queue_alone!`], where that needs no further look; else `None`, and nothing has happened. It calls nothing but
/// the library.
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
        let function = match queue.ready_for_work(here, $uses) {
            Some(ticket) => $crate::ffi::call::found!(here.$function).map(|function| (function, ticket)),
            None => None,
        };
        match function {
            Some((function, ticket)) => Some($crate::ffi::timeline::submitted!(
                queue.timeline(),
                ticket,
                $uses,
                {
                    let $stream = queue.handle();
                    let code = function($($argument),*);
                    $crate::ffi::call::success_of::<$crate::ffi::call::functions::$function>(code)
                },
                move |answer, number| queue.settles($doing, answer, number)
            )),
            None => None,
        }
    }};
}
pub(super) use queue_at_once;

/// Queues work after the checks of [`look_before_work`](super::RawStream::look_before_work), which gave `$ready` and
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
            move |answer, number| queue.settles($doing, answer, number)
        )
    }};
}
pub(super) use queue_work;
