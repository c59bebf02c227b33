//! The macro that queues work: it makes the call between its stamps.

/// Queues work. The last argument is an expression that makes the call and gives its
/// [`ReadyAnswer`](super::answer::ReadyAnswer); it is compiled in place. `$ready` and `$ticket` come from
/// [`ready_for_work`](super::RawStream::ready_for_work) or [`look_before_work`](super::RawStream::look_before_work).
macro_rules! queue_work {
    (
        $queue:expr,
        $here:expr,
        $ready:expr,
        $ticket:expr,
        $doing:expr,
        $uses:expr,
        |$by:ident, $stream:ident| $call:expr
    ) => {{
        let (queue, here, $by) = ($queue, $here, $ready);
        $crate::ffi::timeline::submitted!(
            queue.timeline(),
            $ticket,
            $uses,
            {
                let $stream = queue.handle();
                $call.or_answer()
            },
            move |answer, number| queue.settles(here, $doing, answer, number)
        )
    }};
}
pub(super) use queue_work;
