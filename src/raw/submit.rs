//! Work by functions that the safe layer does not have.

use super::call_result::CallResult;
use super::operands::Operands;
use crate::brand::{Brand, INSIDE};
use crate::current::Current;
use crate::error::Failed;
use crate::stream::{Pending, StreamOps};
use ascendcl_macros::rule;
use core::ffi::c_void;

impl<C: Brand> StreamOps<C> {
    /// Queues work by a function of the library, or of another library that queues on the same streams. `queue` gets
    /// the stream's handle and the memory of the operands. It queues the work and returns [what the function
    /// returned](CallResult). `call` is the function's name, for errors.
    ///
    /// The operands are in flight afterwards, as with all work of this crate: they come back by a wait.
    ///
    /// With newer drivers a copy of ordinary host memory takes place in the call, ahead of what is queued. So if such
    /// memory is an operand, this method first waits for the work on the stream that uses one of the operands, without a
    /// limit.
    ///
    /// The [page on raw handles](crate::raw) has an example.
    ///
    /// # Safety
    ///
    /// * `queue` queues work on the stream that it gets, and nowhere else (STREAM-04).
    /// * The work uses the memory of the operands inside of their bytes. It uses other memory only if that stays usable
    ///   until the stream was synchronised, which [`Pending::wait`] and the end of the scope do (MEM-02). It writes only
    ///   memory that nothing else uses meanwhile, and values of the elements' type. It writes all of an operand that was
    ///   not written before (`MaybeUninit`; MEM-07), and only reads [shared memory](crate::memory::SharedBuffer).
    /// * The work uses pinned and device memory in the stream's order, and not earlier. Ordinary host memory
    ///   ([`pageable_buffer`](Current::pageable_buffer)) is used by the call or by the queued work alone, not by
    ///   anything that runs beside the stream (COPY-05).
    /// * `queue` leaves the thread's current context as it is, destroys nothing, and does not unwind through C.
    ///
    /// # Errors
    ///
    /// Returns the operands unchanged, with [`Error::OtherStream`](crate::Error::OtherStream) when one is in flight
    /// elsewhere, and then `queue` has not run; [`Error::Vendor`](crate::Error::Vendor) with the code that it returned, or
    /// [`Error::MissingFunction`](crate::Error::MissingFunction) if the library lacks the function. Then the crate waits for
    /// the stream, one and a quarter seconds at most, because the library may have queued work. When the wait fails, the
    /// operands take no more work ([`Error::InDoubt`](crate::Error::InDoubt)).
    ///
    /// # Panics
    ///
    /// A panic of `queue` continues after the same wait; the operands are dropped.
    #[rule(MEM_02, STREAM_04, STREAM_09)]
    #[allow(unsafe_code, reason = "a declaration only: the caller vouches for the work")]
    pub unsafe fn submit<O: Operands<C>, R: CallResult>(
        &self,
        current: &Current<C>,
        call: &'static str,
        operands: O,
        queue: impl FnOnce(*mut c_void, O::Raw) -> R,
    ) -> Result<Pending<C, O::Out>, Failed<O>> {
        let queue = |stream, memory| queue(stream, memory).into_code(INSIDE);
        match operands.queue_with_operands(self.queue(), current, call, queue, INSIDE) {
            Ok(number) => {
                let past = operands.past_of_all(INSIDE);
                Ok(Pending::new(operands.given_back_by_work(INSIDE), self.queue(), number).after(past))
            }
            Err(error) => Err(Failed { error, value: operands }),
        }
    }
}
