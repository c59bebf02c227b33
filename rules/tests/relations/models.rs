//! Models, the memory that they run in, and their datasets.

use super::support::*;
use ascendcl_rules::*;

/// A model, and a dataset for its input and one for its output.
fn model(p: &mut Program) -> (Object, Object, Object) {
    let (a, b) = (p.malloc(64), p.malloc(64));
    let (model, (input, _), (output, _)) = (p.load(None, None), p.dataset(a), p.dataset(b));
    (model, input, output)
}

#[test]
fn a_model_runs_once_at_a_time() {
    let run = |p: &mut Program, between: &dyn Fn(&mut Program, Object), second: Option<()>| {
        let (model, input, output) = model(p);
        let (a, b) = (p.stream(), p.stream());
        p.run(model, input, output, a);
        between(p, a);
        p.run(model, input, output, second.map(|()| b));
    };
    let sync = |p: &mut Program, a: Object| p.sync(a);
    breaks(MODEL_15, |p| run(p, &|_, _| (), Some(())), |p| run(p, &sync, Some(())));
    breaks(MODEL_15, |p| run(p, &|_, _| (), None), |p| run(p, &sync, None));
    // One stream runs it time after time.
    let again = |p: &mut Program| {
        let (model, input, output) = model(p);
        let stream = p.stream();
        p.run(model, input, output, stream);
        p.run(model, input, output, stream);
    };
    assert_eq!(broken(again), []);
}

#[test]
fn two_threads_do_not_run_one_model_at_once() {
    let run = |p: &mut Program, locked: bool| {
        let (model, input, output) = model(p);
        p.on(1).set(0);
        let first = p.running(model, input, output, None);
        p.begin(&first);
        if locked {
            p.checker.commit(&first, Outcome::Success);
        }
        p.on(0).run(model, input, output, None);
    };
    breaks(MODEL_16, |p| run(p, false), |p| run(p, true));
}

/// Two models in one working memory.
fn shared(p: &mut Program) -> [(Object, Object); 2] {
    let work = p.malloc(64);
    [(); 2].map(|()| {
        let block = p.malloc(64);
        (p.load(Some(work), None), p.dataset(block).0)
    })
}

#[test]
fn models_that_share_working_memory_run_one_after_the_other() {
    let queued = |p: &mut Program, one_stream: bool| {
        let [(a, x), (b, y)] = shared(p);
        let (s, t) = (p.stream(), p.stream());
        p.run(a, x, x, s);
        p.run(b, y, y, if one_stream { s } else { t });
    };
    breaks(MODEL_05, |p| queued(p, false), |p| queued(p, true));
    let at_once = |p: &mut Program, synced: bool| {
        let [(a, x), (b, y)] = shared(p);
        let stream = p.stream();
        p.run(a, x, x, stream);
        if synced {
            p.sync(stream);
        }
        p.run(b, y, y, None);
    };
    breaks(MODEL_04, |p| at_once(p, false), |p| at_once(p, true));
    let threads = |p: &mut Program, locked: bool| {
        let [(a, x), (b, y)] = shared(p);
        p.on(1).set(0);
        let first = p.running(a, x, x, None);
        p.begin(&first);
        if locked {
            p.checker.commit(&first, Outcome::Success);
        }
        p.on(0).run(b, y, y, None);
    };
    breaks(MODEL_06, |p| threads(p, false), |p| threads(p, true));
    let queued_meanwhile = |p: &mut Program, done: bool, fenced: bool| {
        let [(a, x), (b, y)] = shared(p);
        let stream = p.stream();
        if fenced {
            p.fence(stream);
        }
        p.on(1).set(0);
        let first = p.running(a, x, x, None);
        p.begin(&first);
        if done {
            p.checker.commit(&first, Outcome::Success);
        }
        p.on(0).run(b, y, y, stream);
    };
    breaks(MODEL_04, |p| queued_meanwhile(p, false, false), |p| queued_meanwhile(p, true, false));
    // The other thread may notify the stream when its run has returned.
    assert_eq!(broken(|p| queued_meanwhile(p, false, true)), []);
}

#[test]
fn memory_that_a_model_was_loaded_with_stays() {
    let freed = |p: &mut Program, work: bool, unloaded: bool| {
        let block = p.malloc(64);
        let model = if work { p.load(Some(block), None) } else { p.load(None, Some(block)) };
        if unloaded {
            p.unload(model);
        }
        p.free(block);
    };
    breaks(MODEL_02, |p| freed(p, true, false), |p| freed(p, true, true));
    breaks(MODEL_03, |p| freed(p, false, false), |p| freed(p, false, true));
    let run = broken(|p| {
        let (block, x) = (p.malloc(64), p.malloc(64));
        let (model, (data, _)) = (p.load(Some(block), None), p.dataset(x));
        p.free(block);
        p.run(model, data, data, None);
    });
    assert_eq!(run, [MODEL_02]);
    let in_flight = findings(|p| {
        let (block, x, stream) = (p.malloc(64), p.malloc(64), p.stream());
        let (model, (data, _)) = (p.load(Some(block), None), p.dataset(x));
        p.run(model, data, data, stream);
        p.free(block);
    });
    assert_eq!(in_flight[0].rule, MODEL_02);
    assert_eq!(in_flight[0].contradicts.as_ref().unwrap().0.name, "aclmdlExecuteAsync");
}

#[test]
fn weights_are_only_read() {
    let run = |p: &mut Program, unloaded: bool| {
        let (weights, h) = (p.malloc(64), p.malloc_host(64));
        p.copy(weights, h, None);
        let model = p.load(None, Some(weights));
        if unloaded {
            p.unload(model);
        }
        p.copy(weights, h, None);
    };
    breaks(MODEL_09, |p| run(p, false), |p| run(p, true));
    // Models may share them.
    let both = broken(|p| {
        let (weights, x, y) = (p.malloc(64), p.malloc(64), p.malloc(64));
        let (a, b) = (p.load(None, Some(weights)), p.load(None, Some(weights)));
        let ((x, _), (y, _), s, t) = (p.dataset(x), p.dataset(y), p.stream(), p.stream());
        p.run(a, x, x, s);
        p.run(b, y, y, t);
    });
    assert_eq!(both, []);
}

#[test]
fn a_model_is_unloaded_once_after_its_runs() {
    let run = |p: &mut Program, synced: bool| {
        let (model, input, output) = model(p);
        let stream = p.stream();
        p.run(model, input, output, stream);
        if synced {
            p.sync(stream);
        }
        p.unload(model);
    };
    breaks(MODEL_14, |p| run(p, false), |p| run(p, true));
    breaks(
        MODEL_14,
        |p| {
            let m = p.load(None, None);
            p.unload(m);
            p.unload(m);
        },
        |p| {
            let m = p.load(None, None);
            p.unload(m);
        },
    );
    breaks(MODEL_12, |p| p.unload(Object::model(77)), |_| ());
}

#[test]
fn what_a_run_uses_stays_as_it_is_until_the_run_is_over() {
    let run = |p: &mut Program, synced: bool, then: &dyn Fn(&mut Program, [Object; 4])| {
        let (a, b, h, stream) = (p.malloc(64), p.malloc(64), p.malloc_host(64), p.stream());
        let (model, (input, buffer), (output, _)) = (p.load(None, None), p.dataset(a), p.dataset(b));
        p.run(model, input, output, stream);
        if synced {
            p.sync(stream);
        }
        then(p, [input, buffer, b, h]);
    };
    let of_memory: [&dyn Fn(&mut Program, [Object; 4]); 2] =
        [&|p, [_, _, out, h]| p.copy(h, out, None), &|p, [_, _, out, _]| p.free(out)];
    for then in of_memory {
        breaks(MODEL_17, |p| run(p, false, then), |p| run(p, true, then));
    }
    // A warning: the call has read the datasets.
    let of_datasets: [&dyn Fn(&mut Program, [Object; 4]); 4] = [
        &|p, [input, ..]| p.destroy(input),
        &|p, [_, buffer, ..]| p.destroy(buffer),
        &|p, [_, buffer, ..]| p.call("aclUpdateDataBuffer", buffer, Op::Change),
        &|p, [input, ..]| {
            let b = p.data_buffer(Object::memory(0), 0);
            p.add(input, b);
        },
    ];
    for then in of_datasets {
        breaks(DATA_10, |p| run(p, false, then), |p| run(p, true, then));
    }
    // The warning hides no mistake of the memory.
    let then = |p: &mut Program, [input, _, out, _]: [Object; 4]| {
        p.destroy(input);
        p.free(out);
    };
    assert_eq!(broken(|p| run(p, false, &then)), [DATA_10, MODEL_17]);
}

#[test]
fn a_run_works_on_live_device_memory() {
    let on = |p: &mut Program, block: Object| {
        let model = p.load(None, None);
        let (data, buffer) = p.dataset(block);
        p.run(model, data, data, None);
        buffer
    };
    // Once as the input, once as the output.
    assert_eq!(
        broken(|p| {
            on(p, Object::memory(0x10));
        }),
        [MODEL_18, MODEL_18]
    );
    assert_eq!(
        broken(|p| {
            let m = p.malloc(64);
            on(p, m);
        }),
        []
    );
    assert_eq!(
        broken(|p| {
            let m = p.malloc(64);
            p.free(m);
            on(p, m);
        }),
        [DATA_02, DATA_02]
    );
    // Without an address the library allocates the output.
    assert_eq!(
        broken(|p| {
            on(p, Object::memory(0));
        }),
        [DATA_03]
    );
    let destroyed = |p: &mut Program, late: bool| {
        let (model, m) = (p.load(None, None), p.malloc(64));
        let (data, buffer) = p.dataset(m);
        if !late {
            p.destroy(buffer);
        }
        p.run(model, data, data, None);
        if late {
            p.destroy(buffer);
            p.destroy(data);
        }
    };
    let found = broken(|p| destroyed(p, false));
    assert!(!found.is_empty() && found.iter().all(|rule| *rule == DATA_04), "{found:?}");
    assert_eq!(broken(|p| destroyed(p, true)), []);
}

#[test]
fn datasets_are_destroyed_once() {
    breaks(
        DATA_05,
        |p| {
            let m = p.malloc(64);
            let (d, _) = p.dataset(m);
            p.destroy(d);
            p.destroy(d);
        },
        |p| {
            let m = p.malloc(64);
            let (d, _) = p.dataset(m);
            p.destroy(d);
        },
    );
}

#[test]
fn a_run_after_the_end_of_what_it_uses_is_one_mistake() {
    let run = |ended: &dyn Fn(&mut Program, [Object; 3])| {
        broken(|p| {
            let (model, input, output) = model(p);
            ended(p, [model, input, output]);
            p.run(model, input, output, None);
        })
    };
    let all = |p: &mut Program, [model, input, output]: [Object; 3]| {
        p.unload(model);
        p.destroy(input);
        p.destroy(output);
    };
    assert_eq!(run(&all), [MODEL_14]);
    let datasets = |p: &mut Program, [_, input, output]: [Object; 3]| {
        p.destroy(input);
        p.destroy(output);
    };
    assert_eq!(run(&datasets), [DATA_05]);
    // The other dataset was kept for the run, so the program has made two mistakes.
    let some = |p: &mut Program, [model, input, _]: [Object; 3]| {
        p.unload(model);
        p.destroy(input);
    };
    assert_eq!(run(&some), [MODEL_14, DATA_05]);
    assert_eq!(run(&|_, _| ()), []);
}

#[test]
fn a_data_buffer_over_weights_writes_nothing() {
    let run = |p: &mut Program, writes: bool| {
        let (weights, block) = (p.malloc(64), p.malloc(64));
        let (model, other) = (p.load(None, Some(weights)), p.load(None, None));
        let describes = p.event("aclCreateDataBuffer", Object::data_buffer(0), Op::Create);
        let buffer = p.create(&describes.using(memory(weights, 64, Access::Write, Role::Contents, None)));
        let dataset = p.event("aclmdlCreateDataset", Object::dataset(0), Op::Create);
        let dataset = p.create(&dataset);
        p.add(dataset, buffer);
        let (input, _) = p.dataset(block);
        if writes {
            p.run(other, input, dataset, None);
        }
        p.unload(model);
    };
    breaks(MODEL_09, |p| run(p, true), |p| run(p, false));
}

#[test]
fn runs_in_working_memory_of_their_own_go_on_at_the_same_time() {
    let run = |p: &mut Program, areas: [Option<Object>; 2], threads: bool| {
        let model = p.load(None, None);
        p.on(1).set(0);
        for (index, area) in areas.into_iter().enumerate() {
            let block = p.malloc(64);
            let (data, _) = p.dataset(block);
            let queue = (!threads).then(|| p.stream());
            let mut event = p.on(if threads { index as u64 } else { 0 }).running(model, data, data, queue);
            event.uses.extend(area.map(|area| memory(area, 64, Access::Write, Role::Workspace, DEVICE)));
            if threads {
                p.begin(&event);
            } else {
                p.see(&event, Outcome::Success);
            }
        }
    };
    let apart = |p: &mut Program| [(); 2].map(|()| Some(p.malloc(64)));
    let [streams, threads] = [false, true].map(|threads| {
        let with = |areas: &dyn Fn(&mut Program) -> [Option<Object>; 2]| {
            broken(|p| {
                let areas = areas(p);
                run(p, areas, threads);
            })
        };
        [
            with(&|p| apart(p)),
            with(&|p| [Some(p.malloc(64)); 2]),
            with(&|p| [Some(p.malloc(64)), None]),
            with(&|p| [None, Some(p.malloc(64))]),
        ]
    });
    assert_eq!(streams, [vec![], vec![MODEL_05], vec![MODEL_15], vec![MODEL_15]]);
    assert_eq!(threads, [vec![], vec![MODEL_16], vec![MODEL_16], vec![MODEL_16]]);
}
