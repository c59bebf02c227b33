//! Objects of other code.

use crate::brand::Brand;
use crate::current::Current;
use crate::element::Element;
use crate::error::Error;
use crate::memory::DeviceBuffer;
use crate::stream::{DefaultAllocator, Stream, Undecided};
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

impl<C: Brand> Current<C> {
    /// Adopts a stream that other code has made in this context, for example a framework's current stream. It is used
    /// like any stream, and the end of the scope waits for it. Other code destroys it.
    ///
    /// ```
    /// use ascendcl::Library;
    /// use ascendcl_sys::types::aclrtStream;
    /// use std::ptr::{self, NonNull};
    ///
    /// # ascendcl::run(Library::Simulator, |current| {
    /// // Other code makes a stream, and hands its handle over.
    /// let (library, mut theirs) = (current.library(), aclrtStream(ptr::null_mut()));
    /// // SAFETY: the context is current, and the answer goes to a live local.
    /// let answer = unsafe { library.as_raw().aclrtCreateStream(&raw mut theirs) };
    /// library.check_call("create a stream", "aclrtCreateStream", answer)?;
    ///
    /// # if let Some(theirs) = NonNull::new(theirs.0) {
    /// // SAFETY: this is a stream of this context, it has no allocator, and other code destroys it after `destroy`.
    /// let stream = unsafe { current.adopt_stream(theirs) }?;
    /// let set = stream.set_bytes(current, current.device_buffer::<u8>(4)?, 7)?.wait(current)?;
    /// assert_eq!(set.to_vec(current)?, [7; 4]);
    /// // This ends the value, and not the stream.
    /// stream.destroy(current)?;
    /// # }
    ///
    /// // SAFETY: no value of this crate stands for the stream any more.
    /// let answer = unsafe { library.as_raw().aclrtDestroyStream(theirs) };
    /// library.check_call("destroy a stream", "aclrtDestroyStream", answer)?;
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// * `stream` is a stream of this context, and stays one until the returned value was
    ///   [destroyed](crate::Stream::destroy), or the scope has ended without an error.
    /// * This crate has not made it, and no other value of this crate stands for it during that time.
    /// * During that time no code outside this crate captures it. While this crate captures it, no other code queues work on
    ///   it.
    /// * No allocator of the caller's is registered on it.
    /// * Other code that uses the stream at the same time accepts that all work runs in the order in which it is
    ///   queued, and that the order between two threads is undefined (THREAD-03).
    ///
    /// # Errors
    ///
    /// [`Error::Forked`] in a forked child.
    #[rule(STREAM_01, STREAM_09, THREAD_03)]
    #[allow(unsafe_code, reason = "a declaration only: the caller vouches for the stream")]
    pub unsafe fn adopt_stream(&self, stream: NonNull<c_void>) -> Result<Stream<C, DefaultAllocator>, Error> {
        self.ledger().api().check_process()?;
        Ok(Stream::<C, Undecided>::of(self.ledger().adopt_stream(stream)).without_allocator())
    }

    /// Adopts device memory of other code, for `length` elements. It is used like any buffer. Other code frees it.
    ///
    /// # Safety
    ///
    /// * At `start` there are `length` elements of this type, in memory of this context's device, and they have been
    ///   written (MEM-07).
    /// * They stay there until the returned value was [freed](crate::DeviceBuffer::free), or the scope has ended without
    ///   an error (MEM-02).
    /// * No other code writes them during that time, and no other code reads them while work of this crate may write
    ///   them. The same holds for every other value of this crate that stands for some of these bytes.
    /// * They begin at a multiple of 64 bytes if an operator or a model uses them (MEM-08). The crate does not check this for
    ///   memory of other code.
    ///
    /// # Errors
    ///
    /// [`Error::Forked`] in a forked child; [`Error::TooShort`] when no memory can hold `length` elements.
    #[rule(MEM_02, MEM_07, MEM_11)]
    #[allow(unsafe_code, reason = "a declaration only: the caller vouches for the memory")]
    pub unsafe fn adopt_memory<E: Element>(
        &self,
        start: NonNull<c_void>,
        length: usize,
    ) -> Result<DeviceBuffer<C, E>, Error> {
        self.ledger().api().check_process()?;
        DeviceBuffer::<C, MaybeUninit<E>>::adopted(self.ledger(), start, length)
    }
}
