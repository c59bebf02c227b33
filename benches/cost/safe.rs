//! The operations through the safe layer, in a scope and in a runtime.

use crate::allocator;
use crate::common;
use crate::count::rounds;
use crate::operations::Operation;
use ascendcl::capture::CaptureMode;
use ascendcl::{Acl, Brand, Current, Runtime, Thread};
use std::path::Path;

ascendcl::names!(Measured);

pub(crate) fn scope(library: &Path, operation: Operation, n: u32) {
    let acl = Acl::init(common::library_at(library)).unwrap();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let ran = device.context(&mut thread, |context, thread| match operation {
        Operation::Enter => rounds(n, (), |()| context.enter(thread, |_| ()).unwrap(), |()| ()),
        _ => context.enter(thread, |current| in_context(library, current, operation, n)).unwrap(),
    });
    ran.unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
}

pub(crate) fn runtime(library: &Path, operation: Operation, n: u32) {
    let runtime = Runtime::<Measured>::open(common::library_at(library)).unwrap();
    match operation {
        Operation::Enter => rounds(n, (), |()| runtime.with(|_| ()).unwrap(), |()| ()),
        _ => runtime.with(|current| in_context(library, current, operation, n)).unwrap(),
    }
    runtime.close().unwrap();
}

fn in_context<C: Brand>(library: &Path, current: &mut Current<C>, operation: Operation, n: u32) {
    match operation {
        Operation::Allocator | Operation::Pool => return allocator::of_the_crate(library, current, operation, n),
        Operation::Run => return run(current, n),
        Operation::Replay => return replay(current, n),
        Operation::Stream | Operation::Event | Operation::Buffer => return made(current, operation, n),
        _ => (),
    }
    let current = &*current;
    let stream = current.stream().unwrap().without_allocator();
    let host = current.host_buffer::<u8>(64).unwrap();
    let device = current.upload(&[0_u8; 64]).unwrap();
    match operation {
        Operation::Copy => rounds(
            n,
            (host, device),
            |(host, device)| stream.copy_to_device(current, host, device),
            |pending| pending.unwrap().wait(current).unwrap(),
        ),
        Operation::CopyAndWait => rounds(
            n,
            (host, device),
            |(host, device)| stream.copy_to_device(current, host, device)?.wait(current).map_err(ascendcl::Error::from),
            |both| both.unwrap(),
        ),
        Operation::Set => rounds(
            n,
            device,
            |device| stream.set_bytes(current, device, 1),
            |pending| pending.unwrap().wait(current).unwrap(),
        ),
        Operation::Record => {
            let event = stream.record(current, current.event().unwrap()).unwrap();
            rounds(n, event, |event| stream.record(current, event), |event| event.unwrap());
        }
        Operation::WaitFor => {
            let event = stream.record(current, current.event().unwrap()).unwrap();
            rounds(n, (), |()| stream.wait_for(current, &event), |done| done.unwrap());
        }
        Operation::CallBack => rounds(
            n,
            (),
            |()| stream.launch_host_fn(current, || ()),
            |reply| {
                let reply = reply.unwrap();
                // The library runs it now.
                assert!(reply.is_complete(current).unwrap());
                reply.wait(current).unwrap().into_result().unwrap();
            },
        ),
        Operation::Execute => {
            let model = current.load_model("model").unwrap().bind(current, &[], &[]).unwrap();
            rounds(n, model, |model| stream.execute(current, model), |pending| pending.unwrap().wait(current).unwrap());
        }
        Operation::Synchronize => rounds(n, (), |()| stream.synchronize(current), |done| done.unwrap()),
        Operation::CopyNow => {
            let (mut device, elements) = (device, [0_u8; 64]);
            rounds(n, (), |()| device.copy_from(current, &elements), |done| done.unwrap());
        }
        _ => unreachable!("measured elsewhere"),
    }
}

fn run<C: Brand>(current: &mut Current<C>, n: u32) {
    let mut model = current.load_model("model").unwrap().bind(current, &[], &[]).unwrap();
    rounds(n, (), |()| model.run(current), |done| done.unwrap());
}

fn replay<C: Brand>(current: &mut Current<C>, n: u32) {
    let mut stream = current.stream().unwrap().without_allocator();
    let operands = (current.host_buffer::<u8>(64).unwrap(), current.upload(&[0_u8; 64]).unwrap());
    let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (host, mut device)| {
        (0..100).try_for_each(|_| capture.copy_to_device(&host, &mut device))
    });
    let current = &*current;
    rounds(n, graph.unwrap(), |graph| stream.replay(current, graph), |pending| pending.unwrap().wait(current).unwrap());
}

fn made<C: Brand>(current: &Current<C>, operation: Operation, n: u32) {
    let destroyed = |destroyed: Result<(), ascendcl::Error>| destroyed.unwrap();
    match operation {
        Operation::Stream => {
            rounds(n, (), |()| current.stream()?.destroy(current).map_err(ascendcl::Error::from), destroyed)
        }
        Operation::Event => {
            rounds(n, (), |()| current.event()?.destroy(current).map_err(ascendcl::Error::from), destroyed)
        }
        _ => {
            rounds(n, (), |()| current.device_buffer::<u8>(64)?.free(current).map_err(ascendcl::Error::from), destroyed)
        }
    }
}
