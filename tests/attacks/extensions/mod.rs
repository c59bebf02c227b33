//! What crates beside this one can do with the door: their objects in work, the streams, memory and allocators of the
//! program that they keep, and what they attach.

mod kept;
mod marks;
mod taken_back;

use super::{collect, inside};
use crate::common::{alone, assert_lives, library};
use ascendcl::error::{Extension, ExtensionError, ObjectKind};
use ascendcl::raw::{InFlight, KeptMemory, LastUse, tensors};
use ascendcl::{Brand, Current, Error, Failed, Pending, RuleId, Runtime, stream::StreamOps};
use ascendcl_macros::proves;
use ascendcl_rules::GE_10;
use std::ffi::c_void;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

ascendcl::names!(Worker);

const LONG: Duration = Duration::from_secs(20);

/// The error of a crate that does not exist.
#[derive(Debug, PartialEq)]
struct Refused(&'static str);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "refused: {} [GE-10]", self.0)
    }
}

impl std::error::Error for Refused {}

impl ExtensionError for Refused {
    fn rules(&self) -> &'static [RuleId] {
        const { &[GE_10] }
    }
}

impl From<Refused> for Error {
    fn from(error: Refused) -> Self {
        Extension::of(error).into()
    }
}

/// An object of that crate, and memory of the program that its work uses.
struct Counter {
    mark: Arc<LastUse>,
    memory: Vec<KeptMemory>,
}

impl Counter {
    fn new<C: Brand>(current: &Current<C>) -> Self {
        Self { mark: Arc::new(LastUse::never(current)), memory: Vec::new() }
    }
}

impl InFlight for Counter {
    fn uses(&self) -> Vec<&LastUse> {
        vec![&self.mark]
    }

    fn memory(&self) -> Vec<&KeptMemory> {
        self.memory.iter().collect()
    }
}

/// Work of that crate, which uses nothing.
fn counted<C: Brand>(
    current: &Current<C>,
    stream: &StreamOps<C>,
    counter: Counter,
    queue: impl FnOnce(*mut c_void) -> Result<(), Error>,
) -> Result<Pending<C, Counter>, Failed<Counter>> {
    // SAFETY: the callers queue nothing.
    unsafe { stream.submit_object(current, "counterAdd", counter, |stream, _| queue(stream)) }
}

/// Nothing that is queued behind this runs before something is sent.
pub(super) fn hold<C: Brand>(current: &Current<C>, stream: &StreamOps<C>) -> Sender<()> {
    let (release, released) = channel::<()>();
    mem::forget(stream.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok()).unwrap());
    release
}

#[proves(MEM_02, STREAM_04)]
#[test]
fn an_object_is_in_use_until_a_wait_has_covered_its_work_whatever_became_of_the_pending() {
    let alone = alone();
    inside(|current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let counter = Counter::new(current);
        let mark = Arc::clone(&counter.mark);
        assert!(mark.is_over(current) && !mark.is_in_doubt());
        let pending = counted(current, &stream, counter, |_| Ok(())).unwrap();
        assert!(!mark.is_over(current));
        other.synchronize(current).unwrap();
        assert!(!mark.is_over(current), "another stream says nothing");
        let counter = pending.wait(current).unwrap();
        assert!(mark.is_over(current));
        drop(counted(current, &stream, counter, |_| Ok(())).unwrap());
        assert!(!mark.is_over(current), "dropping ends no work");
        mem::forget(counted(current, &stream, Counter { mark: Arc::clone(&mark), memory: Vec::new() }, |_| Ok(())));
        stream.synchronize(current).unwrap();
        assert!(mark.is_over(current));
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, ERR_01)]
#[test]
fn work_that_was_refused_in_words_of_the_other_crate_gives_the_object_back() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let failed = counted(current, &stream, Counter::new(current), |_| Err(Refused("full").into())).unwrap_err();
        assert_eq!(failed.error.extension(), Some(&Refused("full")));
        assert_eq!(failed.error.rules(), [GE_10]);
        assert_eq!(failed.to_string(), "refused: full [GE-10]");
        assert!(failed.value.mark.is_over(current), "the stream was waited for");
        counted(current, &stream, failed.value, |_| Ok(())).unwrap().wait(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn memory_and_object_of_work_that_could_not_be_waited_for_are_in_doubt() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        let mut counter = Counter::new(current);
        let tensor = current.upload_tensor(&[4], &[1_f32; 4]).unwrap();
        let described = tensors(current, &tensor).unwrap().remove(0).unwrap();
        assert_eq!((described.dims.as_slice(), described.memory.bytes()), (&[4_i64][..], 16));
        counter.memory.push(described.memory);
        let failed = counted(current, &stream, counter, |_| Err(Refused("lost").into())).unwrap_err();
        assert_eq!(failed.error.extension(), Some(&Refused("lost")));
        assert!(failed.value.mark.is_in_doubt() && !failed.value.mark.is_over(current));
        let refused = tensor.into_buffer().free(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { .. }), "{refused}");
        assert!(matches!(refused.value.to_vec(current), Err(Error::InDoubt { .. })));
        assert!(matches!(refused.value.check_usable(current), Err(Error::InDoubt { .. })), "work may use it");
        release.send(()).unwrap();
        stream.synchronize(current).unwrap();
        assert!(failed.value.mark.is_over(current) && failed.value.mark.is_in_doubt());
        let again = counted(current, &stream, failed.value, |_| unreachable!()).unwrap_err();
        assert!(matches!(again.error, Error::InDoubt { .. }), "its memory takes no more work: {again}");
        refused.value.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_panic_while_work_is_queued_goes_on_and_the_object_is_not_idle_before_a_wait() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        let counter = Counter::new(current);
        let mark = Arc::clone(&counter.mark);
        let ran = catch_unwind(AssertUnwindSafe(|| counted(current, &stream, counter, |_| panic!("in the call"))));
        assert_eq!(ran.unwrap_err().downcast_ref(), Some(&"in the call"));
        assert!(!mark.is_over(current), "the call may have queued work before");
        release.send(()).unwrap();
        stream.synchronize(current).unwrap();
        assert!(mark.is_over(current));
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_09, MEM_11)]
#[test]
fn an_object_a_stream_and_a_tensor_of_another_runtime_with_the_name_are_refused() {
    let alone = alone();
    let runtimes = [(); 2].map(|()| Runtime::<Worker>::open(library()).unwrap());
    let [first, second] = &runtimes;
    let made = first.with(|current| {
        let tensor = current.upload_tensor(&[4], &[1_f32; 4]).unwrap();
        (Counter::new(current), current.stream().unwrap().keep(), tensor)
    });
    let (counter, kept, tensor) = made.unwrap();
    let mark = Arc::clone(&counter.mark);
    let kept = second
        .with(|current| {
            let stream = current.stream().unwrap();
            let refused = counted(current, &stream, counter, |_| unreachable!()).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{refused}");
            assert!(!mark.is_over(current), "this context does not know");
            assert!(matches!(kept.lend(current), Err(Error::WrongContext { what: ObjectKind::STREAM, .. })));
            assert!(matches!(kept.with_raw(|_| unreachable!()), Err::<(), _>(Error::WrongContext { .. })));
            assert!(matches!(tensors(current, &tensor), Err(Error::WrongContext { .. })));
            kept.into_stream(current).unwrap_err().value
        })
        .unwrap();
    let stream = first.with(|current| kept.into_stream(current).map_err(Error::from).unwrap()).unwrap();
    first.with(|current| stream.destroy(current).unwrap()).unwrap();
    drop(tensor);
    runtimes.iter().for_each(|runtime| runtime.close().unwrap());
    alone.assert_nothing_lives();
}

#[proves(STREAM_07, STREAM_08)]
#[test]
fn a_stream_that_is_kept_is_not_collected_and_ends_with_its_context() {
    let alone = alone();
    let kept = inside(|current| {
        let kept = current.stream().unwrap().keep();
        collect(current);
        assert_lives!(streams, 1);
        let done = kept.lend(current).unwrap().set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 7).unwrap();
        assert_eq!(done.wait(current).unwrap().to_vec(current).unwrap(), [7; 4]);
        drop(current.stream().unwrap().keep());
        collect(current);
        assert_lives!(streams, 1, "the dropped one has gone");
        kept
    });
    let ended = kept.with_raw(|_| unreachable!()).unwrap_err();
    assert!(matches!(ended, Error::Gone { what: ObjectKind::STREAM }), "{ended}");
    inside(|current| assert!(kept.lend(current).is_err()));
    alone.assert_nothing_lives();
}
