//! Objects of a runtime inside of another one with the same name, when all functions are cached: calls take their fast path.

use super::*;
use ascendcl::peer::PeerAccess;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{BoundModel, DeviceBuffer, Event, Failed, event::Recorded};

/// One object of each kind that has a fast path.
struct Objects {
    stream: Stream<Worker, DefaultAllocator>,
    device: DeviceBuffer<Worker, u8>,
    host: HostBuffer<Worker, u8>,
    model: BoundModel<Worker>,
    event: Event<Worker, Recorded>,
}

impl Objects {
    fn new(current: &Current<Worker>) -> Self {
        let stream = current.stream().unwrap().without_allocator();
        let event = stream.record(current, current.event().unwrap()).unwrap();
        let (device, host) = (current.upload(&[1; 64]).unwrap(), current.host_buffer(64).unwrap());
        let mut model = model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        model.write(current, 0, &[0.5_f32; 64]).unwrap();
        Self { stream, device, host, model, event }
    }

    /// Uses each of them in each way.
    fn used(self, current: &mut Current<Worker>) -> Self {
        let Self { stream, mut device, host, mut model, event } = self;
        device.copy_from(current, &[2; 64]).unwrap();
        assert_eq!(device.to_vec(current).unwrap(), [2; 64]);
        let device = stream.set_bytes(current, device, 3).unwrap().wait(current).unwrap();
        let (device, host) = stream.copy_to_host(current, device, host).unwrap().wait(current).unwrap();
        assert_eq!(*host.slice(current).unwrap(), [3; 64]);
        let (host, device) = stream.copy_to_device(current, host, device).unwrap().wait(current).unwrap();
        model.run(current).unwrap();
        stream.run_bound(current, &mut model).unwrap();
        let model = stream.execute(current, model).unwrap().wait(current).unwrap();
        let event = stream.record(current, event).unwrap();
        stream.wait_for(current, &event).unwrap();
        stream.synchronize(current).unwrap();
        current.event().unwrap().destroy(current).unwrap();
        Self { stream, device, host, model, event }
    }

    fn end(self, current: &Current<Worker>) {
        let Self { stream, device, host, model, event } = self;
        device.free(current).unwrap();
        host.free(current).unwrap();
        model.into_model(current).unwrap().unload(current).unwrap();
        event.destroy(current).unwrap();
        stream.destroy(current).unwrap();
    }
}

#[track_caller]
fn wrong<T>(refused: Result<T, Error>) {
    let Err(error) = refused else { panic!("it was used inside of another runtime") };
    assert!(matches!(error, Error::WrongContext { .. }), "{error}");
}

#[track_caller]
fn back<T, V>(refused: Result<T, Failed<V>>) -> V {
    let Err(Failed { error, value, .. }) = refused else { panic!("it was used inside of another runtime") };
    assert!(matches!(error, Error::WrongContext { .. }), "{error}");
    value
}

/// Tries to use and to end the objects of another runtime.
fn refused(current: &mut Current<Worker>, own: Objects, other: Objects) -> (Objects, Objects) {
    let Objects { stream, mut device, mut host, mut model, mut event } = other;
    wrong(device.copy_from(current, &[4; 64]));
    wrong(device.to_vec(current));
    device = back(own.stream.set_bytes(current, device, 4));
    (device, host) = back(own.stream.copy_to_host(current, device, host));
    (host, device) = back(own.stream.copy_to_device(current, host, device));
    wrong(model.run(current));
    wrong(own.stream.run_bound(current, &mut model));
    model = back(own.stream.execute(current, model));
    event = back(own.stream.record(current, event));
    wrong(own.stream.wait_for(current, &event));
    wrong(stream.synchronize(current));
    let mut mine = own;
    mine.device = back(stream.set_bytes(current, mine.device, 4));
    (mine.device, mine.host) = back(stream.copy_to_host(current, mine.device, mine.host));
    (mine.host, mine.device) = back(stream.copy_to_device(current, mine.host, mine.device));
    mine.model = back(stream.execute(current, mine.model));
    mine.event = back(stream.record(current, mine.event));
    wrong(stream.wait_for(current, &mine.event));
    // A record that was refused before any call has not moved the event.
    assert_eq!(mine.event.milliseconds_since(current, &mine.event).unwrap(), 0.0);
    device = back(device.free(current));
    host = back(host.free(current));
    event = back(event.destroy(current));
    let stream = back(stream.destroy(current));
    (mine, Objects { stream, device, host, model, event })
}

#[proves(STREAM_09, STREAM_10, MEM_11, MODEL_01)]
#[test]
fn objects_of_a_runtime_are_used_and_ended_by_no_other_of_its_name_on_any_way() {
    let alone = alone();
    let (one, other) = (open(), open());
    let made =
        |runtime: &Runtime<Worker>| runtime.with(|current| Objects::new(current).used(current).used(current)).unwrap();
    let (mine, theirs) = (made(&one), made(&other));
    let (mine, theirs) = one.with(|current| refused(current, mine, theirs)).unwrap();
    one.with(|current| mine.used(current).end(current)).unwrap();
    other.with(|current| theirs.used(current).end(current)).unwrap();
    one.close().unwrap();
    other.close().unwrap();
    alone.assert_nothing_lives();
}

/// The scope could not wait for a stream of the second runtime, and the second one's buffer is not the first one's.
#[proves(COPY_04, COPY_08, MEM_11)]
#[test]
fn copies_from_another_device_are_queued_in_the_runtime_that_waits_for_them() {
    let alone = alone();
    let on = |device| Setup::builder().library(library()).device(device).build();
    let peers = Runtime::<Other>::open(on(1)).unwrap();
    let [one, two] = [(); 2].map(|()| Runtime::<Worker>::open(on(0)).unwrap());
    let sound = peers.with(|current| current.upload(&[1_u8; 64]).unwrap()).unwrap();
    let lost = two.with(|current| current.upload(&[2_u8; 64]).unwrap()).unwrap();
    let copies = |current: &mut Current<Worker>, access: &PeerAccess<Worker, Other>| {
        let stream = current.stream().unwrap();
        let waits = current.copy_scope(|current, copies| {
            back(copies.copy_from_peer(current, &stream, access, &sound, lost));
        });
        waits.unwrap();
        let waits = two.enter(current, |current| {
            current.copy_scope(|current, copies| {
                let copies_there = |current: &mut Current<Worker>| {
                    let room = current.device_buffer(64).unwrap();
                    back(copies.copy_from_peer(current, &stream, access, &sound, room));
                };
                one.enter(current, copies_there).unwrap();
            })
        });
        waits.unwrap().unwrap();
    };
    one.with(|current| current.with_peer(&peers, copies).unwrap()).unwrap();
    for runtime in [one, two] {
        runtime.close().unwrap();
    }
    peers.close().unwrap();
    alone.assert_nothing_lives();
}

/// The stream is idle, and streams of that runtime are destroyed at once.
#[proves(STREAM_06, STREAM_09)]
#[test]
fn an_idle_stream_is_not_destroyed_in_another_runtime_with_the_name() {
    let alone = alone();
    let [one, other] = [(); 2].map(|()| open());
    let stream = one.with(|current| current.stream().unwrap()).unwrap();
    let ends = |current: &mut Current<Worker>| {
        (0..3).for_each(|_| current.stream().unwrap().destroy(current).unwrap());
        stream.destroy(current).unwrap_err()
    };
    let refused = other.with(ends).unwrap();
    assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
    one.with(|current| refused.value.destroy(current).unwrap()).unwrap();
    one.close().unwrap();
    other.close().unwrap();
    alone.assert_nothing_lives();
}
