//! Values of one type that change places: graphs, builds, arenas, lanes' models, parts, futures.

use super::*;
use ascendcl::capture::CapturedGraph;
use ascendcl::memory::bytes_in_arena;
use ascendcl_macros::proves;

type Operands = (HostBuffer<Worker, u32>, DeviceBuffer<Worker, u32>, HostBuffer<Worker, u32>);

fn operands(current: &Current<Worker>, number: u32) -> Operands {
    let mut from = current.host_buffer(8).unwrap();
    from.slice_mut(current).unwrap().fill(number);
    (from, current.upload(&[0_u32; 8]).unwrap(), current.host_buffer(8).unwrap())
}

fn echo(
    current: &mut Current<Worker>,
    stream: &mut Stream<Worker, DefaultAllocator>,
    number: u32,
) -> CapturedGraph<Worker, Operands> {
    let operands = operands(current, number);
    let captured = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (from, mut device, mut to)| {
        capture.copy_to_device(&from, &mut device)?;
        capture.copy_to_host(&device, &mut to)
    });
    captured.unwrap()
}

#[proves(GRAPH_05, GRAPH_07)]
#[test]
fn replays_of_two_graphs_that_change_places_write_their_own_memory() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let (mut one, mut two) = (stream(current), stream(current));
            let (first, second) = (echo(current, &mut one, 1), echo(current, &mut two, 2));
            let (mut first, mut second) = (one.replay(current, first).unwrap(), two.replay(current, second).unwrap());
            mem::swap(&mut first, &mut second);
            // On the other stream it is refused, and comes back.
            let failed = one.replay(current, first).unwrap_err();
            assert!(matches!(failed.error, Error::OtherStream { .. }), "{failed}");
            let (mut first, mut second) = (failed.value.wait(current).unwrap(), second.wait(current).unwrap());
            assert_eq!(first.operands(current).unwrap().2, [2; 8]);
            assert_eq!(second.operands(current).unwrap().2, [1; 8]);
            mem::swap(&mut first, &mut second);
            let (_, device, to) = first.into_operands(current).unwrap();
            assert_eq!((device.to_vec(current).unwrap(), to.slice(current).unwrap()), (vec![1; 8], &[1_u32; 8][..]));
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05, GRAPH_08)]
#[test]
fn builds_that_change_places_between_their_steps_name_their_own_operands() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let run = stream(current);
            let mut one = current.build_graph(operands(current, 1)).unwrap();
            let mut two = current.build_graph(operands(current, 2)).unwrap();
            for _ in 0..2 {
                one.add(current, |tasks, (from, mut device, _)| tasks.copy_to_device(&from, &mut device)).unwrap();
                mem::swap(&mut one, &mut two);
            }
            mem::swap(&mut one, &mut two);
            for build in [&mut one, &mut two] {
                build.add(current, |tasks, (_, device, mut to)| tasks.copy_to_host(&device, &mut to)).unwrap();
            }
            for (build, number) in [(one, 2), (two, 1)] {
                let graph = build.end(current).unwrap();
                let mut graph = run.replay(current, graph).unwrap().wait(current).unwrap();
                assert_eq!(graph.operands(current).unwrap().2, [number; 8]);
            }
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_02, MEM_08)]
#[test]
fn arenas_that_change_places_are_reset_when_their_own_parts_are_gone() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let own = stream(current);
            let arena = || current.device_arena(2 * bytes_in_arena::<u8>(64)).unwrap();
            let (mut one, mut two) = (arena(), arena());
            let part = one.take::<u8>(64).unwrap();
            let release = hold(current, &own);
            let work = own.set_bytes(current, part, 7).unwrap();
            mem::swap(&mut one, &mut two);
            one.reset(current).unwrap();
            assert!(matches!(two.reset(current), Err(Error::StillShared)));
            drop(work);
            assert!(matches!(two.reset(current), Err(Error::StillRunning { .. })));
            let failed = two.free(current).unwrap_err();
            assert!(matches!(failed.error, Error::StillRunning { .. }), "{failed}");
            let mut two = mem::replace(&mut one, failed.value);
            two.take::<u8>(64).unwrap();
            release.send(()).unwrap();
            own.synchronize(current).unwrap();
            one.reset(current).unwrap();
            one.free(current).unwrap();
            two.free(current).unwrap();
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DATA_02, MODEL_14)]
#[test]
fn bound_models_that_change_places_in_their_fields_run_on_their_own_memory() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let (one, two) = (stream(current), stream(current));
            let bound = |pixel: f32| {
                let mut model = model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
                model.write(current, 0, &[pixel; 64]).unwrap();
                model
            };
            let (mut first, mut second) = (bound(0.1), bound(0.9));
            one.run_bound(current, &mut first).unwrap();
            one.run_bound(current, &mut second).unwrap();
            let scores = [&first, &second].map(|model| model.read::<f32>(current, 0).unwrap());
            assert_ne!(scores[0], scores[1]);
            let release = hold(current, &one);
            // Given up on the first stream; what takes its place is not.
            assert!(one.run_bound_within(current, &mut first, Duration::from_millis(5)).is_err());
            mem::swap(&mut first, &mut second);
            first.write(current, 0, &[0.9_f32; 64]).unwrap();
            two.run_bound(current, &mut first).unwrap();
            assert_eq!(first.read::<f32>(current, 0).unwrap(), scores[1]);
            assert!(matches!(second.write(current, 0, &[0.0_f32; 64]), Err(Error::StillRunning { .. })));
            // An input of its own is exchanged with one of the other's memory only when it has ended.
            let input = first.exchange_input::<f32>(current, 0, current.upload(&[0.5; 64]).unwrap()).unwrap();
            let input = input.write(current, &[0.1; 64]).unwrap();
            let failed = second.exchange_input(current, 0, input).unwrap_err();
            release.send(()).unwrap();
            one.synchronize(current).unwrap();
            second.exchange_input(current, 0, failed.value).unwrap();
            two.run_bound(current, &mut second).unwrap();
            assert_eq!(second.read::<f32>(current, 0).unwrap(), scores[0]);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_11, STREAM_09)]
#[test]
fn values_of_two_runtimes_of_one_name_that_change_places_are_refused_and_change_back() {
    let alone = alone();
    let (one, two) = (open(), open());
    let make = |runtime: &Runtime<Worker>| {
        runtime.with(|current| {
            let own = stream(current);
            let event = own.record(current, current.event().unwrap()).unwrap();
            let arena = current.device_arena(1024).unwrap();
            let shared = current.upload(&[1_u8; 64]).unwrap().into_shared();
            (own, event, arena, shared)
        })
    };
    let (mut first, mut second) = (make(&one).unwrap(), make(&two).unwrap());
    mem::swap(&mut first, &mut second);
    one.with(|current| {
        let (own, event, arena, shared) = &mut first;
        is_of_another(own.synchronize(current));
        is_of_another(event.synchronize(current));
        is_of_another(event.is_complete(current));
        is_of_another(event.milliseconds_since(current, event));
        is_of_another(arena.reset(current));
        is_of_another(shared.to_vec(current));
        is_of_another(shared.clone().try_unshare(current).map_err(|failed| failed.error));
        is_of_another(own.is_complete(current));
        let mine = stream(current);
        is_of_another(mine.wait_for(current, event));
        // A part handed out by the arena of the other one is of the other one.
        let part = arena.take::<u8>(16).unwrap();
        is_of_another(mine.set_bytes(current, part, 1).map_err(|failed| failed.error));
    })
    .unwrap();
    mem::swap(&mut first, &mut second);
    for (runtime, (own, event, mut arena, shared)) in [(&one, first), (&two, second)] {
        runtime
            .with(|current| {
                own.synchronize(current).unwrap();
                event.synchronize(current).unwrap();
                arena.reset(current).unwrap();
                assert_eq!(shared.try_unshare(current).unwrap().to_vec(current).unwrap(), [1; 64]);
            })
            .unwrap();
        runtime.close().unwrap();
    }
    alone.assert_nothing_lives();
}
