//! Refusals of the library to end parts of a graph, with the code that stands for a handle which has gone.

use super::super::common::alone;
use super::super::{fail, inside, nothing_fails};
use ascendcl_macros::proves;

/// Such a code says that the handle has gone only after a call for it that was refused.
#[proves(GRAPH_07, STREAM_20)]
#[test]
fn a_first_refusal_with_the_code_of_a_dead_handle_does_not_end_a_part_of_a_graph() {
    let alone = alone();
    for plan in ["aclmdlRIDestroy#1=107017", "aclrtDestroyLabelList#1=107000", "aclrtDestroyLabel#1=107017"] {
        for plan in [plan.to_owned(), plan.replace('=', "=after:")] {
            inside(|current| {
                let mut build = current.build_graph(current.upload(&[0_u32]).unwrap()).unwrap();
                build.add(current, |tasks, index| tasks.switch(&index, 2, |_, _| Ok(()))).unwrap();
                let graph = build.end(current).unwrap();
                fail(&plan);
                let kept = graph.into_operands(current).unwrap_err();
                nothing_fails();
                assert!(kept.error.code().is_some(), "{plan}: {}", kept.error);
                drop(kept.value.into_operands(current).unwrap());
            });
            alone.assert_nothing_lives();
        }
    }
}
