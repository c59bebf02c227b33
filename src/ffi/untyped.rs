//! Memory for one value that two pointers share, kept for the next value of its type.
//!
//! A thread keeps such memory for callbacks. Each has two owners: the library, and whoever gets the result. So what is kept
//! are both pointers, and nobody else has one. Who takes them out changes no count.

use core::any::TypeId;
use core::cell::{Cell, RefCell};
use core::mem::{self, ManuallyDrop};
use core::ptr::{NonNull, null_mut};
use std::sync::Arc;

/// Two pointers to one value, in the size of one. They are lost unless one of them is [taken out](Self::into_one).
#[must_use]
pub(crate) struct Twice<T> {
    /// The count of the value has one more, for the second pointer.
    pointer: ManuallyDrop<Arc<T>>,
}

impl<T> Twice<T> {
    pub(crate) fn new(value: T) -> Self {
        let pointer = Arc::new(value);
        mem::forget(Arc::clone(&pointer));
        Self { pointer: ManuallyDrop::new(pointer) }
    }

    /// The address of the value. `Arc::from_raw` makes a pointer of it.
    #[inline(always)]
    pub(super) fn address(&self) -> *const T {
        Arc::as_ptr(&self.pointer)
    }

    /// One of the pointers. The other is left to whoever has the [address](Self::address), and is lost if that is nobody.
    #[inline(always)]
    pub(crate) fn leave_one(self) -> Arc<T> {
        let mut both = ManuallyDrop::new(self);
        // SAFETY: `ManuallyDrop::take` asks that the value is not used again. `both` is not dropped, and not used below.
        unsafe { ManuallyDrop::take(&mut both.pointer) }
    }

    /// One of the pointers. The other is dropped.
    pub(crate) fn into_one(self) -> Arc<T> {
        let pointer = self.leave_one();
        // SAFETY: the function asks for a pointer of `Arc::into_raw` with a count for this call, beside that of a live one.
        // The second count is no pointer's, and `pointer` lives.
        unsafe { Arc::decrement_strong_count(Arc::as_ptr(&pointer)) };
        pointer
    }
}

/// Two pointers to a value of some type, and no others exist. Types are compared by one address.
struct Untyped {
    /// From `Arc::into_raw`, twice.
    value: NonNull<()>,
    /// Describes the type of the value.
    of: fn() -> Type,
}

/// What is known of a type.
struct Type {
    id: TypeId,
    /// Drops two pointers to a value of the type.
    drop: unsafe fn(NonNull<()>),
}

/// Describes this type. Two types never have this function at one address, because it returns one answer there. One type
/// may have it at several.
#[inline(never)]
fn describe<T: 'static>() -> Type {
    Type { id: TypeId::of::<T>(), drop: drop_both_of::<T> }
}

/// # Safety
///
/// `value` is from `Arc::into_raw` of this type, and nobody else takes its two counts back.
unsafe fn drop_both_of<T>(value: NonNull<()>) {
    let value = value.as_ptr().cast_const().cast::<T>();
    // SAFETY: `Arc::from_raw` asks for what the caller of this function promises, for each of the two pointers.
    drop(unsafe { [Arc::from_raw(value), Arc::from_raw(value)] });
}

impl Untyped {
    /// `None` if others have a pointer to the value, which is dropped then.
    fn new<T: Send + Sync + 'static>(mut value: Arc<T>) -> Option<Self> {
        Arc::get_mut(&mut value)?;
        mem::forget(Arc::clone(&value));
        // SAFETY: `new_unchecked` asks for a pointer that is not null. `Arc::into_raw` returns the address of a value.
        let value = unsafe { NonNull::new_unchecked(Arc::into_raw(value).cast_mut().cast()) };
        Some(Self { value, of: describe::<T> })
    }

    /// The pointers with their type, if that is `T`.
    fn typed<T: Send + Sync + 'static>(self) -> Result<Both<T>, Self> {
        // SAFETY: the function asks for pointers to a `T`. One type has one id.
        if self.is::<T>() { Ok(unsafe { Both::of(ManuallyDrop::new(self).value) }) } else { Err(self) }
    }

    fn is<T: 'static>(&self) -> bool {
        (self.of)().id == TypeId::of::<T>()
    }
}

impl Drop for Untyped {
    fn drop(&mut self) {
        // SAFETY: the function asks for a pointer of `Arc::into_raw` of its type, with two counts. `new` has made it, of the
        // type that `of` describes. The counts belong to this value, which does not exist afterwards.
        unsafe { ((self.of)().drop)(self.value) }
    }
}

/// Two pointers to a `T`, and no others exist. They are lost unless they are [filled](Self::fill).
struct Both<T> {
    value: NonNull<T>,
}

impl<T> Both<T> {
    /// # Safety
    ///
    /// `value` is from `Arc::into_raw` of this type, nobody else takes its two counts back, and there are no others.
    #[inline(always)]
    unsafe fn of(value: NonNull<()>) -> Self {
        Self { value: value.cast() }
    }

    /// Lets `renew` make a new value of the old one.
    #[inline(always)]
    fn fill(mut self, renew: impl FnOnce(&mut T)) -> Twice<T> {
        // SAFETY: `as_mut` asks for a valid pointer, and that nothing else refers to the value meanwhile. The two counts keep
        // the value, this has both of them, and there are no others (`of`). A weak pointer would be another one that
        // `Arc::get_mut` in `Untyped::new` has looked for.
        renew(unsafe { self.value.as_mut() });
        // SAFETY: `Arc::from_raw` asks for a pointer of `Arc::into_raw` of this type, whose count nobody else takes back.
        // This is one of the two (`of`); the other is the second count of the result.
        let pointer = unsafe { Arc::from_raw(self.value.as_ptr().cast_const()) };
        Twice { pointer: ManuallyDrop::new(pointer) }
    }
}

/// What a thread keeps for the next callback, which in a loop is of the same type. It has no destructor: accessing it asks
/// for nothing. When the thread ends, [`Spares`] drops what is here.
struct Last {
    /// `None` if nothing is kept.
    of: Cell<Option<fn() -> Type>>,
    /// From an [`Untyped`] of the type that `of` describes, if that is there.
    value: Cell<*mut ()>,
}

/// What a thread keeps beside the last.
struct Spares(RefCell<Vec<Untyped>>);

thread_local! {
    static LAST: Last = const { Last { of: Cell::new(None), value: Cell::new(null_mut()) } };
    static SPARES: Spares = const { Spares(RefCell::new(Vec::new())) };
}

/// How many values a thread keeps memory for, beside the last one.
const MOST_SPARES: usize = 8;
/// The memory of larger values is not kept.
const MOST_BYTES: usize = 4096;

impl Last {
    /// What is kept, if it is of this type. `None` also in rare cases in which it is.
    #[inline(always)]
    fn take_at_once<T: Send + Sync + 'static>(&self) -> Option<Both<T>> {
        let is_it = self.of.get().is_some_and(|of| core::ptr::fn_addr_eq(of, describe::<T> as fn() -> Type));
        if !is_it {
            return None;
        }
        self.of.set(None);
        // SAFETY: `new_unchecked` asks for a pointer that is not null, and `Both::of` for one of a former `Untyped` of this
        // type. `of` was there, so `value` is from one. What is at one address describes one type. Without `of`, nobody
        // takes `value` again.
        Some(unsafe { Both::of(NonNull::new_unchecked(self.value.get())) })
    }

    fn take(&self) -> Option<Untyped> {
        let of = self.of.take()?;
        // As in `take_at_once`.
        NonNull::new(self.value.get()).map(|value| Untyped { value, of })
    }

    /// Keeps this. Returns what was kept before.
    fn replace(&self, untyped: Untyped) -> Option<Untyped> {
        let before = self.take();
        let untyped = ManuallyDrop::new(untyped);
        self.value.set(untyped.value.as_ptr());
        self.of.set(Some(untyped.of));
        before
    }
}

impl Spares {
    fn keep(&self, spare: Untyped) {
        let Ok(mut spares) = self.0.try_borrow_mut() else { return };
        if spares.len() == MOST_SPARES {
            spares.remove(0);
        }
        spares.push(spare);
    }
}

impl Drop for Spares {
    fn drop(&mut self) {
        // From now on nothing is kept on this thread: `keep_memory_of` finds that this is gone.
        drop(LAST.with(Last::take));
    }
}

/// Two pointers to a value in the memory that this thread has kept last, which `renew` makes of the last value there. Returns
/// the argument if that memory is for another type, or if there is none.
#[inline(always)]
pub(crate) fn last_kept<T: Send + Sync + 'static, V>(value: V, renew: impl FnOnce(&mut T, V)) -> Result<Twice<T>, V> {
    match LAST.with(Last::take_at_once::<T>) {
        Some(both) => Ok(both.fill(|old| renew(old, value))),
        None => Err(value),
    }
}

/// Like [`last_kept`], in any memory that this thread has kept.
pub(crate) fn kept_before<T: Send + Sync + 'static, V>(value: V, renew: impl FnOnce(&mut T, V)) -> Result<Twice<T>, V> {
    match kept_among_others() {
        Some(both) => Ok(both.fill(|old| renew(old, value))),
        None => Err(value),
    }
}

/// The last one is of another type, or there is none.
fn kept_among_others<T: Send + Sync + 'static>() -> Option<Both<T>> {
    // `take_at_once` does not find each pointer of this type.
    let last = match LAST.with(Last::take).map(Untyped::typed) {
        Some(Ok(both)) => return Some(both),
        Some(Err(other)) => Some(other),
        None => None,
    };
    let found = SPARES.try_with(|spares| {
        let found = {
            let mut all = spares.0.try_borrow_mut().ok()?;
            let place = all.iter().position(Untyped::is::<T>)?;
            Some(all.swap_remove(place))
        };
        found?.typed().ok()
    });
    if let Some(last) = last {
        let _ = SPARES.try_with(|spares| spares.keep(last));
    }
    found.ok()?
}

/// Keeps the memory for the next value of this type on this thread, unless others have a pointer to the value. What is kept
/// has no value of the program: nobody knows when it is dropped.
pub(crate) fn keep_memory_of<T: Send + Sync + 'static>(value: Arc<T>) {
    if size_of::<T>() > MOST_BYTES {
        return;
    }
    // While the thread ends, it is dropped instead.
    let _ = SPARES.try_with(|spares| {
        if let Some(before) = Untyped::new(value).and_then(|untyped| LAST.with(|last| last.replace(untyped))) {
            spares.keep(before);
        }
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::Weak;
    use std::thread;

    fn taken<T: Send + Sync + 'static>(value: T) -> Twice<T> {
        let value = match last_kept(value, |old, value| *old = value) {
            Ok(twice) => return twice,
            Err(value) => value,
        };
        kept_before(value, |old, value| *old = value).unwrap_or_else(Twice::new)
    }

    fn count<T>(twice: &Twice<T>) -> usize {
        Arc::strong_count(&twice.pointer)
    }

    #[test]
    fn what_is_kept_comes_back_with_two_pointers_and_a_new_value() {
        let first = taken(7_u32);
        assert_eq!((count(&first), **first.pointer), (2, 7));
        let (at, one) = (first.address(), first.into_one());
        assert_eq!(Arc::strong_count(&one), 1);
        keep_memory_of(one);
        let other = taken(1_i32);
        assert_ne!(other.address().cast::<u32>(), at, "memory of another type");
        let again = taken(8_u32);
        assert_eq!((again.address(), count(&again), **again.pointer), (at, 2, 8));
        // Now it is that of the last one, and the next finds it at once.
        keep_memory_of(again.into_one());
        let (again, beside) = (taken(9_u32), taken(10_u32));
        assert_eq!((again.address(), count(&again), **again.pointer), (at, 2, 9));
        assert_ne!(beside.address(), at, "the memory is in use");
        drop((again.into_one(), other.into_one(), beside.into_one()));
    }

    #[test]
    fn memory_of_several_types_is_kept_at_once() {
        let (first, second) = (Arc::new(7_u32), Arc::new(7_i32));
        let at = (Arc::as_ptr(&first), Arc::as_ptr(&second));
        keep_memory_of(first);
        keep_memory_of(second);
        let (first, second) = (taken(8_u32), taken(8_i32));
        assert_eq!((first.address(), second.address()), at);
        drop((first.into_one(), second.into_one()));
    }

    #[test]
    fn memory_of_a_value_to_which_others_point_is_not_kept() {
        let value = Arc::new(7_u64);
        keep_memory_of(Arc::clone(&value));
        let weak = Arc::downgrade(&value);
        keep_memory_of(value);
        assert!(weak.upgrade().is_none(), "dropped");
        let new = taken(8_u64);
        assert_eq!(count(&new), 2);
        drop(new.into_one());
        // A weak pointer refers to the memory, too.
        let value = Arc::new(9_u64);
        let _weak = Arc::downgrade(&value);
        let at = Arc::as_ptr(&value);
        keep_memory_of(value);
        let new = taken(10_u64);
        assert_ne!(new.address(), at);
        drop(new.into_one());
    }

    /// One type may be described twice, in two parts of a program.
    #[test]
    fn a_pointer_whose_type_is_described_elsewhere_comes_back() {
        let mut untyped = Untyped::new(Arc::new(7_u8)).unwrap();
        let at = untyped.value;
        untyped.of = || Type { drop: drop_both_of::<u8>, ..describe::<u8>() };
        assert!(untyped.is::<u8>() && !untyped.is::<i8>());
        assert!(LAST.with(|last| last.replace(untyped)).is_none());
        assert!(LAST.with(Last::take_at_once::<i8>).is_none());
        let again = taken(8_u8);
        assert_eq!(again.address(), at.as_ptr().cast_const().cast());
        drop(again.into_one());
    }

    #[test]
    fn a_thread_drops_what_it_keeps_when_it_ends_and_then_keeps_nothing() {
        /// Keeps memory when it is dropped.
        struct Late(Arc<()>);

        impl Drop for Late {
            fn drop(&mut self) {
                keep_memory_of(Arc::new(Arc::clone(&self.0)));
            }
        }

        thread_local!(static LATE: RefCell<Option<Late>> = const { RefCell::new(None) });
        let (kept, late): (Vec<Arc<()>>, _) = ((0..12).map(|_| Arc::new(())).collect(), Arc::new(()));
        let (weak, weak_late): (Vec<Weak<()>>, _) = (kept.iter().map(Arc::downgrade).collect(), Arc::downgrade(&late));
        thread::spawn(move || {
            // The destructors run in an order that is not defined, so one is registered before the others and one after.
            LATE.with(|place| *place.borrow_mut() = Some(Late(late)));
            // Of several types, so that some are kept beside the last.
            for value in kept {
                keep_memory_of(Arc::new(Arc::clone(&value)));
                keep_memory_of(Arc::new((Arc::clone(&value), 1_u8)));
                keep_memory_of(Arc::new([value]));
            }
        })
        .join()
        .unwrap();
        assert!(weak.iter().all(|weak| weak.upgrade().is_none()), "the last ones and the spares");
        assert!(weak_late.upgrade().is_none(), "kept after the end of the others");
    }
}
