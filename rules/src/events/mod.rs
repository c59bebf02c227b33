//! One call of the C library, as data.
//!
//! An [`Event`] has the function, its object, the operation on the object ([`Op`]), the thread, the context, and the
//! things that the call used ([`Use`]). A feed that sees the calls, for example the simulator or a wrapper of the
//! vendor's library, creates events. The [`Checker`](crate::Checker) checks them.

/// Declares an enum and the list of its values, from which random tests choose. A variant that holds a value is in the list
/// with the first of these.
macro_rules! listed {
    ($(#[$on:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident $(($held:ty))?,)* }) => {
        $(#[$on])*
        pub enum $name {
            $($(#[$doc])* $variant $(($held))?,)*
        }

        impl $name {
            /// One value of each variant.
            #[doc(hidden)]
            pub const ALL: &'static [Self] = &[$(Self::$variant $((<$held>::ALL[0]))?),*];
        }
    };
}

mod object;
mod op;
mod uses;

pub use object::{Kind, Object};
pub use op::{Flag, Member, Op};
pub use uses::{Access, Place, Role, Span, Use};

use core::fmt;

/// A thread of the program, by a number of the feed's choice that no two threads share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Thread(pub u64);

impl fmt::Display for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {}", self.0)
    }
}

/// One call.
///
/// A call that [queues](Use::Queue) work uses memory later, when the work runs; every other call uses it before it
/// returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The C function.
    pub call: &'static str,
    /// The object of the call. If the call creates the object, only the kind is known, and the number is 0.
    pub object: Object,
    /// The operation on it.
    pub op: Op,
    /// The handle of the context that the thread chose last, even if the context was destroyed since.
    pub context: Option<u64>,
    /// The calling thread.
    pub thread: Thread,
    /// The stream that waits, if the thread is inside a callback of the program.
    pub inside: Option<Object>,
    /// The other objects of the call.
    pub uses: Vec<Use>,
    /// Properties of the call, or of the object that it creates.
    pub flags: Vec<Flag>,
}

/// How a call ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It took effect.
    Success,
    /// It took effect and created the object with this number. For a set of a device, that is the default context.
    Created(u64),
    /// It had no effect.
    Refused,
    /// It waited until its time limit, and the work goes on.
    TimedOut,
    /// It waited, the work is over, and some of it failed.
    WorkFailed,
    /// It was a query, and the work is not over.
    NotReady,
}

impl Event {
    /// A call of `call` that does `op` to `object`, on this thread, without a context.
    pub fn new(call: &'static str, object: Object, op: Op, thread: Thread) -> Self {
        Self { call, object, op, context: None, thread, inside: None, uses: Vec::new(), flags: Vec::new() }
    }

    /// With the thread's current context.
    #[must_use]
    pub fn in_context(mut self, context: Option<u64>) -> Self {
        self.context = context;
        self
    }

    /// With something else that takes part.
    #[must_use]
    pub fn using(mut self, what: Use) -> Self {
        self.uses.push(what);
        self
    }

    /// With a property.
    #[must_use]
    pub fn flag(mut self, flag: Flag) -> Self {
        self.flags.push(flag);
        self
    }

    /// Whether it has a property.
    pub fn is(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// The stream that the call queues work on.
    pub fn queue(&self) -> Option<Object> {
        self.uses.iter().find_map(|used| if let Use::Queue(stream) = used { Some(*stream) } else { None })
    }

    /// The memory that takes part.
    pub(crate) fn memory(&self) -> impl Iterator<Item = Use> {
        self.uses.iter().filter(|used| matches!(used, Use::Memory { .. })).copied()
    }

    /// The objects that take part besides the event's own.
    pub fn others(&self) -> impl Iterator<Item = Object> {
        self.uses.iter().filter_map(|used| match used {
            Use::Queue(object) | Use::With(object) | Use::Inputs(object) | Use::Outputs(object) => Some(*object),
            Use::Memory { .. } | Use::Room { .. } => None,
        })
    }
}
