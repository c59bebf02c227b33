//! The current context of a thread, and what belongs to it.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn each_thread_chooses_its_context() {
    breaks(
        THREAD_01,
        |p| {
            let s = p.stream();
            p.on(1).sync(s);
        },
        |p| {
            let s = p.stream();
            p.on(1).choose(Object::context(1000));
            p.sync(s);
        },
    );
    breaks(
        MEM_06,
        |p| {
            p.on(1).malloc(64);
        },
        |p| {
            p.on(1).set(0);
            p.malloc(64);
        },
    );
    // What needs no context may be called without one.
    breaks(
        THREAD_01,
        |p| {
            let (e, s) = (p.mark(), p.stream());
            p.record(e, s);
            p.on(1).record(e, s);
        },
        |p| {
            let (e, s, m) = (p.mark(), p.stream(), p.malloc(64));
            p.record(e, s);
            p.on(1).call("aclrtSynchronizeEvent", e, Op::Synchronize);
            p.free(m);
            p.destroy(e);
        },
    );
}

#[test]
fn a_device_comes_before_everything_on_it() {
    let mut program = Program::new();
    program.init();
    program.stream();
    assert_eq!(program.findings[0].rule, DEV_01);
}

#[test]
fn a_context_that_ends_leaves_its_thread_without_one() {
    let found = findings(|p| {
        let context = p.new_context(0);
        p.destroy_context(context);
        p.malloc(64);
    });
    assert_eq!(found[0].rule, CTX_09);
    assert_eq!(found[0].contradicts.as_ref().unwrap().0.name, "aclrtDestroyContext");
    let repaired = broken(|p| {
        let context = p.new_context(0);
        p.destroy_context(context);
        p.choose(Object::context(1000));
        p.malloc(64);
    });
    assert_eq!(repaired, []);
}

#[test]
fn a_context_outlives_its_use_by_other_threads() {
    let misuse = |p: &mut Program| {
        let context = p.new_context(0);
        p.on(1).choose(context);
        p.on(0).destroy_context(context);
        p.on(1).malloc(64);
    };
    let repaired = |p: &mut Program| {
        let context = p.new_context(0);
        p.on(1).choose(context);
        p.malloc(64);
        p.choose(Object::context(1000));
        p.on(0).destroy_context(context);
    };
    breaks(CTX_11, misuse, repaired);
}

#[test]
fn a_context_that_a_reset_has_ended_is_used_by_no_thread() {
    let default = Object::context(1000);
    let misuse = |p: &mut Program| {
        p.on(1).choose(default);
        p.on(0).reset(0);
        p.on(1).malloc(64);
    };
    let repaired = |p: &mut Program| {
        p.on(1).choose(default);
        let block = p.malloc(64);
        p.free(block);
        p.on(0).reset(0);
    };
    breaks(DEV_08, misuse, repaired);
}

#[test]
fn a_context_that_its_own_thread_has_destroyed_is_not_used_where_it_still_looks_current() {
    let found = findings(|p| {
        let context = p.new_context(0);
        p.destroy_context(context);
        *p.context() = Some(context.number);
        p.malloc(64);
    });
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [CTX_09]);
    assert_eq!(found[0].contradicts.as_ref().unwrap().0.name, "aclrtDestroyContext");
}

#[test]
fn a_context_is_destroyed_when_no_other_thread_has_it_current() {
    let misuse = |p: &mut Program| {
        let context = p.new_context(0);
        p.on(1).choose(context);
        p.on(0).destroy_context(context);
    };
    let repaired = |p: &mut Program| {
        let context = p.new_context(0);
        p.on(1).choose(context);
        p.choose(Object::context(1000));
        p.on(0).destroy_context(context);
    };
    breaks(CTX_11, misuse, repaired);
}

#[test]
fn a_thread_ends_with_a_default_context_or_none() {
    let misuse = |p: &mut Program| {
        let context = p.new_context(0);
        p.on(1).choose(context);
        p.end_thread();
        p.on(0).destroy_context(context);
    };
    let repaired = |p: &mut Program| {
        let context = p.new_context(0);
        p.on(1).choose(context);
        p.choose(Object::context(1000));
        p.end_thread();
        p.on(0).destroy_context(context);
    };
    breaks(CTX_14, misuse, repaired);
}

#[test]
fn contexts_are_destroyed_by_who_made_them_once() {
    breaks(CTX_02, |p| p.destroy_context(Object::context(1000)), |p| p.reset(0));
    breaks(
        CTX_03,
        |p| {
            let c = p.new_context(0);
            p.destroy_context(c);
            p.destroy_context(c);
        },
        |p| {
            let c = p.new_context(0);
            p.destroy_context(c);
        },
    );
    breaks(
        CTX_06,
        |p| {
            p.reset(0);
            p.choose(Object::context(1000));
        },
        |p| p.choose(Object::context(1000)),
    );
}

#[test]
fn a_stream_is_used_in_its_own_context() {
    breaks(
        STREAM_09,
        |p| {
            let s = p.stream();
            p.new_context(0);
            p.work(s);
        },
        |p| {
            let s = p.stream();
            p.new_context(0);
            p.sync(s);
            p.choose(Object::context(1000));
            p.work(s);
        },
    );
    breaks(
        STREAM_10,
        |p| {
            let s = p.stream();
            p.set(1);
            p.work(s);
        },
        |p| {
            let s = p.stream();
            p.set(1);
            p.set(0);
            p.work(s);
        },
    );
    breaks(
        STREAM_06,
        |p| {
            let s = p.stream();
            p.new_context(0);
            p.destroy(s);
        },
        |p| {
            let s = p.stream();
            p.new_context(0);
            p.choose(Object::context(1000));
            p.destroy(s);
        },
    );
}

#[test]
fn the_call_that_changed_the_context_is_named() {
    let found = findings(|p| {
        p.new_context(0);
        let stream = p.stream();
        p.set(0);
        p.work(stream);
    });
    assert_eq!(found[0].rule, STREAM_09);
    let earlier = found[0].contradicts.as_ref().unwrap().0;
    assert_eq!((earlier.name, earlier.number), ("aclrtSetDevice", 5));
}

#[test]
fn a_model_is_used_in_its_own_context() {
    let run = |p: &mut Program, back: bool| {
        let (model, block) = (p.load(None, None), p.malloc(64));
        let (data, _) = p.dataset(block);
        p.new_context(0);
        if back {
            p.choose(Object::context(1000));
        }
        p.run(model, data, data, None);
    };
    breaks(MODEL_01, |p| run(p, false), |p| run(p, true));
    breaks(
        MODEL_01,
        |p| {
            let m = p.load(None, None);
            p.new_context(0);
            p.unload(m);
        },
        |p| {
            let m = p.load(None, None);
            p.unload(m);
        },
    );
}

#[test]
fn what_is_ended_while_one_wrong_context_is_current_is_one_mistake() {
    let run = |ends: &dyn Fn(&mut Program, [Object; 2], [Object; 2], Object)| {
        broken(|p| {
            let (streams, blocks) = ([p.stream(), p.stream()], [p.malloc(64), p.malloc(64)]);
            let model = p.load(None, None);
            p.set(1);
            ends(p, streams, blocks, model);
        })
    };
    let stream_first = |p: &mut Program, streams: [Object; 2], blocks: [Object; 2], model: Object| {
        for stream in streams {
            let destroy = p.event("aclrtDestroyStream", stream, Op::Destroy);
            p.see(&destroy, Outcome::Refused);
        }
        blocks.iter().for_each(|block| p.free(*block));
        let unload = p.event("aclmdlUnload", model, Op::Unload);
        p.see(&unload, Outcome::Refused);
        // What the refused calls have left over is no further mistake.
        p.set(0);
        p.reset(0);
        p.reset(0);
    };
    assert_eq!(run(&stream_first), [STREAM_06]);
    let memory_first = |p: &mut Program, streams: [Object; 2], blocks: [Object; 2], _: Object| {
        blocks.iter().for_each(|block| p.free(*block));
        p.destroy(streams[0]);
    };
    // Memory of any device may be freed (MEM-11).
    assert_eq!(run(&memory_first), [STREAM_06]);
    let chosen_again = |p: &mut Program, streams: [Object; 2], _: [Object; 2], _: Object| {
        p.destroy(streams[0]);
        p.set(0);
        p.set(1);
        p.destroy(streams[1]);
    };
    assert_eq!(run(&chosen_again), [STREAM_06, STREAM_06]);
    // Work is not an end, and each place that queues some is to be repaired.
    let worked = |p: &mut Program, streams: [Object; 2], _: [Object; 2], _: Object| {
        p.destroy(streams[0]);
        p.work(streams[1]);
    };
    assert_eq!(run(&worked), [STREAM_06, STREAM_10]);
    let of_two_contexts = broken(|p| {
        let (first, block) = (p.stream(), p.malloc(64));
        p.new_context(0);
        let second = p.stream();
        p.new_context(0);
        [first, second].iter().for_each(|stream| p.destroy(*stream));
        p.free(block);
    });
    assert_eq!(of_two_contexts, [STREAM_06, STREAM_06]);
}

#[test]
fn streams_and_models_go_before_their_context() {
    breaks(
        CTX_10,
        |p| {
            let c = p.new_context(0);
            p.stream();
            p.destroy_context(c);
        },
        |p| {
            let c = p.new_context(0);
            let s = p.stream();
            p.destroy(s);
            p.destroy_context(c);
        },
    );
    breaks(
        MODEL_14,
        |p| {
            let c = p.new_context(0);
            p.load(None, None);
            p.destroy_context(c);
        },
        |p| {
            let c = p.new_context(0);
            let m = p.load(None, None);
            p.unload(m);
            p.destroy_context(c);
        },
    );
    let after = broken(|p| {
        let context = p.new_context(0);
        let stream = p.stream();
        p.destroy_context(context);
        p.set(0);
        p.destroy(stream);
    });
    assert_eq!(after, [CTX_10]);
}

#[test]
fn events_belong_to_a_device() {
    breaks(
        EVENT_07,
        |p| {
            let e = p.mark();
            p.set(1);
            let s = p.stream();
            p.record(e, s);
        },
        |p| {
            p.set(1);
            let (e, s) = (p.mark(), p.stream());
            p.record(e, s);
        },
    );
}

#[test]
fn a_model_and_a_stream_of_one_other_context_are_one_mistake() {
    let run = |p: &mut Program, own: bool| {
        let (model, block, stream) = (p.load(None, None), p.malloc(64), p.stream());
        let (data, _) = p.dataset(block);
        p.new_context(0);
        let stream = if own { p.stream() } else { stream };
        p.run(model, data, data, stream);
    };
    assert_eq!(broken(|p| run(p, false)), [STREAM_09]);
    assert_eq!(broken(|p| run(p, true)), [MODEL_01]);
}
