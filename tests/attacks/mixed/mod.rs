//! Two runtimes with one name: values of one are used in the other. Each use is refused, the value is returned, and no
//! object of the other context changes.

mod lent;
mod objects;

use super::{collect, finish, model, upload};
use crate::common::{Alone, alone, assert_lives, digits_in_batches_of, library, library_at, null_library};
use ascendcl::operator::Operator;
use ascendcl::{
    Brand, Current, DeviceBuffer, Error, HostBuffer, Input, Pending, Runtime, Stream,
    allocator::PoolAllocator,
    error::ObjectKind,
    model::{Load, ModelSource},
    stream::{AllocatorGroup, StreamOps},
};
use ascendcl_macros::proves;
use std::mem;

ascendcl::names!(Worker);

/// Two contexts that the compiler cannot tell apart.
struct Two {
    own: Runtime<Worker>,
    other: Runtime<Worker>,
    /// Last: what a test that fails leaves is taken down by the next one.
    alone: Alone,
}

impl Two {
    fn open() -> Self {
        let alone = alone();
        let open = || Runtime::open(library()).unwrap();
        Self { own: open(), other: open(), alone }
    }

    fn own<R>(&self, program: impl FnOnce(&mut Current<Worker>) -> R) -> R {
        self.own.with(program).unwrap()
    }

    fn other<R>(&self, program: impl FnOnce(&mut Current<Worker>) -> R) -> R {
        self.other.with(program).unwrap()
    }

    /// Both can be taken down, and no rule was broken.
    #[track_caller]
    fn close(self) {
        let Self { own, other, alone } = self;
        own.close().unwrap();
        other.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// Refused, because the value belongs to another context.
#[track_caller]
fn is_wrong<T>(result: Result<T, impl Into<Error>>, kind: ObjectKind) {
    match result.map_err(Into::into) {
        Err(Error::WrongContext { what, owner, current }) => {
            assert_eq!(what, kind);
            assert!(owner.is_some() && current.is_some() && owner != current);
        }
        Err(error) => panic!("refused for another reason: {error}"),
        Ok(_) => panic!("a {kind} of another context was taken"),
    }
}

/// As [`is_wrong`]; the value came back.
#[track_caller]
fn comes_back<T, V>(result: Result<T, ascendcl::Failed<V>>, kind: ObjectKind) -> V {
    let Err(ascendcl::Failed { error, value }) = result else { panic!("a {kind} of another context was taken") };
    is_wrong(Err::<(), _>(error), kind);
    value
}

fn buffers<C: Brand>(current: &Current<C>) -> (HostBuffer<C, f32>, DeviceBuffer<C, f32>) {
    (current.host_buffer(16).unwrap(), current.upload(&[1.0; 16]).unwrap())
}

#[proves(CTX_02, STREAM_06, STREAM_09, STREAM_10)]
#[test]
fn a_stream() {
    let two = Two::open();
    let stream = two.own(|current| current.stream().unwrap());
    let stream = two.other(|current| {
        let (host, device) = buffers(current);
        let (host, device) = comes_back(stream.copy_to_device(current, host, device), ObjectKind::STREAM);
        let (device, host) = comes_back(stream.copy_to_host(current, device, host), ObjectKind::STREAM);
        let device = comes_back(stream.set_bytes(current, device, 1), ObjectKind::STREAM);
        let (device, _) = comes_back(stream.copy_on_device(current, device, buffers(current).1), ObjectKind::STREAM);
        is_wrong(stream.synchronize(current), ObjectKind::STREAM);
        is_wrong(stream.is_complete(current), ObjectKind::STREAM);
        let event = comes_back(stream.record(current, current.event().unwrap()), ObjectKind::STREAM);
        let own = current.stream().unwrap();
        let event = own.record(current, event).unwrap();
        is_wrong(stream.wait_for(current, &event), ObjectKind::STREAM);
        is_wrong(stream.wait_across_contexts(current, &event), ObjectKind::STREAM);
        assert!(
            comes_back(stream.launch_host_fn(current, || ()), ObjectKind::STREAM).is_some(),
            "the callback came back"
        );
        let pool = PoolAllocator::new(current, 1024).unwrap();
        let (stream, _pool) = comes_back(stream.register(current, pool), ObjectKind::STREAM);
        drop((host, device, own));
        comes_back(stream.destroy(current), ObjectKind::STREAM)
    });
    two.own(|current| stream.destroy(current).unwrap());
    two.close();
}

#[proves(MEM_11)]
#[test]
fn memory_of_a_device() {
    let two = Two::open();
    let mut buffer = two.own(|current| buffers(current).1);
    let mut buffer = two.other(|current| {
        let kind = ObjectKind::DEVICE_MEMORY;
        let (stream, (host, own)) = (current.stream().unwrap(), buffers(current));
        is_wrong(buffer.to_vec(current), kind);
        is_wrong(buffer.copy_to(current, &mut [0.0; 16]), kind);
        is_wrong(buffer.copy_from(current, &[0.0; 16]), kind);
        buffer = comes_back(stream.set_bytes(current, buffer, 1), kind);
        let host = comes_back(stream.copy_to_device(current, host, mem::replace(&mut buffer, own)), kind);
        buffer = host.1;
        let (back, host) = comes_back(stream.copy_to_host(current, buffer, host.0), kind);
        let (back, own) = comes_back(stream.copy_on_device(current, back, buffers(current).1), kind);
        let (own, back) = comes_back(stream.copy_on_device(current, own, back), kind);
        let (own, back) = comes_back(stream.copy_part_on_device(current, own, 0..4, back, 0), kind);
        let mut seen = [0.0; 16];
        let lent = current.copy_scope(|current, copies| {
            let back = comes_back(copies.copy_to_device(current, &stream, &[0.0; 16], back), kind);
            is_wrong(copies.copy_to_host(current, &stream, back, &mut seen), kind);
        });
        lent.unwrap();
        drop((host, own));
        current.upload(&[1.0; 16]).unwrap()
    });
    // The copies's last attempt dropped the first buffer; this one is the other runtime's.
    buffer = two.own(|current| match buffer.free(current) {
        Err(failed) => {
            assert!(matches!(failed.error, Error::WrongContext { .. }), "{}", failed.error);
            failed.value
        }
        Ok(()) => panic!("memory of another context was freed"),
    });
    two.other(|current| buffer.free(current).unwrap());
    two.close();
}

#[proves(COPY_04, MEM_11)]
#[test]
fn a_stream_of_another_context_gets_no_borrowed_memory() {
    let two = Two::open();
    let stream = two.own(|current| current.stream().unwrap());
    let (mut seen, given) = ([0.0_f32; 16], [2.0_f32; 16]);
    two.other(|current| {
        let lent = current.copy_scope(|current, copies| {
            let buffer = current.upload(&[1.0; 16]).unwrap();
            let buffer = comes_back(copies.copy_to_device(current, &stream, &given, buffer), ObjectKind::STREAM);
            is_wrong(copies.copy_to_host(current, &stream, buffer, &mut seen), ObjectKind::STREAM);
        });
        // The process would be aborted if the stream counted as one to wait for.
        lent.unwrap();
    });
    two.close();
}

#[proves(MEM_12)]
#[test]
fn memory_of_the_host() {
    let two = Two::open();
    let (pinned, pageable) =
        two.own(|current| (current.host_buffer::<f32>(16).unwrap(), current.pageable_buffer(vec![1.0_f32; 16])));
    let (mut pinned, mut pageable) = (pinned, pageable);
    let (mut pinned, pageable) = two.other(|current| {
        is_wrong(pinned.slice(current), ObjectKind::PINNED_MEMORY);
        is_wrong(pinned.slice_mut(current), ObjectKind::PINNED_MEMORY);
        is_wrong(pageable.slice(current), ObjectKind::PAGEABLE_MEMORY);
        is_wrong(pageable.slice_mut(current), ObjectKind::PAGEABLE_MEMORY);
        let stream = current.stream().unwrap();
        let device = current.device_buffer(16).unwrap();
        let (pageable, _) = comes_back(stream.copy_to_device(current, pageable, device), ObjectKind::PAGEABLE_MEMORY);
        let (_, pinned) =
            comes_back(stream.copy_to_host(current, buffers(current).1, pinned), ObjectKind::PINNED_MEMORY);
        (pinned, comes_back(pageable.into_vec(current), ObjectKind::PAGEABLE_MEMORY))
    });
    two.own(|current| {
        pinned.slice_mut(current).unwrap().fill(2.0);
        assert_eq!(pinned.slice(current).unwrap(), [2.0; 16]);
        assert_eq!(pageable.into_vec(current).unwrap(), [1.0; 16]);
    });
    two.close();
}

/// The program would have memory that the device still writes.
#[proves(MEM_02, COPY_04)]
#[test]
fn memory_in_flight_is_not_given_back_by_a_wait_in_another_context() {
    let two = Two::open();
    let (stream, release, work) = two.own(|current| {
        let stream = current.stream().unwrap();
        let (release, released) = std::sync::mpsc::channel::<()>();
        mem::forget(stream.launch_host_fn(current, move || released.recv().is_ok()).unwrap());
        let host = current.host_buffer::<f32>(16).unwrap();
        let work = stream.copy_to_host(current, buffers(current).1, host).unwrap();
        (stream, release, work)
    });
    let work = two.other(|current| comes_back(work.wait(current), ObjectKind::STREAM));
    release.send(()).unwrap();
    two.own(|current| {
        let (_, host) = work.wait(current).unwrap();
        assert_eq!(host.slice(current).unwrap(), [1.0; 16]);
        stream.destroy(current).unwrap();
    });
    two.close();
}

#[proves(EVENT_07, STREAM_09)]
#[test]
fn an_event() {
    let two = Two::open();
    let (stream, event, first) = two.own(|current| {
        let stream = current.stream().unwrap();
        let event = stream.record(current, current.event().unwrap()).unwrap();
        let first = stream.record(current, current.event().unwrap()).unwrap();
        (stream, event, first)
    });
    let event = two.other(|current| {
        let own = current.stream().unwrap();
        is_wrong(event.synchronize(current), ObjectKind::EVENT);
        is_wrong(event.is_complete(current), ObjectKind::EVENT);
        is_wrong(event.milliseconds_since(current, &first), ObjectKind::EVENT);
        is_wrong(own.wait_for(current, &event), ObjectKind::EVENT);
        let event = comes_back(own.record(current, event), ObjectKind::EVENT);
        // This one is for events of other contexts.
        own.wait_across_contexts(current, &event).unwrap();
        own.synchronize(current).unwrap();
        comes_back(event.destroy(current), ObjectKind::EVENT)
    });
    two.own(|current| {
        event.destroy(current).unwrap();
        stream.destroy(current).unwrap();
    });
    two.close();
}

/// Work of one context would count as waited for by a stream of the other.
#[proves(STREAM_04, MEM_02)]
#[test]
fn work_is_not_taken_over() {
    let two = Two::open();
    let (stream, work, event) = two.own(|current| {
        let stream = current.stream().unwrap();
        let work = upload(current, &stream);
        let event = stream.record(current, current.event().unwrap()).unwrap();
        (stream, work, event)
    });
    let work = two.other(|current| {
        let own = current.stream().unwrap();
        let theirs = own.record(current, current.event().unwrap()).unwrap();
        let work = comes_back(own.adopt_after(current, work, &event), ObjectKind::EVENT);
        let Err(failed) = own.adopt_after(current, work, &theirs) else { panic!("an event of another stream") };
        assert!(matches!(failed.error, Error::NotCovered), "{}", failed.error);
        failed.value
    });
    two.own(|current| drop((work.wait(current).unwrap(), stream.destroy(current).unwrap())));
    two.close();
}

/// The handle of a destroyed context has the address of the next one.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_runtime_that_is_opened_again_does_not_know_the_values_of_the_first() {
    let alone = alone();
    let open = || Runtime::<Worker>::open(library()).unwrap();
    let first = open();
    let (stream, (host, device)) = first.with(|current| (current.stream().unwrap(), buffers(current))).unwrap();
    first.close().unwrap();
    assert!(matches!(first.with(|_| ()), Err(Error::Gone { what: ObjectKind::RUNTIME })));
    let second = open();
    second
        .with(|current| {
            is_wrong(host.slice(current), ObjectKind::PINNED_MEMORY);
            is_wrong(device.to_vec(current), ObjectKind::DEVICE_MEMORY);
            is_wrong(stream.synchronize(current), ObjectKind::STREAM);
            drop((stream, host, device));
            collect(current);
        })
        .unwrap();
    second.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_02)]
#[test]
fn a_runtime_of_another_library() {
    let two = Two::open();
    let null = Runtime::<Worker>::open(library_at(null_library())).unwrap();
    let (stream, buffer) = two.own(|current| (current.stream().unwrap(), buffers(current).1));
    null.with(|current| {
        is_wrong(stream.synchronize(current), ObjectKind::STREAM);
        is_wrong(buffer.to_vec(current), ObjectKind::DEVICE_MEMORY);
    })
    .unwrap();
    null.close().unwrap();
    drop((stream, buffer));
    two.close();
}

/// Nested: the inner context's values under the outer one, and back.
#[proves(CTX_05, CTX_07)]
#[test]
fn a_runtime_inside_another() {
    let two = Two::open();
    two.own
        .with(|outer| {
            let theirs = two.other.enter(outer, |inner| inner.upload(&[1_u8]).unwrap()).unwrap();
            is_wrong(theirs.to_vec(outer), ObjectKind::DEVICE_MEMORY);
            let own = outer.upload(&[2_u8]).unwrap();
            two.other
                .enter(outer, |inner| {
                    is_wrong(own.to_vec(inner), ObjectKind::DEVICE_MEMORY);
                    assert_eq!(theirs.to_vec(inner).unwrap(), [1]);
                })
                .unwrap();
            assert_eq!(own.to_vec(outer).unwrap(), [2]);
        })
        .unwrap();
    two.close();
}

/// A value is as good as any other after it was swapped with one of its type.
#[proves(CTX_02)]
#[test]
fn runtimes_that_change_places() {
    let mut two = Two::open();
    let buffer = two.own(|current| current.upload(&[1_u8]).unwrap());
    let Two { own, other, .. } = &mut two;
    mem::swap(own, other);
    two.own(|current| is_wrong(buffer.to_vec(current), ObjectKind::DEVICE_MEMORY));
    two.other(|current| assert_eq!(buffer.to_vec(current).unwrap(), [1]));
    assert_lives!(contexts, 2);
    two.close();
}
