//! Runtimes on a device of their own, which are closed by force with work in flight.

use crate::actor::Actor;
use crate::program::{Kind, Program};
use crate::world::SEEN;
use ascendcl::runtime::{self, CloseError};
use ascendcl::{Current, DeviceBuffer, Error, Library, Pending, Runtime, Setup, Stream};
use std::mem;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

ascendcl::names!(Forced);

/// One for the contexts of a program, and one for its runtimes.
pub(crate) const DEVICES: u32 = 2;
const DEVICE: i32 = 1;

struct Values {
    _stream: Stream<Forced>,
    work: Pending<Forced, DeviceBuffer<Forced, u8>>,
}

impl Actor<'_, '_> {
    /// Opens a runtime, gives it work, and closes it by force. Several threads may do so at a time, each on a thread of
    /// its own, because this one is inside a context.
    pub(crate) fn close_by_force(&self, a: u16, b: u16) {
        let world = self.world;
        if world.faults.last {
            // What the library refuses again and again is lost with the device, and stays for the rest of the process.
            return;
        }
        let patience = world.faults.patience();
        let whole = || {
            // What a default context has is lost when its device is reset by force, which only a fault leads to.
            let default = b.is_multiple_of(5) && world.faults.kind == Kind::None;
            let setup = Setup::builder().library(Library::Simulator).device(DEVICE).teardown_timeout(patience);
            let setup = setup.default_context(default).build();
            let Some(runtime) = world.well("opening a runtime", Runtime::<Forced>::open(setup)) else { return };
            let values = runtime.with(|current| work(current, a)).and_then(|values| values);
            let values = world.well("work in a runtime", values);
            match runtime.close_by_force(patience) {
                // What is lost stays for the rest of the process.
                Ok(lost) => assert!(lost.is_empty(), "lost with the device: {lost:?}"),
                Err(CloseError::Teardown { errors }) => {
                    errors.iter().for_each(|error| world.failed("closing a runtime by force", error));
                }
                Err(refused) => panic!("closing a runtime by force: {refused}"),
            }
            SEEN.forced.fetch_add(1, Relaxed);
            assert!(runtime.with(|_| ()).is_err(), "a closed runtime was entered");
            if let Some(Values { work, .. }) = values {
                match b % 3 {
                    0 => mem::forget(work),
                    _ => drop(work),
                }
            }
            // It is closed, or the sweep tries again.
            if b.is_multiple_of(2) { drop(runtime) } else { drop(runtime.close()) }
        };
        let well = thread::scope(|scope| {
            thread::Builder::new().name("random program, runtime".into()).spawn_scoped(scope, whole).unwrap().join()
        });
        assert!(well.is_ok(), "a thread panicked");
    }
}

fn work(current: &mut Current<Forced>, a: u16) -> Result<Values, Error> {
    let (stream, other) = (current.stream()?, current.stream()?);
    let bytes = 1 + usize::from(a % 100);
    for _ in 0..a % 3 {
        let set = other.set_bytes(current, current.device_buffer::<u8>(bytes)?, a as u8)?;
        let copy = other.copy_to_host(current, set, current.host_buffer(bytes)?)?;
        if a.is_multiple_of(2) {
            mem::forget(copy);
        }
    }
    let recorded = other.record(current, current.event()?)?;
    stream.wait_for(current, &recorded)?;
    mem::forget(recorded);
    let work = stream.set_bytes(current, current.device_buffer::<u8>(bytes)?, 1)?;
    Ok(Values { _stream: stream, work })
}

/// Whether something of runtimes is left. Without faults there is nothing.
pub(crate) fn what_is_left_is_swept(program: &Program) -> bool {
    let mut errors = Vec::new();
    // The thread may be one that has its token.
    thread::scope(|scope| {
        errors = scope.spawn(|| runtime::sweep(Some(program.faults.patience()))).join().unwrap();
    });
    assert!(errors.is_empty() || program.faults.kind != Kind::None, "{errors:?}");
    !errors.is_empty()
}

/// Nothing goes wrong any more. Where work failed on the device, a first wait for each stream tells that.
pub(crate) fn all_is_swept() {
    let sweep = || thread::spawn(|| runtime::sweep(Some(Duration::from_secs(20)))).join().unwrap();
    let left: Vec<_> = (0..4).map(|_| sweep()).take_while(|errors| !errors.is_empty()).collect();
    assert!(left.len() < 4, "sweeping fails again and again: {left:?}");
}
