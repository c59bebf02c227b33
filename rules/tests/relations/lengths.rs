//! Calls and data buffers that say more bytes than their memory has.

use super::support::*;
use ascendcl_rules::*;

/// The capacity that the call says reaches into the block that the copy reads.
#[test]
fn a_capacity_that_reaches_into_other_memory_is_one_finding() {
    let run = |said: u64| {
        move |p: &mut Program| {
            let (to, from) = (p.malloc(64), p.malloc_host(64));
            assert!(to.number < from.number);
            let all = from.number + 64 - to.number;
            let room = Use::Room { said: Span::new(to.number, said.min(all)), known: None };
            let copy = p.event("aclrtMemcpy", to, Op::Use).using(room);
            let copy = copy.using(memory(to, 64, Access::Write, Role::Target, DEVICE));
            p.see(&copy.using(memory(from, 64, Access::Read, Role::Source, HOST)), Outcome::Success);
        }
    };
    breaks(COPY_01, run(u64::MAX), run(64));
}

/// An operator takes its operands as data buffers, too.
#[test]
fn a_data_buffer_of_an_operator_is_no_longer_than_its_memory() {
    for role in [Role::Input, Role::Output] {
        let run = |bytes: u64| {
            move |p: &mut Program| {
                let (block, stream) = (p.malloc(bytes), p.stream());
                let work = p.event("aclopExecuteV2", stream, Op::Use).using(Use::Queue(stream));
                p.see(&work.using(memory(block, 64, Access::Write, role, DEVICE)), Outcome::Success);
            }
        };
        breaks(DATA_08, run(63), run(64));
    }
}

/// A run that is given working memory does not use that which its model was loaded with.
#[test]
fn a_run_with_working_memory_of_its_own_leaves_that_of_its_model_alone() {
    let run = |own: bool| {
        move |p: &mut Program| {
            let (of_model, of_run, x, stream) = (p.malloc(64), p.malloc(64), p.malloc(64), p.stream());
            let (model, (data, _)) = (p.load(Some(of_model), None), p.dataset(x));
            let runs = p.running(model, data, data, Some(stream));
            let given = memory(of_run, 64, Access::Write, Role::Workspace, DEVICE);
            p.see(&if own { runs.using(given) } else { runs }, Outcome::Success);
            let host = p.malloc_host(64);
            p.copy(of_model, host, None);
        }
    };
    breaks(MODEL_02, run(false), run(true));
}
