//! What findings say of queued work, whole.

use super::graphs::capture;
use super::support::*;
use ascendcl_rules::*;

#[test]
fn a_dataset_that_a_queued_run_has_is_changed_or_destroyed() {
    let run = |then: &dyn Fn(&mut Program, Object, Object)| {
        says(|p| {
            let (block, stream, model) = (p.malloc(64), p.stream(), p.load(None, None));
            let (dataset, _) = p.dataset(block);
            let other = p.data_buffer(block, 64);
            p.run(model, dataset, dataset, stream);
            then(p, dataset, other);
        })
    };
    assert_eq!(run(&|p, dataset, other| p.add(dataset, other)), "\
warning: DATA-10 is broken by aclmdlAddDatasetBuffer (call 11, thread 0)
  found:    dataset 0x60000 is changed while a queued run has it
  expected: the run is complete
  object:   dataset 0x60000, made by aclmdlCreateDataset (call 7, thread 0), last used by aclmdlExecuteAsync (call 10, thread 0)
  earlier:  aclmdlExecuteAsync (call 10, thread 0) queued a run on stream 0x30000 with it
  fix:      synchronise the run's stream first
");
    assert_eq!(run(&|p, dataset, _| p.destroy(dataset)), "\
warning: DATA-10 is broken by aclmdlDestroyDataset (call 11, thread 0)
  found:    dataset 0x60000 is destroyed while a queued run has it
  expected: the run is complete
  object:   dataset 0x60000, made by aclmdlCreateDataset (call 7, thread 0), last used by aclmdlExecuteAsync (call 10, thread 0)
  earlier:  aclmdlExecuteAsync (call 10, thread 0) queued a run on stream 0x30000 with it
  fix:      synchronise the run's stream first
");
}

/// What is said of a source that has changed since this call was given to a stream.
fn altered(queues: impl FnOnce(&mut Program, Object, Object) -> Event) -> String {
    let mut text = String::new();
    let found = findings(|p| {
        let (h, stream) = (p.malloc_host(64), p.stream());
        let queues = queues(p, h, stream);
        p.begin(&queues);
        let work = p.checker.queued_by(Thread(0)).unwrap();
        p.checker.commit(&queues, Outcome::Success);
        let check = p.event("a check", Object::stream(0), Op::Alter);
        let check = check.using(memory(h, 64, Access::Read, Role::Source, None));
        text = p.checker.altered(&check, &work)[0].to_string();
    });
    assert_eq!(found, []);
    text.lines().filter(|line| !line.starts_with("  rule:")).fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn a_source_has_changed_since_a_copy_or_a_replay_was_queued() {
    let copy = altered(|p, h, stream| {
        let event = p.event("aclrtMemcpyAsync", stream, Op::Use).using(Use::Queue(stream));
        event.using(memory(h, 64, Access::Read, Role::Source, None))
    });
    assert_eq!(copy, "\
COPY-04 is broken by a check (call 6, thread 0)
  found:    64 bytes at 0x20000 have changed since stream 0x30000 was given a copy of them
  expected: the source of a queued copy does not change until the work is complete
  object:   memory 0x20000, made by aclrtMallocHost (call 3, thread 0), last used by aclrtMemcpyAsync (call 5, thread 0)
  object:   stream 0x30000, made by aclrtCreateStream (call 4, thread 0), last used by aclrtMemcpyAsync (call 5, thread 0)
  earlier:  aclrtMemcpyAsync (call 5, thread 0) queued the copy
  fix:      synchronise stream 0x30000 (aclrtSynchronizeStream) before writing to the memory
");
    let replay = altered(|p, h, stream| {
        let a = p.malloc(64);
        let graph = capture(p, a, h);
        p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(stream))
    });
    assert_eq!(replay, "\
COPY-04 is broken by a check (call 8, thread 0)
  found:    64 bytes at 0x20000 have changed since stream 0x30000 was given a replay of captured graph 0x50000, which reads them
  expected: the source of a queued copy does not change until the work is complete
  object:   memory 0x20000, made by aclrtMallocHost (call 3, thread 0), last used by aclmdlRIExecuteAsync (call 7, thread 0)
  object:   captured graph 0x50000, made by aclmdlRICaptureEnd (call 6, thread 0), last used by aclmdlRIExecuteAsync (call 7, thread 0)
  object:   stream 0x30000, made by aclrtCreateStream (call 4, thread 0), last used by aclmdlRIExecuteAsync (call 7, thread 0)
  earlier:  aclmdlRIExecuteAsync (call 7, thread 0) queued the replay
  fix:      synchronise stream 0x30000 (aclrtSynchronizeStream) before writing to the memory
");
}

#[test]
fn the_streams_that_have_to_be_ordered_are_each_named_once() {
    let run = |times: &[usize]| {
        says(|p| {
            let (a, host, last) = (p.malloc(64), p.malloc_host(256), p.stream());
            let streams = [0; 2].map(|_| p.stream());
            for (index, number) in times.iter().enumerate() {
                let to = Object::memory(host.number + 64 * index as u64);
                p.copy(to, a, streams[*number]);
            }
            let from = p.malloc_host(64);
            p.copy(a, from, last);
        })
    };
    assert_eq!(run(&[0]), "\
STREAM-04 is broken by aclrtMemcpyAsync (call 10, thread 0)
  found:    stream 0x40000 writes 64 bytes at 0x20000 as the destination of a copy or fill, and stream 0x50000, which reads 64 bytes at 0x20000 as the source of a copy, may still be running
  expected: one stream waits for the other
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0), last used by aclrtMemcpyAsync (call 8, thread 0)
  object:   stream 0x50000, made by aclrtCreateStream (call 6, thread 0), last used by aclrtMemcpyAsync (call 8, thread 0)
  earlier:  aclrtMemcpyAsync (call 8, thread 0) queued work that uses the memory
  fix:      record an event on stream 0x50000 after its work, and let stream 0x40000 wait for it (aclrtStreamWaitEvent)
");
    assert_eq!(run(&[0, 1, 1]), "\
STREAM-04 is broken by aclrtMemcpyAsync (call 12, thread 0)
  found:    stream 0x40000 writes 64 bytes at 0x20000 as the destination of a copy or fill, and stream 0x50000, which reads 64 bytes at 0x20000 as the source of a copy, may still be running; so may stream 0x60000
  expected: one stream waits for the other
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0), last used by aclrtMemcpyAsync (call 10, thread 0)
  object:   stream 0x50000, made by aclrtCreateStream (call 6, thread 0), last used by aclrtMemcpyAsync (call 8, thread 0)
  object:   stream 0x60000, made by aclrtCreateStream (call 7, thread 0), last used by aclrtMemcpyAsync (call 10, thread 0)
  earlier:  aclrtMemcpyAsync (call 8, thread 0) queued work that uses the memory
  fix:      record an event on stream 0x50000 and stream 0x60000 after the work there, one event for each, and let stream 0x40000 wait for all of them (aclrtStreamWaitEvent)
");
}

#[test]
fn the_blocks_of_one_missing_wait_are_each_named_once() {
    // Both sides of a copy are in a block that the other stream writes.
    let within = says(|p| {
        let (a, h, streams) = (p.malloc(128), p.malloc_host(64), [0; 2].map(|_| p.stream()));
        p.copy(a, h, streams[0]);
        p.copy(a, a, streams[1]);
    });
    assert_eq!(within, "\
STREAM-04 is broken by aclrtMemcpyAsync (call 8, thread 0)
  found:    stream 0x50000 writes 64 bytes at 0x20000 as the destination of a copy or fill, and stream 0x40000, which writes 64 bytes at 0x20000 as the destination of a copy or fill, may still be running
  expected: one stream waits for the other
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0), last used by aclrtMemcpyAsync (call 7, thread 0)
  object:   stream 0x40000, made by aclrtCreateStream (call 5, thread 0), last used by aclrtMemcpyAsync (call 7, thread 0)
  earlier:  aclrtMemcpyAsync (call 7, thread 0) queued work that uses the memory
  fix:      record an event on stream 0x40000 after its work, and let stream 0x50000 wait for it (aclrtStreamWaitEvent)
");
    // Two parts of the second block.
    let twice = says(|p| {
        let (a, h, streams) = (p.malloc(64), p.malloc(128), [0; 2].map(|_| p.stream()));
        let part = Object::memory(h.number + 64);
        p.copy(a, h, streams[0]);
        p.copy(h, part, streams[0]);
        p.copy(part, h, streams[0]);
        let event = p.event("aclrtMemcpyBatchAsync", streams[1], Op::Use).using(Use::Queue(streams[1]));
        let event = event.using(memory(a, 64, Access::Read, Role::Source, None));
        let event = event.using(memory(h, 64, Access::Write, Role::Target, None));
        p.see(&event.using(memory(part, 64, Access::Write, Role::Target, None)), Outcome::Success);
    });
    assert_eq!(twice, "\
STREAM-04 is broken by aclrtMemcpyBatchAsync (call 10, thread 0)
  found:    stream 0x50000 reads 64 bytes at 0x20000 as the source of a copy, and stream 0x40000, which writes 64 bytes at 0x20000 as the destination of a copy or fill, may still be running
  expected: one stream waits for the other
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0), last used by aclrtMemcpyAsync (call 7, thread 0)
  object:   stream 0x40000, made by aclrtCreateStream (call 5, thread 0), last used by aclrtMemcpyAsync (call 9, thread 0)
  object:   memory 0x30000, made by aclrtMalloc (call 4, thread 0), last used by aclrtMemcpyAsync (call 9, thread 0)
  earlier:  aclrtMemcpyAsync (call 7, thread 0) queued work that uses the memory
  fix:      record an event on stream 0x40000 after its work, and let stream 0x50000 wait for it (aclrtStreamWaitEvent)
");
    // The file of a model is read at once, its working memory only by its runs.
    let loaded = says(|p| {
        let (a, b, h, stream) = (p.malloc_host(64), p.malloc(64), p.malloc_host(128), p.stream());
        p.copy(a, h, stream);
        p.copy(b, h, stream);
        let load = p.event("aclmdlLoadFromMemWithMem", Object::model(0), Op::Load);
        let load = load.using(memory(a, 64, Access::Read, Role::Image, HOST));
        p.create(&load.using(memory(b, 64, Access::Write, Role::Workspace, DEVICE)));
    });
    assert_eq!(loaded, "\
COPY-03 is broken by aclmdlLoadFromMemWithMem (call 9, thread 0)
  found:    this call reads 64 bytes at 0x20000 as a model's file, and stream 0x50000, which writes 64 bytes at 0x20000 as the destination of a copy or fill, may still be running
  expected: the work is complete: a thread has waited for it
  object:   memory 0x20000, made by aclrtMallocHost (call 3, thread 0), last used by aclrtMemcpyAsync (call 7, thread 0)
  object:   stream 0x50000, made by aclrtCreateStream (call 6, thread 0), last used by aclrtMemcpyAsync (call 8, thread 0)
  earlier:  aclrtMemcpyAsync (call 7, thread 0) queued work that uses the memory
  fix:      synchronise stream 0x50000 first (aclrtSynchronizeStream)
");
}

fn late(p: &mut Program, stream: Object) {
    let event = p.event("aclrtSynchronizeStreamWithTimeout", stream, Op::Synchronize);
    p.see(&event, Outcome::TimedOut);
}

#[test]
fn a_wait_that_timed_out_is_a_mistake_of_its_own() {
    // What the other stream uses is not named with it: nobody has waited for that.
    let blocks = says(|p| {
        let (a, b, h, streams) = (p.malloc(64), p.malloc(64), p.malloc_host(64), [0; 2].map(|_| p.stream()));
        p.copy(a, h, streams[0]);
        p.copy(b, h, streams[1]);
        late(p, streams[0]);
        p.copy(a, b, None);
    });
    assert_eq!(blocks, "\
STREAM-16 is broken by aclrtMemcpy (call 11, thread 0)
  found:    this call writes 64 bytes at 0x20000 as the destination of a copy or fill, and stream 0x50000, which writes 64 bytes at 0x20000 as the destination of a copy or fill, may still be running
  expected: the work is complete: a thread has waited for it
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0), last used by aclrtMemcpyAsync (call 8, thread 0)
  object:   stream 0x50000, made by aclrtCreateStream (call 6, thread 0), last used by aclrtSynchronizeStreamWithTimeout (call 10, thread 0)
  earlier:  aclrtMemcpyAsync (call 8, thread 0) queued work that uses the memory
  fix:      synchronise stream 0x50000 first (aclrtSynchronizeStream)
");
    let streams = says(|p| {
        let (a, h, streams) = (p.malloc(64), p.malloc_host(128), [0; 2].map(|_| p.stream()));
        p.copy(h, a, streams[0]);
        p.copy(Object::memory(h.number + 64), a, streams[1]);
        late(p, streams[0]);
        let from = p.malloc_host(64);
        p.copy(a, from, None);
    });
    assert_eq!(streams, "\
STREAM-16 is broken by aclrtMemcpy (call 11, thread 0)
  found:    this call writes 64 bytes at 0x20000 as the destination of a copy or fill, and stream 0x40000, which reads 64 bytes at 0x20000 as the source of a copy, may still be running
  expected: the work is complete: a thread has waited for it
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0), last used by aclrtMemcpyAsync (call 8, thread 0)
  object:   stream 0x40000, made by aclrtCreateStream (call 5, thread 0), last used by aclrtSynchronizeStreamWithTimeout (call 9, thread 0)
  earlier:  aclrtMemcpyAsync (call 7, thread 0) queued work that uses the memory
  fix:      synchronise stream 0x40000 first (aclrtSynchronizeStream)
");
}

#[test]
fn a_stream_is_destroyed_after_a_wait_that_timed_out_or_none() {
    let destroyed = |times_out: bool| {
        says(|p| {
            let stream = p.stream();
            p.work(stream);
            if times_out {
                late(p, stream);
            }
            p.destroy(stream);
        })
    };
    assert_eq!(destroyed(true), "\
STREAM-05 is broken by aclrtDestroyStream (call 6, thread 0)
  found:    stream 0x20000 is destroyed, but no wait has shown that its work is complete
  expected: all its work is complete
  object:   stream 0x20000, made by aclrtCreateStream (call 3, thread 0), last used by aclrtSynchronizeStreamWithTimeout (call 5, thread 0)
  earlier:  aclrtSynchronizeStreamWithTimeout (call 5, thread 0) waited for it and timed out
  fix:      call aclrtSynchronizeStream before aclrtDestroyStream
");
    assert_eq!(destroyed(false), "\
STREAM-05 is broken by aclrtDestroyStream (call 5, thread 0)
  found:    stream 0x20000 is destroyed, but no wait has shown that its work is complete
  expected: all its work is complete
  object:   stream 0x20000, made by aclrtCreateStream (call 3, thread 0), last used by aclrtMemsetAsync (call 4, thread 0)
  earlier:  aclrtCreateStream (call 3, thread 0) created the stream
  fix:      call aclrtSynchronizeStream before aclrtDestroyStream
");
}
