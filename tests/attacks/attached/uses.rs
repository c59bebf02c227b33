//! What an attached object uses, and where it may call the library while it ends.

use super::super::leaving::{current_handle, resets_device, sets_device};
use super::super::undisturbed;
use super::*;
use ascendcl::Setup;
use ascendcl::raw::{InFlight, LastUse};
use std::sync::mpsc::Receiver;

#[proves(DEV_10, MEM_02)]
#[test]
fn what_a_dropped_object_uses_is_not_collected_before_it_has_ended() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        let lists = (vec![current.upload(&[7_u8]).unwrap()], vec![current.stream().unwrap()]);
        let event = vec![(current.event().unwrap(), current.host_buffer::<u8>(1).unwrap())];
        let used = (lists, event, crate::model(current), current.upload(&[8_u8]).unwrap().into_shared());
        let before = control::live();
        drop(attach(current, log.probe::<STREAMS>("one"), used));
        collect(current);
        assert_eq!((log.names(), control::live()), (vec![], before), "its work may run");
        release.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        let at_the_end = log.lived("one");
        assert_eq!((at_the_end.streams, at_the_end.device_blocks), (before.streams, before.device_blocks));
        assert_eq!((at_the_end.models, at_the_end.events), (before.models, before.events));
        collect(current);
        assert_eq!((control::live().streams, control::live().device_blocks), (1, 0), "they went after it");
    });
    assert_eq!(log.names(), ["one"]);
    alone.assert_nothing_lives();
}

#[proves(STREAM_09, DEV_10)]
#[test]
fn a_list_with_an_object_of_another_runtime_is_refused_and_comes_back() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    let open = || Runtime::<Worker>::open(library()).unwrap();
    let (first, second) = (open(), open());
    let other = first.with(|current| current.upload(&[7_u8]).unwrap()).unwrap();
    let back = second.with(|current| {
        let used = vec![current.upload(&[8_u8]).unwrap(), other];
        let refused = current.attach(log.probe::<STREAMS>("one"), used).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { what: ObjectKind::DEVICE_MEMORY, .. }), "{refused}");
        refused.value.1
    });
    let read = first.with(|current| back.unwrap().pop().unwrap().to_vec(current).unwrap());
    assert_eq!(read.unwrap(), [7]);
    first.close().unwrap();
    second.close().unwrap();
    assert_eq!(log.names(), [""; 0]);
    alone.assert_nothing_lives();
}

/// Asks whether it may call the library, in its own context and in another one.
struct Strays(Arc<Mutex<Vec<Result<(), Error>>>>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Strays {
    const NAME: &'static str = "stray";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        assert_eq!(current_handle(), from.context() as usize);
        let mut asked = self.0.lock().unwrap();
        asked.push(from.check_calls_allowed());
        sets_device(1);
        asked.push(from.check_calls_allowed());
        resets_device(1);
        Ok(())
    }
}

#[proves(CTX_05)]
#[test]
fn an_object_that_ends_is_told_when_another_context_is_current_while_calls_are_verified() {
    let (alone, _others) = undisturbed();
    let asked = Arc::default();
    let setup = Setup::builder().library(library()).device(0).verify_current(true).build();
    let ran = ascendcl::run(setup, |current| {
        let attached = current.attach(Strays(Arc::clone(&asked)), ()).map_err(Error::from).unwrap();
        attached.take_down(current).map_err(Error::from).unwrap();
        assert!(current.foreign(|| ()).changed);
        Ok::<_, Error>(())
    });
    ran.unwrap();
    let asked = asked.lock().unwrap();
    assert!(matches!(asked.as_slice(), [Ok(()), Err(Error::CurrentChanged { .. })]), "{asked:?}");
    alone.assert_nothing_lives();
}

/// Asks whether work with another object is over.
struct Asks(Arc<LastUse>, Arc<Mutex<Vec<bool>>>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Asks {
    const NAME: &'static str = "object that asks";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        self.1.lock().unwrap().push(from.is_over(&self.0));
        Ok(())
    }
}

impl InFlight for Asks {
    fn uses(&self) -> Vec<&LastUse> {
        vec![&self.0]
    }
}

#[proves(DEV_10, MEM_02)]
#[test]
fn an_object_that_ends_knows_the_work_of_its_own_context_only() {
    let (alone, asked) = (alone(), Arc::default());
    let runtimes = [(); 2].map(|()| Runtime::<Worker>::open(library()).unwrap());
    // In both contexts there is work with an object, and in the second one the object is asked for the work of the first.
    let marks = runtimes.each_ref().map(|runtime| {
        let marked = runtime.with(|current| {
            let mark = Arc::new(LastUse::never(current));
            let object = Asks(Arc::clone(&mark), Arc::clone(&asked));
            let stream = current.stream().unwrap();
            // SAFETY: it queues nothing.
            drop(unsafe { stream.submit_object(current, "asks", object, |_, _| Ok(())) }.map_err(Error::from).unwrap());
            mark
        });
        marked.unwrap()
    });
    runtimes[1]
        .with(|current| {
            for mark in marks.iter().rev() {
                let attached =
                    current.attach(Asks(Arc::clone(mark), Arc::clone(&asked)), ()).map_err(Error::from).unwrap();
                attached.take_down(current).map_err(Error::from).unwrap();
            }
        })
        .unwrap();
    assert_eq!(*asked.lock().unwrap(), [true, false]);
    runtimes.iter().for_each(|runtime| runtime.close().unwrap());
    alone.assert_nothing_lives();
}

/// Lets another thread queue work with its mark while it ends, and asks then.
struct AsksLater {
    asks: Asks,
    ends: Sender<()>,
    queued: Mutex<Receiver<()>>,
}

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for AsksLater {
    const NAME: &'static str = "object that asks later";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        self.ends.send(())?;
        self.queued.lock().unwrap().recv_timeout(Duration::from_secs(20))?;
        self.asks.take_down(from)
    }
}

#[proves(DEV_10, MEM_02)]
#[test]
fn an_object_that_ends_is_told_of_work_that_another_thread_queues_meanwhile() {
    let (alone, asked) = (alone(), Arc::default());
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    let ((ends, told), (queues, queued)) = (channel(), channel());
    let mark = Arc::new(runtime.with(|current| LastUse::never(current)).unwrap());
    let object = || Asks(Arc::clone(&mark), Arc::clone(&asked));
    thread::scope(|scope| {
        let (runtime, object) = (&runtime, &object);
        scope.spawn(move || {
            let queue = |current: &mut Current<Worker>| {
                let stream = current.stream().unwrap();
                told.recv_timeout(Duration::from_secs(20)).unwrap();
                // SAFETY: it queues nothing.
                let work = unsafe { stream.submit_object(current, "asks", object(), |_, _| Ok(())) };
                drop(work.map_err(Error::from).unwrap());
                queues.send(()).unwrap();
            };
            runtime.with(queue).unwrap();
        });
        let end = |current: &mut Current<Worker>| {
            let later = AsksLater { asks: object(), ends, queued: Mutex::new(queued) };
            let attached = current.attach(later, ()).map_err(Error::from).unwrap();
            attached.take_down(current).map_err(Error::from).unwrap();
        };
        runtime.with(end).unwrap();
    });
    assert_eq!(*asked.lock().unwrap(), [false]);
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
