//! Pointers to a registration for types whose `A` has no bound.
//!
//! A stream's type names its allocator. With a bound on that parameter, a program with a wrong allocator type would get
//! an error at each mention of the stream's type, besides the helpful one. So these types name the allocator without a
//! bound, and only the methods have the bound.

use super::allocator::Registered;
use crate::device_allocator::DeviceAllocator;
use crate::error::{Error, ObjectKind};
use core::marker::PhantomData;
use std::any::Any;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Weak};

/// A registration whose type is not named.
trait AnyRegistration: Send + Sync + UnwindSafe + RefUnwindSafe {
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<A: DeviceAllocator> AnyRegistration for Registered<A> {
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// A registration of an `A`.
pub(crate) struct RegisteredOf<A>(Arc<dyn AnyRegistration>, PhantomData<fn(A) -> A>);

/// The same, which does not keep the registration.
///
/// The type is public in a private module, because a stream's public state type has it.
#[allow(unreachable_pub, reason = "see above")]
pub struct WeakRegisteredOf<A>(Weak<dyn AnyRegistration>, PhantomData<fn(A) -> A>);

impl<A: DeviceAllocator> RegisteredOf<A> {
    pub(crate) fn new(registered: Arc<Registered<A>>) -> Self {
        Self(registered, PhantomData)
    }

    /// The registration. Never `None`, because [`new`](Self::new) got a registration of an `A`.
    pub(crate) fn get(&self) -> Option<Arc<Registered<A>>> {
        Arc::clone(&self.0).any().downcast().ok()
    }

    /// The allocator itself, as [`Registered::into_allocator`] gives it.
    pub(crate) fn into_allocator(self) -> Result<A, (Error, Self)> {
        let Some(registered) = self.get() else {
            return Err((Error::Gone { what: ObjectKind::ALLOCATOR }, self));
        };
        // `into_allocator` succeeds only with the last pointer.
        drop(self);
        registered.into_allocator().map_err(|(error, registered)| (error, Self::new(registered)))
    }
}

impl<A> RegisteredOf<A> {
    pub(crate) fn downgrade(&self) -> WeakRegisteredOf<A> {
        WeakRegisteredOf(Arc::downgrade(&self.0), PhantomData)
    }

    /// Whether both are the same registration.
    pub(crate) fn is(&self, other: &WeakRegisteredOf<A>) -> bool {
        Arc::as_ptr(&self.0).cast::<()>() == other.0.as_ptr().cast::<()>()
    }
}

impl<A: DeviceAllocator> WeakRegisteredOf<A> {
    pub(crate) fn new(registered: &Arc<Registered<A>>) -> Self {
        let registered: Arc<dyn AnyRegistration> = Arc::clone(registered) as _;
        Self(Arc::downgrade(&registered), PhantomData)
    }

    pub(crate) fn upgrade(&self) -> Option<Arc<Registered<A>>> {
        self.0.upgrade()?.any().downcast().ok()
    }
}
