//! Runtimes that are closed by force, with work that ends and with work that hangs, while each call of the library fails
//! once.
//!
//! Whatever fails: closing by force ends with a value, what it could not do is done the next time, and the device can be
//! taken again and works.

use crate::harness::{End, Pairs, Tally, at_each_pair, at_each_position, begin_with, found, kind, left_alive};
use ascendcl::runtime::{self, CloseError};
use ascendcl::{Current, Error, HostBuffer, Library, Runtime, Setup};
use ascendcl_sim::{Checks, Config, Fault, Plan, control};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

ascendcl::names!(Forced);

/// A device that no other test takes: what is lost of one stays taken.
const DEVICE: i32 = 2;

const BRIEFLY: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_secs(10);

/// What does not change from run to run: the device works; hangs; hangs, and its work cannot be discarded.
const MACHINES: [(&str, &str); 3] = [
    ("a runtime", ""),
    ("a runtime that hangs", "aclrtMemsetAsync#2=hang,"),
    ("a runtime that is reset", "aclrtMemsetAsync#2=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000,"),
];

fn open() -> Result<Runtime<Forced>, Error> {
    Runtime::open(Setup::builder().library(Library::Simulator).device(DEVICE).build())
}

/// Work of which a part is awaited, a part is dropped and a part is forgotten.
fn work(current: &mut Current<Forced>) -> Result<HostBuffer<Forced, u8>, Error> {
    let (stream, other) = (current.stream()?, current.stream()?);
    let set = stream.set_bytes(current, current.device_buffer::<u8>(64)?, 1)?.wait(current)?;
    let kept = current.host_buffer::<u8>(64)?;
    drop(stream.copy_to_host(current, set, current.host_buffer(64)?)?);
    mem::forget(other.set_bytes(current, current.device_buffer::<u8>(64)?, 2)?);
    drop(other.record(current, current.event()?)?);
    Ok(kept)
}

fn run(machine: &str, plan: &str) -> End {
    begin_with(Config::new().devices(3).checks(Checks::Report), &format!("{machine}{plan}"));
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let runtime = open()?;
        let worked = runtime.with(work).and_then(|worked| worked);
        let limit = if machine.is_empty() { LONG } else { BRIEFLY };
        let closed = runtime.close_by_force(limit);
        Ok::<_, Error>((runtime, worked, closed))
    }));
    let (calls, mut injected) = (control::calls(), control::injected());
    injected.retain(|injected| injected.fault == Fault::Fails(507_899));
    control::fail(Plan::new()).unwrap();
    let Ok(ran) = ran else { panic!("{machine}{plan}: the program panicked") };
    let (mut wrong, mut again) = (Vec::new(), false);
    let error = match ran {
        Err(error) => Some(kind(&error)),
        Ok((runtime, worked, closed)) => {
            again = closed.is_err();
            wrong.extend(
                closed
                    .as_ref()
                    .err()
                    .filter(|error| !matches!(error, CloseError::Teardown { .. }))
                    .map(|e| e.to_string()),
            );
            let lost = closed.or_else(|_| runtime.close_by_force(LONG));
            match lost {
                // With the device everything in it has ended.
                Ok(lost) => wrong.extend(lost),
                Err(error) => wrong.push(format!("closing once more failed: {error}")),
            }
            worked.err().map(|error| kind(&error))
        }
    };
    wrong.extend(runtime::sweep(Some(LONG)).iter().map(|error| format!("the sweep: {error}")));
    wrong.extend(left_alive().map(|left| format!("left alive:{left}")));
    match open() {
        Err(error) => wrong.push(format!("opening another one: {error}")),
        Ok(next) => {
            let worked = next.with(|current| current.upload(&[7_u8])?.to_vec(current));
            wrong.extend(worked.and_then(|worked| worked).err().map(|error| format!("in another one: {error}")));
            // The device is nobody else's, so it could be reset by force.
            control::fail("aclrtDestroyContext#1=507899".parse().unwrap()).unwrap();
            wrong.extend(next.close_by_force(LONG).err().map(|error| format!("closing another one: {error}")));
            control::fail(Plan::new()).unwrap();
        }
    }
    wrong.extend(found());
    let wrong = wrong.into_iter().map(|wrong| format!("{machine}{plan}: {wrong}")).collect();
    End { calls, injected, error, again, wrong }
}

#[test]
fn each_call_of_a_runtime_that_is_closed_by_force_fails_once_and_nothing_is_left() {
    let mut sum = Tally::default();
    for (name, machine) in MACHINES {
        sum += at_each_position("*", name, "507899", |plan| run(machine, plan));
    }
    assert!(sum.positions > 60, "{sum:?}");
}

#[test]
fn two_calls_of_a_runtime_that_is_closed_by_force_fail_and_nothing_is_left() {
    let mut sum = Tally::default();
    for (name, machine) in MACHINES {
        sum += at_each_pair(Pairs { next: 3, one_of: 31 }, name, "507899", |plan| run(machine, plan));
    }
    assert!(sum.positions > 200, "{sum:?}");
}
