//! Calls that come near to a mistake and are none, and two mistakes that are near to each other.

use super::graphs::{capture, capture_with, replay};
use super::support::*;
use super::virtual_memory::{physical, release};
use ascendcl_rules::*;

fn event_like(p: &mut Program, event: Event, flag: Flag) {
    p.see(&event.flag(flag), Outcome::Success);
}

#[test]
fn a_forced_reset_after_another_is_told_apart_from_one_reset_too_many() {
    let run = |first: Op, second: Op| {
        broken(|p| {
            p.call("aclrtResetDevice", Object::device(0), first);
            p.on(1).call("aclrtResetDevice", Object::device(0), second);
        })
    };
    assert_eq!(run(Op::ResetForce, Op::ResetForce), [DEV_08]);
    assert_eq!(run(Op::ResetForce, Op::Reset), [DEV_09]);
    assert_eq!(run(Op::Reset, Op::ResetForce), [DEV_07]);
}

#[test]
fn a_reset_that_is_not_forced_leaves_what_is_on_the_device_to_the_next_one() {
    // The context keeps the event until the device is set again, and is destroyed then.
    let run = |forced: bool| {
        broken(|p| {
            let event = p.mark();
            let context = p.new_context(0);
            p.choose(Object::context(1000));
            p.call("aclrtResetDevice", Object::device(0), if forced { Op::ResetForce } else { Op::Reset });
            p.set(0);
            p.destroy_context(context);
            p.reset(0);
            assert_eq!(event.kind, Kind::Event);
        })
    };
    assert_eq!(run(false), [DEV_10, DEV_10]);
    assert_eq!(run(true), []);
    // Only a forced reset ends a stream whose allocator a later one may inherit.
    let inherits = |op: Op| {
        broken(|p| {
            let (stream, descriptor) = (p.stream(), p.descriptor(&Member::ALL, 1));
            p.register(stream, descriptor);
            p.call("aclrtResetDevice", Object::device(0), op);
            p.set(0);
            p.stream();
        })
    };
    assert_eq!(inherits(Op::ResetForce), [ALLOC_16]);
    assert_eq!(inherits(Op::Reset), [DEV_02]);
}

#[test]
fn what_belongs_to_another_context_or_device_stays() {
    let context = broken(|p| {
        let ask = p.event("aclrtCtxGetCurrentDefaultStream", Object::stream(0), Op::AskDefaultStream);
        p.see(&ask, Outcome::Created(0x99));
        let other = p.new_context(0);
        p.choose(Object::context(1000));
        p.destroy_context(other);
        p.work(Object::stream(0x99));
        p.sync(Object::stream(0x99));
    });
    assert_eq!(context, []);
    let graph = broken(|p| {
        let (a, h) = (p.malloc(64), p.malloc_host(64));
        capture(p, a, h);
        let other = p.new_context(0);
        p.choose(Object::context(1000));
        p.destroy_context(other);
        p.free(a);
    });
    assert_eq!(graph, [GRAPH_05]);
    // The thread has another context than the one that it destroys.
    let thread = broken(|p| {
        let other = p.new_context(0);
        p.new_context(0);
        p.destroy_context(other);
        p.end_thread();
    });
    assert_eq!(thread, [CTX_14]);
    let device = broken(|p| {
        let a = p.malloc(64);
        p.call("aclrtDeviceEnablePeerAccess", Object::device(1), Op::EnablePeer);
        p.free(a);
        p.reset(0);
        p.set(0);
        let a = p.malloc(64);
        p.set(1);
        let b = p.malloc(64);
        p.copy(b, a, None);
    });
    assert_eq!(device, [COPY_08], "access ends with the device");
}

#[test]
fn what_belongs_to_a_device_ends_with_its_last_context() {
    let last = broken(|p| {
        let context = p.new_context(1);
        let event = p.mark();
        p.destroy_context(context);
        p.destroy(event);
    });
    assert_eq!(last, [EVENT_06], "an event ends with the last context of its device");
    let default = broken(|p| {
        let event = p.mark();
        p.destroy_context(Object::context(1000));
        p.destroy(event);
    });
    assert_eq!(default, [CTX_02]);
    let with_stream = broken(|p| {
        p.stream();
        p.destroy_context(Object::context(1000));
    });
    assert_eq!(with_stream, [CTX_02]);
    let shared = broken(|p| {
        p.malloc(64);
        p.new_context(0);
        p.choose(Object::context(1000));
        p.reset(0);
    });
    assert_eq!(shared, [DEV_10], "the other context has the memory");
}

#[test]
fn a_stream_that_ended_with_its_device_or_context_has_its_own_rule() {
    let said = |run: &dyn Fn(&mut Program) -> Object| {
        let found = findings(|p| {
            let stream = run(p);
            p.call("a query", stream, Op::Query);
        });
        let last = found.last().unwrap();
        (last.rule, last.fix.to_string())
    };
    let asked = |p: &mut Program| {
        let ask = p.event("aclrtCtxGetCurrentDefaultStream", Object::stream(0), Op::AskDefaultStream);
        p.see(&ask, Outcome::Created(0x99));
        Object::stream(0x99)
    };
    let handle = "use a default stream only while its context lives, and then ask for the handle of another one";
    let by_device = said(&|p| {
        let stream = asked(p);
        p.reset(0);
        p.set(0);
        stream
    });
    assert_eq!(by_device, (DEV_05, handle.to_owned()));
    let by_context = said(&|p| {
        let context = p.new_context(0);
        let stream = asked(p);
        p.destroy_context(context);
        p.choose(Object::context(1000));
        stream
    });
    assert_eq!(by_context, (CTX_10, handle.to_owned()));
    let own = said(&|p| {
        let context = p.new_context(0);
        let stream = p.stream();
        p.destroy_context(context);
        p.choose(Object::context(1000));
        p.destroy(stream);
        stream
    });
    assert_eq!(own, (CTX_10, "destroy the stream before its context".to_owned()));
    let registered = broken(|p| {
        let descriptor = p.descriptor(&Member::ALL, 1);
        p.register(Object::stream(0x5), descriptor);
    });
    assert_eq!(registered, [STREAM_08]);
    let null = broken(|p| {
        let event = p.on(1).event("a description", Object::description(0), Op::Create);
        p.create(&event.using(Use::With(Object::stream(0))));
    });
    assert_eq!(null, [STREAM_02]);
    let memory = broken(|p| {
        let handle = physical(p, 0);
        p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
        release(p, handle);
    });
    assert_eq!(memory, [MEM_12]);
}

#[test]
fn a_context_handle_that_is_given_out_again_is_another_context() {
    let run = broken(|p| {
        let context = p.new_context(0);
        let ask = p.event("aclrtCtxGetCurrentDefaultStream", Object::stream(0), Op::AskDefaultStream);
        p.see(&ask, Outcome::Created(0x99));
        p.choose(Object::context(1000));
        p.on(1).set(0);
        let ends = p.on(0).event("aclrtDestroyContext", context, Op::Destroy);
        p.begin(&ends);
        let creates = p.on(1).event("aclrtCreateContext", Object::context(0), Op::Create);
        p.see(&creates.using(Use::With(Object::device(0))), Outcome::Created(context.number));
        p.checker.commit(&ends, Outcome::Success);
        *p.on(1).context() = Some(context.number);
        p.sync(Object::stream(0x99));
    });
    assert_eq!(run, [CTX_10]);
}

#[test]
fn a_graph_is_judged_when_it_is_replayed_and_gone_when_it_was_destroyed() {
    let run = |replayed: bool| {
        broken(|p| {
            let (event, stream) = (p.mark(), p.stream());
            p.destroy(event);
            let graph = capture_with(p, event);
            if replayed {
                replay(p, graph, stream);
            }
        })
    };
    assert_eq!(run(false), []);
    assert_eq!(run(true), [GRAPH_05]);
    let gone = broken(|p| {
        let (a, h) = (p.malloc(64), p.malloc_host(64));
        let graph = capture(p, a, h);
        assert_eq!(p.checker.read_by_replay(graph).len(), 1);
        p.call("aclmdlRIDestroy", graph, Op::Destroy);
        assert_eq!(p.checker.read_by_replay(graph), []);
    });
    assert_eq!(gone, []);
}

#[test]
fn a_block_is_freed_with_each_mistake_once() {
    // It is offered to other processes, and a graph has it.
    let offered = broken(|p| {
        let (a, h) = (p.malloc(64), p.malloc_host(64));
        capture(p, a, h);
        p.call("aclrtIpcMemGetExportKey", a, Op::Offer);
        p.free(a);
    });
    assert_eq!(offered, [IPC_01, GRAPH_05]);
    let used = broken(|p| {
        p.on(1).set(0);
        let (a, h) = (p.on(0).malloc(64), p.malloc_host(64));
        capture(p, a, h);
        let copy = p.on(1).event("aclrtMemcpy", a, Op::Use);
        p.begin(&copy.using(memory(a, 64, Access::Write, Role::Target, None)));
        p.on(0).free(a);
    });
    assert_eq!(used, [MEM_02]);
    for flag in [Flag::Pooled, Flag::Imported] {
        let family = broken(|p| {
            let h = p.malloc_host(64);
            let free = p.event("a free", h, Op::Free);
            event_like(p, free, flag);
        });
        assert_eq!(family, [MEM_03], "{flag:?}");
    }
    // The sides of a copy are confused, and one of them is too short.
    let short = broken(|p| {
        let (a, h) = (p.malloc(64), p.malloc_host(64));
        let copy = p.event("aclrtMemcpy", a, Op::Use).using(Use::Room { said: Span::new(a.number, 128), known: None });
        let copy = copy.using(memory(a, 64, Access::Write, Role::Target, HOST));
        p.see(&copy.using(memory(h, 64, Access::Read, Role::Source, HOST)), Outcome::Success);
    });
    assert_eq!(short, [COPY_02]);
}
