//! Runs programs with a device, in a context, or with a current context.

use super::{acl, library};
use ascendcl::{Acl, Context, Current, Device, Error, RunError, Scoped, Thread};
use ascendcl_sim::control;

/// Runs `program` with a device, then resets the device and closes the library.
#[track_caller]
pub fn with_device<R>(acl: Acl, program: impl FnOnce(&Device<'_>, &mut Thread) -> R) -> R {
    let mut thread = Thread::new().unwrap();
    let simulated = acl.library().is_simulator();
    let device = acl.device(&mut thread, 0).unwrap();
    let result = program(&device, &mut thread);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    // Tests of other libraries run at the same time as tests of the simulator, and must not check the simulator's
    // findings.
    if simulated {
        let found: Vec<_> = control::take_findings().iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
    result
}

/// Runs `program` in a context of the simulator that threads can enter, then closes everything.
#[track_caller]
pub fn in_context<R>(program: impl for<'c> FnOnce(&'c Context<Scoped<'c>>, &mut Thread) -> R) -> R {
    with_device(acl(), |device, thread| device.context(thread, program).unwrap())
}

/// Runs `program` in a context of the simulator that is current, then closes everything.
#[track_caller]
pub fn inside<R>(program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> R) -> R {
    with_device(acl(), |device, thread| device.with_current(thread, program).unwrap())
}

/// Runs `program` with the short form, `ascendcl::run`.
#[track_caller]
pub fn run<T>(program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> Result<T, Error>) -> T {
    match ascendcl::run(library(), program) {
        Ok(result) => result,
        Err(RunError::Program(error)) => panic!("the program failed: {error}"),
        Err(error) => panic!("the scopes around the program failed: {error}"),
    }
}
