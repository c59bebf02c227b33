//! A hint that differs between threads.

/// A number that is the same for a thread most of the time, and differs between most threads: stacks are two megabytes or
/// more apart. It costs fewer instructions than a thread-local value, and only decides where a search begins.
#[inline(always)]
pub(super) fn thread_hint() -> usize {
    let on_the_stack = 0_u8;
    core::ptr::from_ref(&on_the_stack).addr() >> 21
}
