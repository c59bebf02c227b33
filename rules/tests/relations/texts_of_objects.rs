//! What findings say of objects, whole.

use super::graphs::{capture, replay};
use super::registered::register;
use super::support::*;
use super::virtual_memory::{map, physical, reserve};
use ascendcl_rules::*;

#[test]
fn objects_that_have_ended_are_told_by_rule() {
    let run = |then: &dyn Fn(&mut Program, Object, [Object; 2])| {
        says(|p| {
            let (block, stream, model) = (p.malloc(64), p.stream(), p.load(None, None));
            let datasets = [0; 2].map(|_| p.dataset(block).0);
            p.unload(model);
            p.destroy(datasets[0]);
            then(p, model, datasets);
            p.run(model, datasets[0], datasets[1], stream);
        })
    };
    // The second dataset lives, so the program may go on with it.
    assert_eq!(run(&|_, _, _| {}), "\
MODEL-14 is broken by aclmdlExecuteAsync (call 14, thread 0)
  found:    model 262144 is used after it ended
  expected: a live model
  object:   model 262144, made by aclmdlLoadFromFileWithMem (call 5, thread 0), last used by aclmdlUnload (call 12, thread 0)
  earlier:  aclmdlUnload (call 12, thread 0) ended the model
  fix:      unload each model once, after its last run
DATA-05 is broken by aclmdlExecuteAsync (call 14, thread 0)
  found:    dataset 0x60000 is used after it ended
  expected: a live dataset
  object:   dataset 0x60000, made by aclmdlCreateDataset (call 7, thread 0), last used by aclmdlDestroyDataset (call 13, thread 0)
  earlier:  aclmdlDestroyDataset (call 13, thread 0) ended the dataset
  fix:      destroy each object once, by its own call, after its last use
");
    // All of it has ended but the stream.
    assert_eq!(run(&|p, _, datasets| p.destroy(datasets[1])), "\
MODEL-14 is broken by aclmdlExecuteAsync (call 15, thread 0)
  found:    model 262144 is used after it ended
  expected: a live model
  object:   model 262144, made by aclmdlLoadFromFileWithMem (call 5, thread 0), last used by aclmdlUnload (call 12, thread 0)
  object:   dataset 0x60000, made by aclmdlCreateDataset (call 7, thread 0), last used by aclmdlDestroyDataset (call 13, thread 0)
  object:   dataset 0x80000, made by aclmdlCreateDataset (call 10, thread 0), last used by aclmdlDestroyDataset (call 14, thread 0)
  earlier:  aclmdlUnload (call 12, thread 0) ended the model
  fix:      unload each model once, after its last run
");
}

#[test]
fn a_graph_that_uses_freed_memory_is_named_and_nothing_else_is() {
    let touched = says(|p| {
        let h = p.malloc_host(64);
        p.free_host(h);
        let touch = p.event("an instruction", Object::PROCESS, Op::Touch);
        p.see(&touch.using(memory(h, 64, Access::Read, Role::Instruction, None)), Outcome::Success);
    });
    assert_eq!(
        touched,
        "\
MEM-01 is broken by an instruction (call 5, thread 0)
  found:    64 bytes at 0x20000 are used as an operand of an instruction after the block was freed
  expected: a block that was not freed
  object:   memory 0x20000, made by aclrtMallocHost (call 3, thread 0), last used by aclrtFreeHost (call 4, thread 0)
  earlier:  aclrtFreeHost (call 4, thread 0) freed the block
  fix:      free the block after its last use
"
    );
    // Memory of the program is its own again after the registration, but the graph uses it as pinned memory.
    let replayed = says(|p| {
        let (page, a, stream) = (register(p), p.malloc(64), p.stream());
        let event = p.event("aclrtHostUnregister", page, Op::FreeHost).flag(Flag::Registered);
        p.see(&event, Outcome::Success);
        let graph = capture(p, a, page);
        replay(p, graph, stream);
    });
    assert_eq!(replayed, "\
GRAPH-05 is broken by aclmdlRIExecuteAsync (call 8, thread 0)
  found:    64 bytes at 0x20000 are used as the source of a copy by captured graph 0x50000 after the block was freed
  expected: a block that was not freed
  object:   memory 0x20000, made by aclrtHostRegisterV2 (call 3, thread 0), last used by aclrtHostUnregister (call 6, thread 0)
  object:   captured graph 0x50000, made by aclmdlRICaptureEnd (call 7, thread 0)
  earlier:  aclrtHostUnregister (call 6, thread 0) freed the block
  fix:      free the block after its last use
");
}

#[test]
fn a_copy_between_devices_names_them_in_order() {
    let text = says(|p| {
        let a = p.malloc(64);
        p.set(1);
        let b = p.malloc(64);
        p.copy(b, a, None);
    });
    assert_eq!(
        text,
        "\
COPY-08 is broken by aclrtMemcpy (call 6, thread 0)
  found:    memory is copied between the devices 0 and 1
  expected: access between the two devices is enabled
  object:   memory 0x30000, made by aclrtMalloc (call 5, thread 0)
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0)
  fix:      call aclrtDeviceCanAccessPeer, then aclrtDeviceEnablePeerAccess
"
    );
}

#[test]
fn a_side_of_a_copy_is_too_short() {
    let run = |said: u64, of: Role| {
        says(|p| {
            let (a, h) = (p.malloc(64), p.malloc_host(128));
            let (access, other) = match of {
                Role::Source => (Access::Read, Access::Write),
                _ => (Access::Write, Access::Read),
            };
            let room = Use::Room { said: Span::new(a.number, said), known: None };
            let event = p.event("aclrtMemcpy", a, Op::Use).using(memory(a, said, access, of, None)).using(room);
            p.see(&event.using(memory(h, 64, other, Role::Contents, None)), Outcome::Success);
        })
    };
    assert_eq!(
        run(65, Role::Source),
        "\
COPY-01 is broken by aclrtMemcpy (call 5, thread 0)
  found:    the call reads 65 bytes at 0x20000, but only 64 bytes are there
  expected: as many bytes as the source has
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0)
  earlier:  aclrtMalloc (call 3, thread 0) allocated the block
  fix:      pass the size that the memory was allocated with, less what comes before the address
"
    );
    assert_eq!(
        run(65, Role::Target),
        "\
COPY-01 is broken by aclrtMemcpy (call 5, thread 0)
  found:    the call says that there is room for 65 bytes at 0x20000, but only 64 bytes are there
  expected: the capacity of the destination
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0)
  earlier:  aclrtMalloc (call 3, thread 0) allocated the block
  fix:      pass the size that the memory was allocated with, less what comes before the address
"
    );
    assert_eq!(run(64, Role::Source), "");
}

#[test]
fn a_range_has_memory_of_one_origin() {
    let run = |imported: [bool; 2]| {
        says(|p| {
            let range = reserve(p, 128);
            for (index, is_imported) in imported.into_iter().enumerate() {
                let at = range.number + 64 * index as u64;
                let handle = match is_imported {
                    false => physical(p, 0),
                    true => {
                        let event = p.event("aclrtMemImportFromShareableHandle", Object::physical(0), Op::Allocate);
                        let event = event.flag(Flag::Imported).using(Use::With(Object::device(0)));
                        p.create(&event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE)))
                    }
                };
                map(p, at, handle);
            }
        })
    };
    assert_eq!(run([false, true]), "\
VMM-02 is broken by aclrtMapMem (call 7, thread 0)
  found:    imported memory is to be mapped in reserved range 0x20000, where own memory is mapped
  expected: all bytes of one handle, and in each range memory of one device, all imported or all own
  object:   reserved range 0x20000, made by aclrtReserveMemAddress (call 3, thread 0)
  object:   memory 0x20000, made by aclrtMapMem (call 5, thread 0)
  fix:      map the whole handle from its start on (offset 0), and reserve a range for each device, and one for imported memory
");
    assert_eq!(run([true, false]), "\
VMM-02 is broken by aclrtMapMem (call 7, thread 0)
  found:    own memory is to be mapped in reserved range 0x20000, where imported memory is mapped
  expected: all bytes of one handle, and in each range memory of one device, all imported or all own
  object:   reserved range 0x20000, made by aclrtReserveMemAddress (call 3, thread 0)
  object:   memory 0x20000, made by aclrtMapMem (call 5, thread 0)
  fix:      map the whole handle from its start on (offset 0), and reserve a range for each device, and one for imported memory
");
}

#[test]
fn a_report_names_the_last_use_of_contexts_channels_and_memory() {
    let context = says(|p| {
        p.on(1).set(0);
        let context = p.on(0).new_context(0);
        p.on(1).choose(context);
        p.on(0).destroy_context(context);
    });
    assert_eq!(context, "\
CTX-11 is broken by aclrtDestroyContext (call 6, thread 0)
  found:    context 0x20000 is destroyed while it is current on 1 other thread(s)
  expected: the context is current on no other thread
  object:   context 0x20000, made by aclrtCreateContext (call 4, thread 0), last used by aclrtSetCurrentContext (call 5, thread 1)
  earlier:  aclrtSetCurrentContext (call 5, thread 1) made it current on its own thread, where it still is
  fix:      let the thread make another context current first, such as the default context of its device
");
    let channel = says(|p| {
        p.on(1).set(0);
        let creates = p.on(0).event("acldvppCreateChannel", Object::channel(0), Op::Create);
        let channel = p.create(&creates);
        let other = p.on(1).event("acldvppVpcResize", Object::PROCESS, Op::Use).using(Use::With(channel));
        p.begin(&other);
        let own = p.on(0).event("acldvppVpcResize", Object::PROCESS, Op::Use).using(Use::With(channel));
        p.see(&own, Outcome::Success);
        p.checker.commit(&other, Outcome::Success);
    });
    assert_eq!(channel, "\
DVPP-01 is broken by acldvppVpcResize (call 6, thread 0)
  found:    two threads use channel of media processing 0x20000 at the same time
  expected: a channel for each thread
  object:   channel of media processing 0x20000, made by acldvppCreateChannel (call 4, thread 0), last used by acldvppVpcResize (call 5, thread 1)
  earlier:  acldvppVpcResize (call 5, thread 1) uses the channel, and has not returned
  fix:      create a channel for each thread, or hold a lock around its calls
");
    let block = says(|p| {
        let a = p.malloc(64);
        p.data_buffer(a, 64);
        let h = p.malloc_host(64);
        let copy = p.event("aclrtMemcpy", h, Op::Use).flag(Flag::Untouched);
        let copy = copy.using(memory(h, 64, Access::Write, Role::Target, None));
        p.see(&copy.using(memory(a, 64, Access::Read, Role::Source, None)), Outcome::Success);
    });
    assert_eq!(
        block,
        "\
warning: MEM-07 is broken by aclrtMemcpy (call 6, thread 0)
  found:    64 bytes at 0x20000 are copied, and nothing was written to the block since it was allocated
  expected: memory that a copy, a fill or a model has written
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0), last used by aclCreateDataBuffer (call 4, thread 0)
  earlier:  aclrtMalloc (call 3, thread 0) allocated the block
  fix:      write the memory first (aclrtMemset, aclrtMemcpy), or do not copy it
"
    );
}

#[test]
fn a_report_names_the_set_that_made_a_context_or_has_no_reset() {
    let destroyed = says(|p| {
        p.on(1).set(0);
        p.on(0).set(0);
        p.destroy_context(Object::context(1000));
    });
    assert_eq!(
        destroyed,
        "\
CTX-02 is broken by aclrtDestroyContext (call 5, thread 0)
  found:    a default context is destroyed
  expected: a context that aclrtCreateContext created
  object:   context 0x3e8, made by aclrtSetDevice (call 2, thread 0)
  earlier:  aclrtSetDevice (call 2, thread 0) set the device, which created the context
  fix:      do not destroy it: it ends with the last reset of its device
"
    );
    // A reset belongs to the thread's last set.
    let left = says(|p| {
        p.on(0).set(0);
        p.reset(0);
        p.finalise();
    });
    assert_eq!(
        left,
        "\
DEV-06 is broken by aclFinalize (call 5, thread 0)
  found:    device 0 was set more often than it was reset, and the library is finalised
  expected: as many resets as sets: what a device has stays there until the last one
  object:   device 0
  earlier:  aclrtSetDevice (call 2, thread 0) set the device, and no reset belongs to it
  fix:      call aclrtResetDevice once for each aclrtSetDevice
"
    );
}
