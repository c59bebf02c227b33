//! Locks that do not care about poison: a panic is caught where it happens, and no state here is left half-written.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for one notification, until `deadline` at most; `None` waits without end.
pub(crate) fn wait<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    deadline: Option<Instant>,
) -> MutexGuard<'a, T> {
    match deadline {
        None => condition.wait(guard).unwrap_or_else(PoisonError::into_inner),
        Some(deadline) => {
            let left = deadline.saturating_duration_since(Instant::now());
            condition.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0
        }
    }
}

/// Whether a deadline is over; `None` never is.
pub(crate) fn expired(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Looks out for something for a moment before a thread goes to sleep: being woken costs far more than most tasks.
pub(crate) fn look_out(mut happened: impl FnMut() -> bool) {
    const MOMENT: Duration = Duration::from_micros(20);
    const ROUNDS: u32 = 32;
    let started = Instant::now();
    while started.elapsed() < MOMENT {
        for _ in 0..ROUNDS {
            if happened() {
                return;
            }
            std::hint::spin_loop();
        }
    }
}
