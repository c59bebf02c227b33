//! Streams and memory of this crate that objects of other crates keep.

use crate::brand::{Brand, INSIDE, Scoped, StreamOfOneThread};
use crate::current::Current;
use crate::element::{Element, ElementType};
use crate::error::{Error, Failed, ObjectKind};
use crate::ffi::{RawBuffer, RawStream, TensorMemory};
use crate::memory::{DeviceBuffer, SharedBuffer, check_cast};
use crate::operator::{IdleInputs, OperatorInputs};
use crate::stream::{Stream, StreamOps, Undecided};
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use core::ops::Deref;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// A [`Stream`] that an object of another crate has, without the type of its context: the object is `'static`.
///
/// The context keeps the stream, and does not collect it, as long as this value exists.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let kept = current.stream()?.keep();
/// // The object calls its library with the handle …
/// assert!(!kept.with_raw(|stream| stream.is_null())?);
/// // … and the program queues work on the stream.
/// let lent = kept.lend(current)?;
/// lent.set_bytes(current, current.device_buffer::<u8>(64)?, 1)?.wait(current)?;
/// kept.into_stream(current)?.destroy(current)?;
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[must_use = "the stream is in here; `into_stream` gives it back"]
pub struct KeptStream {
    queue: Arc<RawStream>,
    _not_shared: StreamOfOneThread,
}

assert_impl_all!(KeptStream: Send);
assert_not_impl_any!(KeptStream: Sync, Clone);

/// A [`KeptStream`] in its context. It dereferences to its [`StreamOps`].
pub struct LentStream<'s, C: Brand> {
    tasks: StreamOps<C>,
    _kept: &'s KeptStream,
}

assert_not_impl_any!(LentStream<'static, Scoped<'static>>: Send, Sync, Clone);

impl<C: Brand> Deref for LentStream<'_, C> {
    type Target = StreamOps<C>;

    fn deref(&self) -> &StreamOps<C> {
        &self.tasks
    }
}

/// Device memory of this crate that an object of another crate keeps. It is not collected as long as this value exists.
///
/// The owner of the value, which has given the address to other code, drops the value when no work uses the memory any
/// more.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let kept = current.upload(&[1.0_f32, 2.0])?.keep();
/// assert_eq!(kept.bytes(), 8);
/// // The memory stays as long as `kept` exists.
/// assert!(current.collect().is_empty());
/// assert!(!kept.start().is_null());
/// // Nobody else uses the memory any more: it becomes a buffer again.
/// let buffer = kept.into_buffer::<f32, _>(current)?;
/// assert_eq!(buffer.to_vec(current)?, [1.0, 2.0]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct KeptMemory {
    block: Arc<RawBuffer>,
    /// Whether all of it was written when it was kept.
    is_written: bool,
}

/// The elements of memory that is kept: an [`Element`], for memory that was written, or `MaybeUninit` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the elements of kept memory",
    label = "expected a type of numbers, or `MaybeUninit` of one for memory that was not written",
    note = "MEM-07: `kept.into_buffer::<f32, _>(current)?`, or `kept.into_buffer::<MaybeUninit<f32>, _>(current)?`",
    note = "see `ascendcl-explain MEM-07`"
)]
pub trait KeptElement: sealed::KeptElement {}

impl<E: sealed::KeptElement> KeptElement for E {}

mod sealed {
    use crate::element::Element;
    use core::mem::MaybeUninit;

    pub trait KeptElement {
        const IS_WRITTEN: bool;
    }

    impl<E: Element> KeptElement for E {
        const IS_WRITTEN: bool = true;
    }

    impl<E: Element> KeptElement for MaybeUninit<E> {
        const IS_WRITTEN: bool = false;
    }
}

/// A tensor of the program, as a function of another library takes it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RawTensor {
    /// The type of its elements.
    pub element: ElementType,
    /// Its sizes, outermost first.
    pub dims: Vec<i64>,
    /// Its memory.
    pub memory: KeptMemory,
}

impl<C: Brand> Stream<C, Undecided> {
    /// The stream for an object of another crate, which registers an allocator for the stream with another library, for
    /// example.
    pub fn keep(self) -> KeptStream {
        KeptStream { queue: Arc::clone(self.queue()), _not_shared: StreamOfOneThread::NEW }
    }
}

impl<C: Brand> StreamOps<C> {
    /// Calls a function of another library that takes the stream and queues nothing on it.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let stream = current.stream()?;
    /// let is_null = stream.with_raw(current, |handle| handle.is_null())?;
    /// assert!(!is_null);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Capturing`] while the stream is captured; [`Error::WrongContext`] in another context of a runtime with
    /// the same name; [`Error::Forked`] in a forked child. The function was not called then.
    #[rule(STREAM_09)]
    pub fn with_raw<R>(&self, _current: &Current<C>, call: impl FnOnce(*mut c_void) -> R) -> Result<R, Error> {
        self.queue().with_raw(call)
    }
}

impl KeptStream {
    /// The stream, for work on it.
    ///
    /// # Errors
    ///
    /// [`Error::WrongContext`] in another context than its own.
    #[rule(STREAM_09)]
    pub fn lend<'s, C: Brand>(&'s self, current: &'s Current<C>) -> Result<LentStream<'s, C>, Error> {
        self.check_context(current)?;
        Ok(LentStream { tasks: StreamOps::new(Arc::clone(&self.queue)), _kept: self })
    }

    /// Calls a function of another library that takes the stream and queues nothing on it. The stream's context has to be
    /// current on this thread, although no [`Current`] is named: a runtime's is in [`Runtime::with`](crate::Runtime::with).
    /// This is possible also while the context ends ([`Attach::take_down`](crate::raw::Attach::take_down)).
    ///
    /// # Errors
    ///
    /// As for [`StreamOps::with_raw`]; [`Error::WrongContext`] also where no context is current; [`Error::Gone`] when the
    /// stream was destroyed with its context.
    #[rule(STREAM_09)]
    pub fn with_raw<R>(&self, call: impl FnOnce(*mut c_void) -> R) -> Result<R, Error> {
        self.queue.with_raw(call)
    }

    /// The stream as it was before it was [kept](Stream::keep).
    ///
    /// # Errors
    ///
    /// Returns this value unchanged, with [`Error::WrongContext`] in another context than its own.
    pub fn into_stream<C: Brand>(self, current: &Current<C>) -> Result<Stream<C, Undecided>, Failed<Self>> {
        match self.check_context(current) {
            Ok(()) => Ok(Stream::of(self.queue)),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    fn check_context<C: Brand>(&self, current: &Current<C>) -> Result<(), Error> {
        current.ledger().api().check_process()?;
        self.queue.check_context(current.here()).map_err(Error::from)
    }
}

impl<C: Brand, E> DeviceBuffer<C, E> {
    /// An error unless an object of another crate can use the memory. [`keep`](Self::keep) does not check that. Nothing
    /// is called.
    ///
    /// # Errors
    ///
    /// [`Error::InDoubt`] when work that could not be waited for may use the memory, or [`Error::WrongContext`].
    #[rule(MEM_02, MEM_11)]
    pub fn check_usable(&self, current: &Current<C>) -> Result<(), Error> {
        self.block().check_ready_for_work(current.here())
    }

    /// The memory for an object of another crate, whose work may use it. The memory is collected when the object has
    /// dropped the [`KeptMemory`], or [becomes a buffer again](KeptMemory::into_buffer).
    pub fn keep(self) -> KeptMemory
    where
        E: KeptElement,
    {
        let block = Arc::new(RawBuffer::into_part(self.into_row()));
        KeptMemory { block, is_written: E::IS_WRITTEN }
    }
}

impl<C: Brand, E: Element> SharedBuffer<C, E> {
    /// As [`DeviceBuffer::check_usable`].
    ///
    /// # Errors
    ///
    /// As for [`DeviceBuffer::check_usable`].
    #[rule(MEM_02, MEM_11)]
    pub fn check_usable(&self, current: &Current<C>) -> Result<(), Error> {
        self.block().check_ready_for_work(current.here())
    }

    /// This handle of the memory for an object of another crate, whose work may read it: others read it, too. The
    /// memory is collected when all handles were dropped, this one with the [`KeptMemory`].
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let weights = current.upload(&[1.0_f32, 2.0])?.into_shared();
    /// let kept = weights.clone().keep();
    /// assert_eq!(kept.start(), weights.as_raw());
    /// drop(kept);
    /// weights.try_unshare(current)?.free(current)?;
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    #[rule(MEM_02)]
    pub fn keep(self) -> KeptMemory {
        KeptMemory { block: Arc::new(self.into_part()), is_written: true }
    }
}

impl KeptMemory {
    /// Where it begins, in device memory.
    pub fn start(&self) -> *mut c_void {
        self.block.start()
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.block.bytes()
    }

    /// The memory as a buffer again, if this is the last handle of it. Nothing is waited for. Other code must not use
    /// the address any more.
    ///
    /// The elements may have another type than those that were [kept](DeviceBuffer::keep). What other code has written
    /// to memory that was kept as `MaybeUninit` does not count as written: this crate did not see it.
    ///
    /// # Errors
    ///
    /// Returns this value unchanged, with [`Error::StillShared`] if there is another handle: a clone, a
    /// [`SharedBuffer`], a tensor, or an arena; and for memory that [`tensors`] described of a tensor with a block of its
    /// own, also after that tensor was dropped. [`Error::StillRunning`] if work that this crate has queued may use the
    /// memory; [`Error::InDoubt`] for memory in doubt; [`Error::WrongContext`] in another context than its own, or when
    /// that has ended; [`Error::NotWritten`] if the memory was not written when it was kept and `E` is no
    /// `MaybeUninit`; [`Error::CannotCast`] when it does not begin at a multiple of the alignment of `E`, or its length
    /// is no multiple of the size of `E`; [`Error::Forked`] in a forked child.
    #[rule(MEM_02, MEM_07, MEM_11)]
    pub fn into_buffer<E: KeptElement, C: Brand>(
        self,
        current: &Current<C>,
    ) -> Result<DeviceBuffer<C, E>, Failed<Self>> {
        if let Err(error) = self.check_becomes::<E, C>(current) {
            return Err(Failed { error, value: self });
        }
        let Self { block, is_written } = self;
        match Arc::try_unwrap(block) {
            Ok(part) => match current.ledger().unshare(part) {
                Ok(block) => Ok(DeviceBuffer::of(block)),
                Err((error, part)) => Err(Failed { error, value: Self { block: Arc::new(part), is_written } }),
            },
            Err(block) => Err(Failed { error: Error::StillShared, value: Self { block, is_written } }),
        }
    }

    fn check_becomes<E: KeptElement, C: Brand>(&self, current: &Current<C>) -> Result<(), Error> {
        current.ledger().api().check_process()?;
        self.block.check_ready_for_work(current.here())?;
        if E::IS_WRITTEN && !self.is_written {
            return Err(Error::NotWritten { what: ObjectKind::DEVICE_MEMORY });
        }
        // The memory of a tensor that has one owner belongs to that one.
        if !self.block.is_part() {
            return Err(Error::StillShared);
        }
        check_cast::<E>(&self.block)
    }

    pub(super) fn block(&self) -> &Arc<RawBuffer> {
        &self.block
    }
}

/// Tensors of the program as a function of another library takes them; `None` for an input that is left out. None of
/// them is in flight: nothing orders the other library's work behind work of a stream of this crate.
///
/// The work has to own the tensors themselves while it is in flight ([`InFlight`](crate::raw::InFlight)), so that
/// nobody writes or frees their memory meanwhile.
///
/// # Errors
///
/// [`Error::WrongContext`] for a tensor of another context, and [`Error::InDoubt`] for memory in doubt.
#[rule(MEM_11, STREAM_04, STREAM_09)]
pub fn tensors<C: Brand, I: OperatorInputs<C> + IdleInputs>(
    current: &Current<C>,
    inputs: &I,
) -> Result<Vec<Option<RawTensor>>, Error> {
    let parts = inputs.tensor_arguments(INSIDE).into_iter();
    let described = parts.map(|part| {
        let Some(TensorMemory { block, element, .. }) = part.memory else { return Ok(None) };
        block.check_ready_for_work(current.here())?;
        Ok(Some(RawTensor { element, dims: part.dims, memory: KeptMemory { block, is_written: true } }))
    });
    described.collect()
}

impl<C: Brand> fmt::Debug for LentStream<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tasks.queue().shown_as("LentStream", f)
    }
}

impl fmt::Debug for KeptStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.queue.shown_as("KeptStream", f)
    }
}
