//! The program's own memory, registered with the library.

use super::{HostBuffer, bytes};
use crate::brand::Brand;
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed};
use crate::ffi::RawPages;
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use static_assertions::{assert_impl_all, assert_not_impl_any};

/// Memory of the program in whole pages, read and written as a slice.
///
/// It belongs to no context. [`Current::register`] lends it to a context as pinned memory, and
/// [`HostBuffer::unregister`] gives it back with what is in it. So one allocation can serve one context after another.
///
/// Registered memory has to begin at a page, and a vector's memory seldom does (MEM-14). So a vector is not registered in
/// place: [`copied_from`](Self::copied_from) copies it, and `pages.to_vec()` copies it back.
///
/// ```
/// use ascendcl::memory::Pages;
///
/// let mut pages = Pages::<f32>::zeroed(1024)?;
/// pages.fill(1.5);
/// let pages = ascendcl::run(ascendcl::Library::Simulator, |current| {
///     let stream = current.stream()?;
///     let host = current.register(pages)?;
///     let (host, device) = stream.copy_to_device(current, host, current.device_buffer(1024)?)?.wait(current)?;
///     assert_eq!(device.to_vec(current)?, [1.5; 1024]);
///     Ok::<_, ascendcl::Error>(host.unregister(current)?)
/// }).unwrap();
/// assert_eq!(pages[0], 1.5, "they outlive the context");
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[diagnostic::on_move(
    message = "this memory is registered for queued copies",
    note = "MEM-14: the buffer has the memory while it is registered: `host.unregister(current)?` gives it back"
)]
pub struct Pages<E> {
    raw: RawPages,
    length: usize,
    _elements: PhantomData<E>,
}

assert_impl_all!(Pages<f32>: Send, Sync);
assert_not_impl_any!(Pages<f32>: Clone);

impl<E: Element> Pages<E> {
    /// Memory for `length` elements, all zero.
    ///
    /// # Errors
    ///
    /// [`Error::TooShort`] if the host does not have that much memory.
    #[rule(MEM_14)]
    pub fn zeroed(length: usize) -> Result<Self, Error> {
        RawPages::zeroed(bytes::<E>(length)?).map(|raw| Self { raw, length, _elements: PhantomData })
    }

    /// Memory with a copy of these elements.
    ///
    /// # Errors
    ///
    /// As for [`zeroed`](Self::zeroed).
    pub fn copied_from(elements: &[E]) -> Result<Self, Error> {
        let mut pages = Self::zeroed(elements.len())?;
        pages.iter_mut().zip(elements).for_each(|(to, from)| *to = *from);
        Ok(pages)
    }
}

impl<E: Element> Deref for Pages<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        self.raw.as_slice(self.length)
    }
}

impl<E: Element> DerefMut for Pages<E> {
    fn deref_mut(&mut self) -> &mut [E] {
        self.raw.as_mut_slice(self.length)
    }
}

impl<E: Element> AsRef<[E]> for Pages<E> {
    fn as_ref(&self) -> &[E] {
        self
    }
}

impl<E: Element> AsMut<[E]> for Pages<E> {
    fn as_mut(&mut self) -> &mut [E] {
        self
    }
}

impl<'a, E: Element> IntoIterator for &'a Pages<E> {
    type Item = &'a E;
    type IntoIter = core::slice::Iter<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, E: Element> IntoIterator for &'a mut Pages<E> {
    type Item = &'a mut E;
    type IntoIter = core::slice::IterMut<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<C: Brand> Current<C> {
    /// Registers memory of the program as pinned memory (`aclrtHostRegisterV2`), for asynchronous copies.
    ///
    /// The buffer owns the memory until [`HostBuffer::unregister`] returns it. Work in flight owns the buffer, as any
    /// other operand. So nobody can move, write or free the memory during a copy. A registration that is forgotten ends
    /// with the scope, and the memory is freed then.
    ///
    /// Pinning needs a Linux kernel newer than 5.10; the library refuses otherwise.
    ///
    /// # Errors
    ///
    /// Returns the memory unchanged, with [`Error::MissingFunction`] on releases that lack the function, or
    /// [`Error::Vendor`].
    #[rule(MEM_14)]
    pub fn register<E: Element>(&self, memory: Pages<E>) -> Result<HostBuffer<C, E>, Failed<Pages<E>>> {
        let Pages { raw, length, _elements } = memory;
        match self.ledger().register(raw, length * size_of::<E>()) {
            Ok(block) => Ok(HostBuffer::of(block)),
            Err((error, raw)) => Err(Failed { error, value: Pages { raw, length, _elements } }),
        }
    }
}

impl<C: Brand, E: Element> HostBuffer<C, E> {
    /// Ends the registration (`aclrtHostUnregister`), and gives the program's memory back.
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::NotRegistered`] when [`Current::register`] did not make it,
    /// [`Error::StillRunning`] while work may use it, [`Error::InDoubt`] when a failure left open whether a copy is using
    /// it, [`Error::WrongContext`] with a `Current` of another context, [`Error::MissingFunction`], or [`Error::Vendor`].
    #[rule(MEM_02, MEM_14)]
    pub fn unregister(self, current: &Current<C>) -> Result<Pages<E>, Failed<Self>> {
        let length = self.block().bytes() / size_of::<E>().max(1);
        match current.ledger().unregister(&self.row()) {
            Ok(raw) => Ok(Pages { raw, length, _elements: PhantomData }),
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl<E: Element> fmt::Debug for Pages<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("length", &self.length).finish_non_exhaustive()
    }
}
