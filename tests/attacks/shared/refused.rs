//! Names of other contexts, calls that fail, and readers that another stream takes.

use super::*;
use crate::common::library;

#[proves(CTX_06, MEM_11)]
#[test]
fn names_that_outlive_their_runtime_do_nothing() {
    struct Holder {
        weights: SharedBuffer<Worker, f32>,
        runtime: Runtime<Worker>,
    }
    let alone = alone();
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    let weights = runtime.with(|current| table(current)).unwrap();
    let holder = Holder { weights, runtime };
    let (clone, view) = (holder.weights.clone(), holder.weights.slice(1..3).unwrap());
    let work = holder
        .runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            reads(current, &stream, holder.weights.clone())
        })
        .unwrap();
    holder.runtime.close().unwrap();
    alone.assert_nothing_lives();
    drop(work);
    drop(holder);
    let next = Runtime::<Worker>::open(library()).unwrap();
    next.with(|current| {
        let wrong = |error: &Error| matches!(error, Error::WrongContext { what: ObjectKind::DEVICE_MEMORY, .. });
        assert!(wrong(&clone.to_vec(current).unwrap_err()));
        let stream = current.stream().unwrap();
        let refused = stream.copy_to_host(current, clone.clone(), current.host_buffer(4).unwrap()).unwrap_err();
        assert!(wrong(&refused.error), "{}", refused.error);
        assert_eq!(refused.value.0.len(), 4);
        let view = view.try_unshare(current).unwrap_err();
        assert!(wrong(&view.error), "{}", view.error);
        drop((refused, clone));
        let last = view.value.try_unshare(current).unwrap_err();
        assert!(wrong(&last.error), "{}", last.error);
    })
    .unwrap();
    next.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_11)]
#[test]
fn memory_of_one_context_is_not_read_in_another_of_the_same_name() {
    let alone = alone();
    let (one, two) = (Runtime::<Other>::open(library()).unwrap(), Runtime::<Other>::open(library()).unwrap());
    let shared = one.with(|current| table(current)).unwrap();
    two.with(|current| {
        let stream = current.stream().unwrap();
        let own = current.device_buffer(4).unwrap();
        let refused = stream.copy_on_device(current, shared.slice(..).unwrap(), own).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        let (view, own) = refused.value;
        drop(view);
        let refused = stream.copy_on_device(current, shared.clone(), own).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
    })
    .unwrap();
    one.with(|current| shared.try_unshare(current).unwrap().free(current).unwrap()).unwrap();
    one.close().unwrap();
    two.close().unwrap();
    alone.assert_nothing_lives();
}

/// The copy fails, and so does the wait after it: one name is in doubt, the others are not.
#[proves(MEM_02)]
#[test]
fn a_name_that_a_failed_copy_may_use_keeps_the_memory_from_its_owner_and_from_no_reader() {
    let books = books();
    in_books(&books, |current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let shared = table(current);
        books.refuse("aclrtMemcpyAsync", TIMEOUT, 1);
        books.refuse_to_synchronize(TIMEOUT);
        let failed =
            stream.copy_to_host(current, shared.clone(), current.host_buffer(4).unwrap()).map(drop).unwrap_err();
        books.synchronize_again();
        let doubted = failed.value.0;
        let again = stream.copy_to_host(current, doubted, current.host_buffer(4).unwrap()).map(drop).unwrap_err();
        assert!(matches!(again.error, Error::InDoubt { .. }), "{}", again.error);
        reads(current, &other, shared.clone()).wait(current).unwrap();
        drop(again);
        let shared = not_alone(current, shared, still_running);
        stream.synchronize(current).unwrap();
        shared.try_unshare(current).unwrap().free(current).unwrap();
    });
}

#[proves(MEM_02)]
#[test]
fn every_refused_copy_gives_the_shared_memory_back_and_the_owner_takes_it() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        let mut owned = current.upload(&[1.0_f32; 4]).unwrap();
        for (name, code) in [("aclrtMemcpyAsync", 507_899), ("aclrtMemcpyAsync", 107_002)] {
            let shared = owned.into_shared();
            books.refuse(name, code, 1);
            let host = current.host_buffer(4).unwrap();
            let refused = stream.copy_to_host(current, shared.clone(), host).map(drop).unwrap_err();
            drop(refused.value);
            owned = shared.try_unshare(current).unwrap();
        }
        books.refuse("aclrtFree", 507_899, 1);
        let kept = owned.free(current).unwrap_err();
        kept.value.into_shared().try_unshare(current).unwrap().free(current).unwrap();
    });
}

/// The shared buffer is handed to another stream, which is then the one to be waited for.
#[proves(MEM_02, STREAM_04)]
#[test]
fn a_reader_that_another_stream_took_over_is_waited_for_there() {
    let alone = alone();
    inside(|current| {
        let ((first, go), (second, on)) = (held_at_work(current), held(current));
        let shared = table(current);
        let work = reads(current, &first, shared.clone());
        let event = first.record(current, current.event().unwrap()).unwrap();
        let work = second.adopt_after(current, work, &event).unwrap();
        let (source, host) = work.split();
        let more = second.copy_to_host(current, source, current.host_buffer(4).unwrap()).unwrap();
        drop((more, host));
        go.send(()).unwrap();
        first.synchronize(current).unwrap();
        let shared = not_alone(current, shared, still_running);
        on.send(()).unwrap();
        second.synchronize(current).unwrap();
        shared.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn swapped_readers_and_readers_of_the_wrong_stream_release_nothing_early() {
    let alone = alone();
    inside(|current| {
        let ((first, go), second) = (held(current), current.stream().unwrap());
        let (one, two) = (table(current), table(current));
        let (mut a, mut b) = (reads(current, &first, one.clone()), reads(current, &second, two.clone()));
        mem::swap(&mut a, &mut b);
        let (read, _) = a.wait(current).unwrap();
        drop((read, two.try_unshare(current).map(drop)));
        let one = not_alone(current, one, still_shared);
        let refused = second.copy_to_host(current, b.split().0, current.host_buffer(4).unwrap()).map(drop).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
        drop(refused);
        let one = not_alone(current, one, still_running);
        go.send(()).unwrap();
        first.synchronize(current).unwrap();
        one.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Shared, taken back and shared again, with work left behind in each round.
#[proves(MEM_02)]
#[test]
fn memory_that_is_shared_again_and_again_is_waited_for_each_time() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let mut owned = current.upload(&[0.0_f32; 4]).unwrap();
        for round in 0..20 {
            owned.copy_from(current, &[round as f32; 4]).unwrap();
            let shared = owned.into_shared();
            drop(reads(current, &stream, shared.clone()));
            stream.synchronize(current).unwrap();
            assert_eq!(shared.to_vec(current).unwrap(), [round as f32; 4]);
            owned = shared.try_unshare(current).unwrap();
        }
        let written: DeviceBuffer<Scoped<'_>, f32> =
            stream.set_bytes(current, owned, 0).unwrap().wait(current).unwrap();
        written.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// An allocation that finds no room frees what nobody names; a shared block that work reads is not among that.
#[proves(MEM_02, MEM_04)]
#[test]
fn an_allocation_without_room_frees_no_shared_memory_that_is_read() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        drop(reads(current, &stream, table(current)));
        drop(table(current));
        books.refuse("aclrtMalloc", 207_001, 1);
        let freed = books.calls("aclrtFree");
        current.device_buffer::<u8>(16).unwrap();
        assert_eq!(books.calls("aclrtFree"), freed + 1, "one was read, the other was not");
    });
}
