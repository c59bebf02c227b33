//! Handles of the values of this crate.

use super::call_result::CallResult;
use crate::brand::{Brand, INSIDE, Inside};
use crate::current::Current;
use crate::error::Error;
use crate::event::{Event, EventKind, EventState};
use crate::library::Loaded;
use crate::memory::{DeviceBuffer, SharedBuffer};
use crate::model::Model;
use crate::operator::{AnyTensor, DeviceTensor, SharedAnyTensor, SharedTensor};
use crate::stream::{Pending, StreamOps};
use ascendcl_macros::rule;
use core::ffi::c_void;

impl Loaded {
    /// The functions of the library, as `ascendcl-sys` declares them. Each of them is `unsafe` to call.
    ///
    /// They must not be called in a forked child, and not by code that the library calls (THREAD-05, CB-01). This crate
    /// does not check that here.
    pub fn as_raw(self) -> &'static ascendcl_sys::Library {
        self.functions()
    }

    /// [What a raw call returned](CallResult), as a result of this crate: 0 is success, and any other code an
    /// [`Error::Vendor`] with the library's text for this thread. `doing` continues the text "could not", for example
    /// "create a notify"; `call` is the function's name.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let (library, mut device) = (current.library(), -1);
    /// // SAFETY: the answer goes to a live local.
    /// let answer = unsafe { library.as_raw().aclrtGetDevice(&raw mut device) };
    /// library.check_call("ask for the device", "aclrtGetDevice", answer)?;
    /// assert_eq!(device, 0);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`]; [`Error::MissingFunction`] if the library lacks the function; [`Error::Forked`] in a forked child.
    #[rule(ERR_01, ERR_03)]
    pub fn check_call(self, doing: &str, call: &'static str, answer: impl CallResult) -> Result<(), Error> {
        self.api().result_of(call, answer.into_code(INSIDE), doing)
    }

    /// An error if libraries that use this one must not be called now: inside a callback of the library, and in a
    /// forked child. When [each call is verified](crate::Acl::verify_current), also if another context is current than
    /// the one that was entered.
    ///
    /// # Errors
    ///
    /// [`Error::InsideCallback`], [`Error::Forked`], [`Error::CurrentChanged`].
    #[rule(ALLOC_18, CB_01, THREAD_05)]
    pub fn check_calls_allowed(self) -> Result<(), Error> {
        self.api().check_outside_callbacks()
    }
}

impl<C: Brand> Current<C> {
    /// An error if libraries that use this context must not be called now, as for
    /// [`Loaded::check_calls_allowed`](crate::library::Loaded::check_calls_allowed). This context is current
    /// afterwards.
    ///
    /// # Errors
    ///
    /// [`Error::InsideCallback`], [`Error::Forked`], [`Error::CurrentChanged`].
    #[rule(ALLOC_18, CB_01, THREAD_05)]
    pub fn check_calls_allowed(&self) -> Result<(), Error> {
        self.ledger().api().check_begin()
    }

    /// The context's handle (`aclrtContext`): see [the obligations of its user](crate::raw).
    pub fn as_raw(&self) -> *mut c_void {
        self.ledger().context().raw()
    }
}

impl<C: Brand> StreamOps<C> {
    /// The stream's handle (`aclrtStream`), null for a default stream: see [the obligations of its user](crate::raw).
    pub fn as_raw(&self) -> *mut c_void {
        self.queue().handed_out().0
    }
}

impl<C: Brand, S: EventState, K: EventKind> Event<C, S, K> {
    /// The event's handle (`aclrtEvent`): see [the obligations of its user](crate::raw). Other code must not record it,
    /// because this crate notes which stream's work the event comes after.
    pub fn as_raw(&self) -> *mut c_void {
        self.raw().raw()
    }
}

impl<C: Brand, P> Model<C, P> {
    /// The model's number: see [the obligations of its user](crate::raw). If the model shares its working memory, other
    /// code must not execute it while another model of the lane runs (MODEL-06).
    pub fn as_raw(&self) -> u32 {
        self.loaded().id()
    }
}

impl<C: Brand, E> DeviceBuffer<C, E> {
    /// The address in device memory: see [the obligations of its user](crate::raw). The host cannot dereference it.
    pub fn as_raw(&self) -> *mut c_void {
        self.block().start()
    }
}

impl<C: Brand, E> DeviceTensor<C, E> {
    /// The address of the first element in device memory: see [the obligations of its user](crate::raw). The host
    /// cannot dereference it.
    pub fn as_raw(&self) -> *mut c_void {
        self.buffer().as_raw()
    }
}

impl<C: Brand, E> SharedTensor<C, E> {
    /// The address of the first element in device memory: see [the obligations of its user](crate::raw). Other code
    /// must not write there while this is shared.
    pub fn as_raw(&self) -> *mut c_void {
        self.buffer().as_raw()
    }
}

impl<C: Brand, B> AnyTensor<C, B> {
    /// The address of the first element in device memory: see [the obligations of its user](crate::raw). The host
    /// cannot dereference it.
    pub fn as_raw(&self) -> *mut c_void {
        self.block().start()
    }
}

impl<C: Brand> SharedAnyTensor<C> {
    /// The address of the first element in device memory: see [the obligations of its user](crate::raw). Other code
    /// must not write there while this is shared.
    pub fn as_raw(&self) -> *mut c_void {
        self.buffer().as_raw()
    }
}

/// Device memory that a [`Pending`] can have in flight: a buffer or a tensor, shared or not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` in flight has no address of its own",
    label = "expected one buffer or tensor of the device",
    note = "COPY-04: take several apart first: `let (source, target) = pending.split();`, then `target.as_raw()`",
    note = "OP-03: tensors of an operator in flight: `let (inputs, outputs) = pending.split();`",
    note = "see `ascendcl-explain COPY-04`"
)]
pub trait HasOneAddress: sealed::HasOneAddress {}

impl<T: sealed::HasOneAddress> HasOneAddress for T {}

mod sealed {
    use super::*;

    pub trait HasOneAddress {
        fn one_address_of(memory: &Self, key: Inside) -> *mut c_void;
    }

    macro_rules! have_addresses {
        ($([$($generics:tt)*] $memory:ty;)+) => { $(
            impl<$($generics)*> HasOneAddress for $memory {
                fn one_address_of(memory: &Self, _: Inside) -> *mut c_void {
                    memory.as_raw()
                }
            }
        )+ };
    }
    have_addresses! {
        [C: Brand, E] DeviceBuffer<C, E>;
        [C: Brand, E] SharedBuffer<C, E>;
        [C: Brand, E] DeviceTensor<C, E>;
        [C: Brand, E] SharedTensor<C, E>;
        [C: Brand, B] AnyTensor<C, B>;
        [C: Brand] SharedAnyTensor<C>;
    }
}

impl<C: Brand, T> Pending<C, T> {
    /// The address of memory in flight: see [the obligations of its user](crate::raw). Work of other code uses it only
    /// behind this work, on the same stream. [`StreamOps::submit`] queues such work with the `Pending` as an operand,
    /// and gives the memory back by its own wait.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let stream = current.stream()?;
    /// let memory = current.upload(&[0_u8; 4])?;
    /// let address = memory.as_raw();
    /// let work = stream.set_bytes(current, memory, 1)?;
    /// assert_eq!(work.as_raw(), address);
    /// work.wait(current)?;
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    pub fn as_raw(&self) -> *mut c_void
    where
        T: HasOneAddress,
    {
        T::one_address_of(self.in_flight(), INSIDE)
    }
}
