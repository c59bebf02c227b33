//! The call that queues work, between its stamps.

/// Queues work by the call that the last argument gives the [`ReadyAnswer`](super::answer::ReadyAnswer) of: an
/// expression, which is compiled in place. What [`RawStream::submit`](super::RawStream::submit) asks before was asked
/// for `$ready`.
macro_rules! queue_work {
    ($queue:expr, $here:expr, $ready:expr, $doing:expr, $uses:expr, |$by:ident, $stream:ident| $call:expr) => {{
        let (queue, here, $by) = ($queue, $here, $ready);
        let $stream = queue.handle();
        $crate::ffi::timeline::submitted!(queue.timeline(), $uses, $call.success($doing), |error, number| queue
            .settles(here, error, number))
    }};
}
pub(super) use queue_work;
