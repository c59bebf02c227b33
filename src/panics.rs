//! Panics of the program's code.
//!
//! A panic that leaves a destructor while another panic unwinds ends the process. Every value of the program can panic
//! when it is dropped, and so can the payload of a panic. So when several steps panic, the first panic is kept while the
//! other steps run. Values that the program does not get back are dropped by functions that catch their panics.

use core::any::Any;
use core::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How often the payload of a panic may panic when it is dropped, before it is kept for the rest of the process.
const TRIES: usize = 4;

/// A panic that was caught. Dropping it does not panic.
#[derive(Debug)]
pub(crate) struct Panic(Quiet<Box<dyn Any + Send>>);

impl Panic {
    /// Lets the panic continue.
    pub(crate) fn resume(self) -> ! {
        resume_unwind(self.0.into_inner().unwrap_or_else(|| Box::new("a panic")))
    }
}

/// A value of the program. Dropping it does not panic.
#[derive(Debug)]
pub(crate) struct Quiet<T>(Option<T>);

impl<T> Quiet<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// The value. It is there until it is dropped.
    pub(crate) fn into_inner(mut self) -> Option<T> {
        self.0.take()
    }
}

impl<T> Drop for Quiet<T> {
    fn drop(&mut self) {
        drop_quietly(self.0.take());
    }
}

/// The first panic of several steps.
#[derive(Debug, Default)]
#[must_use = "the first panic continues when all steps are done: `panics.resume()`"]
pub(crate) struct Panics(Option<Panic>);

impl Panics {
    /// Runs a step. `None` if it panicked.
    pub(crate) fn catch<R>(&mut self, step: impl FnOnce() -> R) -> Option<R> {
        match catch(step) {
            Ok(result) => Some(result),
            Err(panic) => {
                // A later one is dropped here.
                self.0.get_or_insert(panic);
                None
            }
        }
    }

    /// Drops each value, also if one before it panics.
    pub(crate) fn drop_each<T>(&mut self, values: impl IntoIterator<Item = T>) {
        for value in values {
            self.catch(|| drop(value));
        }
    }

    /// Whether no step has panicked so far.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn first(self) -> Option<Panic> {
        self.0
    }

    /// Lets the first panic continue, if there was one.
    pub(crate) fn resume(self) {
        if let Some(panic) = self.0 {
            panic.resume();
        }
    }
}

/// Runs code of the program. An error if it panicked.
pub(crate) fn catch<R>(code: impl FnOnce() -> R) -> Result<R, Panic> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| Panic(Quiet::new(payload)))
}

/// Drops a value of the program. A panic of it ends here.
pub(crate) fn drop_quietly<T>(value: T) {
    let mut panic = catch_unwind(AssertUnwindSafe(|| drop(value))).err();
    for _ in 0..TRIES {
        let Some(payload) = panic else { return };
        panic = catch_unwind(AssertUnwindSafe(|| drop(payload))).err();
    }
    mem::forget(panic);
}

/// Drops values of the program one by one: two that panic in one destructor end the process.
pub(crate) fn drop_each_quietly<T>(values: impl IntoIterator<Item = T>) {
    values.into_iter().for_each(drop_quietly);
}

/// Drops each value, also if one before it panics. The first panic then continues; it drops the result.
pub(crate) fn after_dropping<T, R>(values: impl IntoIterator<Item = T>, result: R) -> R {
    let mut panics = Panics::default();
    panics.drop_each(values);
    if let Some(panic) = panics.first() {
        drop_quietly(result);
        panic.resume();
    }
    result
}
