//! One block of device memory that is handed out in buffers.

use super::{DeviceBuffer, bytes};
use crate::brand::{Brand, Mark, Scoped};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed, ObjectKind};
use crate::ffi::{Home, RawBuffer};
use ascendcl_macros::rule;
use core::fmt;
use core::mem::MaybeUninit;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// What a buffer's size is rounded up to, before the spare bytes (MEM-08).
const GRANULE: usize = 32;
/// The bytes behind a buffer that operators may write (MEM-08).
const SPARE: usize = 32;
/// Where buffers begin (MEM-08).
const ALIGNMENT: usize = 64;

/// One block of device memory (`aclrtMalloc`) that is handed out in buffers, without another call of the library.
///
/// Each buffer is an ordinary [`DeviceBuffer`] with an owner. Copies, sets, models and operators can use it like any other,
/// also while they use its neighbours on other streams. It begins at a multiple of 64 bytes. Behind it there are unused
/// bytes, because operators may write there.
///
/// ```
/// use ascendcl::memory::bytes_in_arena;
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let mut arena = current.device_arena(bytes_in_arena::<f32>(100) + bytes_in_arena::<i64>(4))?;
/// for request in 0..3 {
///     let values = arena.take::<f32>(100)?.zero(current)?;
///     let places = arena.take::<i64>(4)?.write(current, &[request; 4])?;
///     assert_eq!(places.to_vec(current)?, [request; 4]);
///     drop((values, places));
///     // All that was handed out has gone: the next request has the same memory.
///     arena.reset(current)?;
/// }
/// arena.free(current)?;
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
///
/// A buffer keeps the whole block, and may outlive the arena. The block is freed by [`Current::collect`] or the end of its
/// scope, when the arena and all of its buffers were dropped and no work in flight uses them. A buffer that was dropped
/// or freed gives nothing back to the arena before the next [`reset`](Self::reset).
#[rule(MEM_02, MEM_08, MEM_11, MEM_12)]
pub struct DeviceArena<C: Brand> {
    /// The arena's own handle of the block. Boxed, so that a [`Failed`] with an arena is no larger than other errors.
    whole: Box<RawBuffer>,
    /// The bytes that were handed out since the last reset.
    used: usize,
    _brand: Mark<C>,
}

assert_impl_all!(DeviceArena<Scoped<'static>>: Send, Sync);
assert_not_impl_any!(DeviceArena<Scoped<'static>>: Clone);

/// How many bytes of an arena a buffer of `length` elements takes: the bytes of its elements, rounded up to a multiple of
/// 32, plus 32, and the sum rounded up to a multiple of 64 (MEM-08). `usize::MAX` for a length that no memory can hold.
#[rule(MEM_08)]
pub fn bytes_in_arena<E: Element>(length: usize) -> usize {
    bytes::<E>(length).map_or(usize::MAX, with_spare)
}

impl<C: Brand> Current<C> {
    /// Allocates `bytes` bytes of device memory (`aclrtMalloc`) to be handed out in buffers. [`bytes_in_arena`] says how
    /// many each of them takes.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`]; its code is 207001 if the device has no memory left, even after freeing dropped buffers.
    #[rule(MEM_04, MEM_07)]
    pub fn device_arena(&self, bytes: usize) -> Result<DeviceArena<C>, Error> {
        let block = self.ledger().allocate(Home::Device, super::bytes::<u8>(bytes)?)?;
        Ok(DeviceArena::of(block))
    }
}

impl<C: Brand> DeviceArena<C> {
    /// The only handle of a block.
    fn of(block: Arc<RawBuffer>) -> Self {
        Self { whole: Box::new(RawBuffer::into_part(block)), used: 0, _brand: Mark::NEW }
    }

    /// Hands out memory for `length` elements. Its contents are arbitrary. Nothing is called.
    ///
    /// # Errors
    ///
    /// [`Error::TooShort`] when the rest of the arena is too small; then nothing is handed out.
    #[rule(MEM_07, MEM_08)]
    pub fn take<E: Element>(&mut self, length: usize) -> Result<DeviceBuffer<C, MaybeUninit<E>>, Error> {
        let (have, bytes) = (self.remaining(), bytes::<E>(length)?);
        let need = with_spare(bytes);
        let too_short = Error::TooShort { what: ObjectKind::DEVICE_MEMORY, need, have };
        let Some(part) = self.whole.part(self.used, bytes).filter(|_| need <= have) else { return Err(too_short) };
        self.used += need;
        Ok(DeviceBuffer::of(Arc::new(part)))
    }

    /// All bytes of the arena.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.whole.bytes()
    }

    /// The bytes that were not handed out since the last [`reset`](Self::reset).
    #[inline]
    pub fn remaining(&self) -> usize {
        self.whole.bytes().saturating_sub(self.used)
    }

    /// Makes all of the memory available again. Nothing is waited for. Only if a buffer of the arena seems to exist, this ends
    /// the operators that no handle refers to, because they may have it.
    ///
    /// # Errors
    ///
    /// [`Error::StillShared`] while a buffer of the arena exists, including those in a [`Pending`](crate::Pending), a
    /// model, an operator or a captured graph; [`Error::StillRunning`] if a `Pending` was dropped whose work may still use
    /// one (synchronise its stream first); [`Error::WrongContext`] in another context. The arena is unchanged then. A
    /// buffer that was forgotten ([`mem::forget`](core::mem::forget)) exists for good.
    #[rule(MEM_02, MEM_11)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn reset( // MEM-11: while the memory's own context is current: `context.enter(thread, |current| ...)`
        &mut self,
        current: &Current<C>,
    ) -> Result<(), Error> {
        current.ledger().check_only_handle(&mut self.whole)?;
        self.used = 0;
        Ok(())
    }

    /// Frees the memory (`aclrtFree`).
    ///
    /// # Errors
    ///
    /// Returns the arena unchanged, with the errors of [`reset`](Self::reset), or with [`Error::Vendor`] if the library
    /// refuses.
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `ascendcl-explain ERR-01`"]
    #[rule(MEM_01, MEM_02, MEM_11, MEM_13)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn free( // MEM-11: memory is freed while its own context is current: `context.enter(thread, |current| ...)`
        self, // MEM-01: memory is freed once and last: copy what is needed later, `to_vec(current)?`
        current: &Current<C>,
    ) -> Result<(), Failed<Self>> {
        let (ledger, used) = (current.ledger(), self.used);
        let back = |error, whole| Failed { error, value: Self { whole, used, _brand: Mark::NEW } };
        let block = ledger.unshare(*self.whole).map_err(|(error, whole)| back(error, Box::new(whole)))?;
        ledger.free(&block).map_err(|error| back(error, Box::new(RawBuffer::into_part(block))))
    }
}

impl<C: Brand> fmt::Debug for DeviceArena<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (capacity, remaining) = (self.capacity(), self.remaining());
        let mut shown = f.debug_struct("DeviceArena");
        shown.field("capacity", &capacity).field("remaining", &remaining).finish_non_exhaustive()
    }
}

/// The bytes from the start of a buffer to that of the next one.
fn with_spare(bytes: usize) -> usize {
    (bytes.next_multiple_of(GRANULE) + SPARE).next_multiple_of(ALIGNMENT)
}
