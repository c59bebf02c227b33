//! Objects of other code in a context.

use super::attach::{Attach, EndingContext};
use crate::brand::{Brand, INSIDE, Inside, Mark};
use crate::current::Current;
use crate::ends_before::EndsBefore;
use crate::error::{Error, Failed, ObjectKind};
use crate::event::{Event, EventKind, EventState};
use crate::ffi::{ForeignObject, KeptAllocator, RawAttachment, TakeDownContext, TakenDown, message_of};
use crate::memory::{DeviceBuffer, HostBuffer, SharedBuffer};
use crate::model::Model;
use crate::stream::{Stream, StreamState};
use ascendcl_macros::rule;
use core::any::Any;
use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// An object of other code that [ends with its context](Attach), and what it uses.
///
/// The handle can be stored beside a [`Runtime`](crate::Runtime), lent to other threads, and dropped or forgotten: the
/// context owns the object and keeps what it uses. A handle that outlives its context cannot reach the object, because
/// [`get`](Self::get) needs that context's `Current`. An object whose handle was dropped is taken down by
/// [`Current::collect`] when no stream of the context has work, or when the context ends.
#[must_use = "an object that is dropped is taken down by `collect` or at the end of its scope; `take_down` shows the errors"]
#[rule(DEV_10)]
#[diagnostic::on_move(
    message = "this object was taken down",
    note = "DEV-10: an object is taken down once and last: `attached.take_down(current)?` gives back what it used"
)]
pub struct Attached<C: Brand, T: Attach, U = ()> {
    row: Arc<RawAttachment>,
    object: Arc<T>,
    uses: U,
    _brand: Mark<C>,
}

/// The objects that an [attached](Attach) object can use: [`Stream`]s, [`Event`]s, [`Model`]s, [`DeviceBuffer`]s,
/// [`SharedBuffer`]s, [`HostBuffer`]s, tuples of up to four of these, a `Vec` of them, or `()`. None of them ends
/// before the object does.
#[diagnostic::on_unimplemented(
    message = "an attached object cannot use `{Self}`",
    label = "expected streams, events, models or buffers of the context, by value, alone or in a tuple",
    note = "DEV-10: what an object uses moves into `current.attach(object, uses)`, and comes back from `take_down`; \
            work in flight is waited for first: `pending.wait(current)?`",
    note = "see `ascendcl-explain DEV-10`"
)]
pub trait Uses<C: Brand>: sealed::Uses<C> {}

impl<C: Brand, U: sealed::Uses<C>> Uses<C> for U {}

mod sealed {
    use super::{Any, Arc, Error, Inside};

    #[diagnostic::on_unimplemented(
        message = "an attached object cannot use `{Self}`",
        label = "expected streams, events, models or buffers of the context, by value, alone or in a tuple",
        note = "DEV-10: what an object uses moves into `current.attach(object, uses)`, and comes back from `take_down`; \
                work in flight is waited for first: `pending.wait(current)?`",
        note = "see `ascendcl-explain DEV-10`"
    )]
    pub trait Uses<C> {
        /// Adds the rows of the objects. An error unless the context that this thread has entered has all of them.
        fn add_rows_of_uses(&self, rows: &mut Vec<Arc<dyn Any + Send + Sync>>, key: Inside) -> Result<(), Error>;
    }
}

impl<C: Brand> Current<C> {
    /// Gives an object of other code to this context, which takes it down [in its turn](Attach::ENDS_BEFORE), and with
    /// it what the object uses.
    ///
    /// # Errors
    ///
    /// Returns the object and what it uses, with [`Error::WrongContext`] for what belongs to another context of a runtime
    /// with the same name, or [`Error::Forked`] in a forked child.
    #[rule(DEV_10)]
    pub fn attach<T: Attach, U: Uses<C>>(&self, object: T, uses: U) -> Result<Attached<C, T, U>, Failed<(T, U)>> {
        let mut rows = Vec::new();
        let usable = self.ledger().api().check_process().and_then(|()| uses.add_rows_of_uses(&mut rows, INSIDE));
        if let Err(error) = usable {
            // The objects come back without another owner of their rows.
            drop(rows);
            return Err(Failed { error, value: (object, uses) });
        }
        let object = Arc::new(object);
        let row = self.ledger().attach(Box::new(Object(Arc::clone(&object))), rows);
        Ok(Attached { row, object, uses, _brand: Mark::NEW })
    }
}

impl<C: Brand, T: Attach, U> Attached<C, T, U> {
    /// The object, in its context.
    ///
    /// # Errors
    ///
    /// [`Error::WrongContext`] in another context of a runtime with the same name.
    #[rule(STREAM_09)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn get<'a>( // STREAM-09: while its own context is current: `context.enter(thread, |current| ...)`
        &'a self,
        current: &'a Current<C>,
    ) -> Result<&'a T, Error> {
        // The type of `current` ties both to one context. The value itself is not needed.
        let _ = current;
        self.check_usable().map(|()| &*self.object)
    }

    /// The objects that it uses.
    pub fn uses(&self) -> &U {
        &self.uses
    }

    /// Waits for all work of the context, which may use the object, and [takes it down](Attach::take_down).
    ///
    /// # Errors
    ///
    /// Returns the object unchanged, with [`Error::NotTakenDown`], which contains the error of its own code;
    /// [`Error::Capturing`] while a stream of the context is captured; [`Error::Vendor`] or [`Error::WorkFailed`] when work
    /// could not be waited for, or failed; [`Error::WrongContext`] in another context of a runtime with the same name.
    #[rule(DEV_10)]
    #[rustfmt::skip] // The compiler's messages print these lines.
    pub fn take_down( // STREAM-09: while its own context is current: `context.enter(thread, |current| ...)`
        self, // DEV-10: it ends once and last: another one is attached by `current.attach(object, uses)`
        current: &Current<C>,
    ) -> Result<U, Failed<Self>> {
        match self.check_usable().and_then(|()| current.ledger().take_down_attachment(&self.row)) {
            Ok(()) => Ok(self.uses),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// An error if the object has ended. An object with a handle ends with its context, which nobody can enter afterwards.
    /// This is checked nevertheless, because otherwise the program would use what its code has destroyed.
    fn check_usable(&self) -> Result<(), Error> {
        self.row.owner().check_current(ObjectKind::ATTACHED)?;
        if self.row.is_ended() { Err(Error::Gone { what: ObjectKind::ATTACHED }) } else { Ok(()) }
    }
}

impl<C: Brand, T: Attach, U> fmt::Debug for Attached<C, T, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attached").field("object", &T::NAME).finish_non_exhaustive()
    }
}

/// An object in its row.
struct Object<T>(Arc<T>);

impl<T: Attach> ForeignObject for Object<T> {
    fn in_words(&self, count: usize) -> String {
        format!("{count} {}(s)", T::NAME)
    }

    fn ends_before(&self) -> EndsBefore {
        T::ENDS_BEFORE
    }

    fn take_down(&self, from: &TakeDownContext<'_>, kept: &mut Vec<KeptAllocator>) -> TakenDown {
        let ending = EndingContext::new(from);
        let result = catch_unwind(AssertUnwindSafe(|| self.0.take_down(&ending)));
        let result = result.unwrap_or_else(|panic| Err(format!("it panicked: {}", message_of(panic)).into()));
        let reported = ending.into_reported();
        kept.extend(reported.later);
        let (ended, last) = (result.is_ok(), result.err());
        let errors =
            reported.errors.into_iter().chain(last).map(|reason| Error::NotTakenDown { what: T::NAME, reason });
        TakenDown { ended, errors: errors.collect() }
    }

    fn on_lost(&self) {
        self.0.on_lost();
    }
}

impl<T: Attach> fmt::Debug for Object<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::NAME)
    }
}

macro_rules! one {
    ($([$($of:tt)*] $value:ty: |$self:ident| $row:expr;)*) => { $(
        impl<C: Brand, $($of)*> sealed::Uses<C> for $value {
            fn add_rows_of_uses(&$self, rows: &mut Vec<Arc<dyn Any + Send + Sync>>, _: Inside) -> Result<(), Error> {
                let row = $row;
                row.check_current()?;
                rows.push(row);
                Ok(())
            }
        }
    )* };
}
one! {
    [S: StreamState] Stream<C, S>: |self| Arc::clone(self.queue());
    [S: EventState, K: EventKind] Event<C, S, K>: |self| Arc::clone(self.row());
    [P] Model<C, P>: |self| self.row();
    [E] DeviceBuffer<C, E>: |self| self.row();
    [E] SharedBuffer<C, E>: |self| self.row();
    [E] HostBuffer<C, E>: |self| self.row();
}

impl<C, T: sealed::Uses<C>> sealed::Uses<C> for Vec<T> {
    fn add_rows_of_uses(&self, rows: &mut Vec<Arc<dyn Any + Send + Sync>>, key: Inside) -> Result<(), Error> {
        self.iter().try_for_each(|part| part.add_rows_of_uses(rows, key))
    }
}

macro_rules! tuples {
    ($(($($part:ident $place:tt),*);)*) => { $(
        impl<C, $($part: sealed::Uses<C>),*> sealed::Uses<C> for ($($part,)*) {
            fn add_rows_of_uses(&self, rows: &mut Vec<Arc<dyn Any + Send + Sync>>, key: Inside) -> Result<(), Error> {
                let _ = (&rows, key);
                $(self.$place.add_rows_of_uses(rows, key)?;)*
                Ok(())
            }
        }
    )* };
}
tuples! {
    ();
    (U0 0);
    (U0 0, U1 1);
    (U0 0, U1 1, U2 2);
    (U0 0, U1 1, U2 2, U3 3);
}
