//! How a stream is made.

use super::{Stream, Undecided};
use crate::brand::Brand;
use crate::current::Current;
use crate::error::Error;
use crate::ffi::stream_flags;
use crate::life_cycle::leads;
use ascendcl_macros::rule;
use typed_builder::TypedBuilder;

/// How [`Current::stream_with`] makes a stream.
///
/// ```
/// use ascendcl::stream::StreamOptions;
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let urgent = current.stream_with(StreamOptions::builder().priority(0).fast_launch(true).build())?;
/// let later = current.stream_with(StreamOptions::builder().priority(7).build())?;
/// later.set_bytes(current, current.device_buffer::<u8>(64)?, 0)?.wait(current)?;
/// urgent.set_bytes(current, current.device_buffer::<u8>(64)?, 1)?.wait(current)?;
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, TypedBuilder)]
#[non_exhaustive]
pub struct StreamOptions {
    /// Which streams the device prefers: 0, the default, before all others, and 7 after all others. For the library, a
    /// larger number means 7.
    #[builder(default)]
    pub priority: u32,
    /// The library prepares what a launch needs when the stream is created (`ACL_STREAM_FAST_LAUNCH`): creating takes
    /// longer and more memory, queueing takes less time.
    #[builder(default)]
    pub fast_launch: bool,
    /// A thread that waits for the stream polls instead of sleeping (`ACL_STREAM_FAST_SYNC`). The wait returns earlier,
    /// and keeps a processor busy.
    #[builder(default)]
    pub fast_sync: bool,
    /// The first failure of queued work on any stream of the context stops all of them (`aclrtSetStreamFailureMode`,
    /// `ACL_STOP_ON_FAILURE`). Without it, a stream continues after a failure.
    ///
    /// One stream sets it for every stream of its context, those that exist and those that are created later. It cannot
    /// be taken back (STREAM-15). After a stop:
    ///
    /// * No stream of the context takes work, and every wait returns the failure, also on streams whose own work has not
    ///   failed and may still run. So no wait shows when that work ends.
    /// * A [`copy_scope`](Current::copy_scope) that is open aborts the process at its end, because it cannot wait for
    ///   the copies. So lend no slices in such a context.
    /// * What unfinished work uses stays allocated, and nothing reads, writes or frees it.
    /// * The context ends by force only: [`Runtime::close_by_force`](crate::Runtime::close_by_force), or
    ///   [`Device::recover`](crate::Device::recover) after the end of its scope. Other contexts go on until then. If
    ///   other parts of the program have also taken the device, each of them has to end its take, or to give it up by the
    ///   same calls. The last one resets the device.
    #[builder(default)]
    pub stop_on_failure: bool,
}

impl<C: Brand> Current<C> {
    /// Creates a stream with a priority and flags (`aclrtCreateStreamWithConfig`).
    ///
    /// # Errors
    ///
    /// As for [`stream`](Self::stream); [`Error::Vendor`] if the library refuses the options; [`Error::MissingFunction`]
    /// on releases that lack the function. There is no new stream then.
    #[rule(CTX_12, STREAM_11, STREAM_14, STREAM_15)]
    pub fn stream_with(&self, options: StreamOptions) -> Result<Stream<C, Undecided>, Error> {
        leads!(stream: Start --> Undecided : Create);
        let flags = stream_flags(options.fast_launch, options.fast_sync);
        let stream = self.ledger().create_stream_with(options.priority, flags).map(Stream::of)?;
        match options.stop_on_failure {
            true => stream.queue().stop_on_failure(self.ledger().api()).map(|()| stream),
            false => Ok(stream),
        }
    }
}
