//! A shared pointer whose type does not name the type of its value.

use core::any::TypeId;
use core::ptr::NonNull;
use std::sync::Arc;

/// A shared pointer to a value of some type. It is an `Arc<dyn Any>` that compares types by one address.
pub(crate) struct Untyped {
    /// From `Arc::into_raw`.
    value: NonNull<()>,
    /// Describes the type of the value.
    of: fn() -> Type,
}

/// What is known of a type.
struct Type {
    id: TypeId,
    /// Drops a pointer to a value of the type.
    drop: unsafe fn(NonNull<()>),
}

/// Describes this type. Two types never have this function at one address, because it returns one answer there. One type
/// may have it at several.
#[inline(never)]
fn describe<T: 'static>() -> Type {
    Type { id: TypeId::of::<T>(), drop: drop_pointer_to::<T> }
}

/// # Safety
///
/// `value` is from `Arc::into_raw` of this type, and nobody else takes its count back.
unsafe fn drop_pointer_to<T>(value: NonNull<()>) {
    // SAFETY: `Arc::from_raw` asks for what the caller of this function promises.
    drop(unsafe { Arc::from_raw(value.as_ptr().cast_const().cast::<T>()) });
}

impl Untyped {
    #[inline(always)]
    pub(crate) fn new<T: Send + Sync + 'static>(value: Arc<T>) -> Self {
        // SAFETY: `new_unchecked` asks for a pointer that is not null. `Arc::into_raw` returns the address of a value.
        let value = unsafe { NonNull::new_unchecked(Arc::into_raw(value).cast_mut().cast()) };
        Self { value, of: describe::<T> }
    }

    /// The pointer with its type, if that is `T`.
    #[cold]
    #[inline(never)]
    pub(crate) fn typed<T: Send + Sync + 'static>(self) -> Result<Arc<T>, Self> {
        // SAFETY: the function asks for a pointer to a `T`. One type has one id.
        if self.is::<T>() { Ok(unsafe { self.into_a() }) } else { Err(self) }
    }

    /// Like [`typed`](Self::typed), by one comparison. An error also in rare cases in which the type is `T`.
    #[inline(always)]
    pub(crate) fn typed_at_once<T: Send + Sync + 'static>(self) -> Result<Arc<T>, Self> {
        let is_it = core::ptr::fn_addr_eq(self.of, describe::<T> as fn() -> Type);
        // SAFETY: the function asks for a pointer to a `T`. What is at one address describes one type.
        if is_it { Ok(unsafe { self.into_a() }) } else { Err(self) }
    }

    /// # Safety
    ///
    /// The value is a `T`.
    #[inline(always)]
    unsafe fn into_a<T>(self) -> Arc<T> {
        let value = self.value;
        core::mem::forget(self);
        // SAFETY: `Arc::from_raw` asks for a pointer of `Arc::into_raw` of this type, whose count nobody else takes back.
        // `new` has made it, of the type of the value. This value is forgotten, so it does not drop the pointer.
        unsafe { Arc::from_raw(value.as_ptr().cast_const().cast::<T>()) }
    }

    pub(crate) fn is<T: 'static>(&self) -> bool {
        (self.of)().id == TypeId::of::<T>()
    }
}

impl Drop for Untyped {
    fn drop(&mut self) {
        // SAFETY: the function asks for a pointer of `Arc::into_raw` of its type. `new` has made it, of the type that `of`
        // describes. The count belongs to this value, which does not exist afterwards.
        unsafe { ((self.of)().drop)(self.value) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_gets_back_its_own_type_and_no_other_and_is_dropped_once() {
        let value = Arc::new(7_u32);
        let pointer = || Untyped::new(Arc::clone(&value));
        assert!(pointer().is::<u32>() && !pointer().is::<i32>());
        assert!(pointer().typed::<i32>().is_err() && pointer().typed_at_once::<i32>().is_err());
        assert!(pointer().typed::<u32>().is_ok_and(|typed| Arc::ptr_eq(&typed, &value)));
        assert_eq!(Arc::strong_count(&value), 1);
        let kept = pointer();
        assert_eq!(Arc::strong_count(&value), 2);
        drop(kept);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    /// One type may be described twice, in two parts of a program.
    #[test]
    fn a_pointer_whose_type_is_described_elsewhere_gets_it_back() {
        let mut pointer = Untyped::new(Arc::new(7_u32));
        pointer.of = || Type { drop: drop_pointer_to::<u32>, ..describe::<u32>() };
        assert!(pointer.is::<u32>() && pointer.typed::<u32>().is_ok_and(|typed| *typed == 7));
    }
}
