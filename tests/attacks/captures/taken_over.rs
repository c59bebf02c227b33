//! Graphs, builds and updates after calls that failed, and after streams took them over.

use super::conditions::alone_with_conditions;
use super::groups::{operator, with_two};
use super::*;
use crate::common::{assert_lives, library};
use crate::hold;
use crate::nothing_fails;
use ascendcl::Runtime;
use ascendcl_macros::proves;

ascendcl::names!(Over);

/// A wait for the first stream has shown that no replay runs there.
#[proves(GRAPH_07)]
#[test]
fn a_graph_that_was_waited_for_does_not_wait_for_later_work_of_that_stream() {
    let alone = alone();
    inside(|current| {
        let (mut own, other) = (stream(current), stream(current));
        let graph = echo(current, &mut own);
        let graph = own.replay(current, graph).unwrap().wait(current).unwrap();
        let release = hold(current, &own);
        let graph = other.replay(current, graph).unwrap().wait(current).unwrap();
        let ended = graph.into_operands(current);
        release.send(()).unwrap();
        drop(ended.unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_07)]
#[test]
fn a_graph_that_another_stream_took_over_is_destroyed_when_that_stream_was_waited_for() {
    let alone = alone();
    inside(|current| {
        let (mut own, other) = (stream(current), stream(current));
        let graph = echo(current, &mut own);
        let work = own.replay(current, graph).unwrap();
        let behind = own.record(current, current.event().unwrap()).unwrap();
        let release = hold(current, &own);
        drop(other.adopt_after(current, work, &behind).unwrap());
        other.synchronize(current).unwrap();
        collect(current);
        collect(current);
        let live = control::live();
        release.send(()).unwrap();
        assert_eq!((live.device_blocks, live.host_blocks), (0, 0), "the graph is there, and keeps its operands");
    });
    alone.assert_nothing_lives();
}

/// The replays before have found the functions.
#[proves(GRAPH_09)]
#[test]
fn a_graph_of_which_an_update_failed_half_way_is_not_replayed_by_the_fast_path() {
    let alone = alone();
    inside(|current| {
        let mut own = stream(current);
        let (mut graph, group) = with_two(current, &mut own);
        for _ in 0..3 {
            graph = own.replay(current, graph).unwrap().wait(current).unwrap();
        }
        // The library has the operator, so it ends the update.
        fail("aclopExecuteV2#1=after:507899");
        let refused = own.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        nothing_fails();
        own.synchronize(current).unwrap();
        let refused = own.replay(current, refused.unwrap_err().value).map(drop).unwrap_err();
        assert!(matches!(refused.error, Error::HalfUpdated), "{}", refused.error);
        collect(current);
    });
    alone.assert_nothing_lives();
}

/// The program keeps its handle of the graph.
#[proves(GRAPH_09, STREAM_18)]
#[test]
fn an_update_that_was_left_open_ends_with_its_stream() {
    let alone = alone();
    inside(|current| {
        let mut own = stream(current);
        let (graph, group) = with_two(current, &mut own);
        fail("aclmdlRICaptureTaskUpdateEnd=507899");
        let refused = own.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        nothing_fails();
        own.destroy(current).unwrap();
        assert_lives!(streams, 0);
        drop(refused.unwrap_err().value.into_operands(current).unwrap());
    });
    alone.assert_nothing_lives();
}

/// A replay of the graph may be running in its own runtime.
#[proves(STREAM_09, GRAPH_05)]
#[test]
fn a_graph_of_another_runtime_of_the_name_shows_its_operands_in_its_own_alone() {
    let alone = alone();
    let open = || Runtime::<Over>::open(library()).unwrap();
    let (one, two) = (open(), open());
    let mut graph = one.with(|current| echo(current, &mut stream(current))).unwrap();
    let refused = two.with(|current| graph.operands(current).map(drop).unwrap_err()).unwrap();
    assert!(matches!(refused, Error::WrongContext { .. }), "{refused}");
    one.with(|current| assert_eq!(graph.operands(current).unwrap().2, [0.0; LENGTH])).unwrap();
    drop(graph);
    one.close().unwrap();
    two.close().unwrap();
    alone.assert_nothing_lives();
}

/// Both branches are open at a time.
#[proves(GRAPH_06, GRAPH_08)]
#[test]
fn a_branch_within_a_branch_has_a_stream_of_its_own_where_streams_are_used_again() {
    let alone = alone();
    inside(|current| {
        let mut build = current.build_graph(operator(current, "Relu", 1.0)).unwrap();
        let added = build.add(current, |tasks, one| {
            let mut one = tasks.branch(|tasks, side| {
                let mut one = side.adopt_after(tasks, one)?;
                side.launch(&mut one)?;
                tasks.adopt_after(side, one).map_err(|failed| failed.error)
            })?;
            tasks.launch(&mut one)?;
            tasks.branch(|_, side| side.branch(|_, _| Ok(())))
        });
        added.unwrap();
        assert_lives!(streams, 3, "those of the build, of the branch, and of the branch within it");
        drop(build.end(current).unwrap());
        collect(current);
    });
    alone.assert_nothing_lives();
}

/// The library has taken one stream out of the instance and refused the other one.
#[proves(GRAPH_08)]
#[test]
fn each_stream_of_a_built_graph_is_taken_out_of_it_before_it_is_destroyed() {
    let alone = alone();
    inside(|current| {
        let mut build = current.build_graph(operator(current, "Relu", 1.0)).unwrap();
        build.add(current, |tasks, _| tasks.branch(|_, side| side.branch(|_, _| Ok(())))).unwrap();
        let mut graph = build.end(current).unwrap();
        for refused in ["#2", "#1", "#1"] {
            fail(&format!("aclmdlRIUnbindStream{refused}=507899"));
            graph = graph.into_operands(current).unwrap_err().value;
        }
        fail("aclmdlRIDestroy#1=507899");
        graph = graph.into_operands(current).unwrap_err().value;
        nothing_fails();
        drop(graph.into_operands(current).unwrap());
        assert_lives!(streams, 0);
        collect(current);
    });
    alone.assert_nothing_lives();
}

/// What the first of several calls says is told, also when what it did is there.
#[proves(GRAPH_10, ERR_01)]
#[test]
fn a_condition_that_is_there_although_its_call_failed_is_told() {
    let (alone, _books) = alone_with_conditions();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let number = current.upload(&[0_u32; 16]).unwrap();
        fail("aclmdlRIAddCondTask#1=after:507899");
        let captured = main.capture(current, CaptureMode::Relaxed, number, |capture, number| {
            let told = capture.run_if(&mut side, &number, |_| panic!("no body is captured")).unwrap_err();
            assert_eq!(told.code().map(|code| code.number()), Some(507_899), "{told}");
            Err(told)
        });
        nothing_fails();
        drop(captured.map(drop).unwrap_err());
        collect(current);
    });
    alone.assert_nothing_lives();
}

/// A part may begin where no copy on the device may begin, and memory may have no element.
#[proves(COPY_09, GRAPH_10, MEM_01)]
#[test]
fn a_number_at_an_odd_place_or_of_no_bytes_is_no_condition() {
    let (alone, _books) = alone_with_conditions();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let all = current.upload(&[1_u32; 17]).unwrap().into_shared();
        let odd = all.slice(1..).unwrap();
        drop(all);
        let none = current.upload(&[1_u32; 16]).unwrap().into_shared().slice(..0).unwrap();
        let operands = (odd.try_unshare(current).unwrap(), none.try_unshare(current).unwrap());
        let captured = main.capture(current, CaptureMode::Relaxed, operands, |capture, (odd, none)| {
            let short = capture.run_if(&mut side, &none, |_| panic!("no body is captured")).unwrap_err();
            assert!(matches!(short, Error::TooShort { .. }), "{short}");
            let odd = capture.run_if(&mut side, &odd, |_| panic!("no body is captured")).unwrap_err();
            assert!(matches!(odd, Error::Misaligned { .. }), "{odd}");
            Err(odd)
        });
        drop(captured.map(drop).unwrap_err());
        collect(current);
    });
    alone.assert_nothing_lives();
}

/// The library lacks a function that the first calls of a condition do not need.
#[proves(GRAPH_10)]
#[test]
fn a_library_that_could_not_capture_a_body_is_not_asked_for_a_condition() {
    let _books = crate::books();
    let source = include_str!("../../null/library.c")
        .replace("*status = 0;\n    *graph = NULL;", "*status = 1;\n    *graph = fresh();");
    let source = format!(
        "{source}aclError aclmdlRICondHandleCreate(handle graph, uint32_t first, unsigned flag, handle *made) {{\n\
         (void)graph; (void)first; (void)flag; (void)made; abort(); }}\n\
         aclError aclmdlRICondHandleGetCondPtr(handle made, handle *number) {{ (void)made; (void)number; abort(); }}\n"
    );
    let library = crate::common::library_at(crate::common::c_library("no-bodies", &source));
    crate::with_device(ascendcl::Acl::init(library).unwrap(), |device, thread| {
        let told = device.with_current(thread, |current| {
            let (mut main, mut side) = (stream(current), stream(current));
            let (number, mut told) = (current.upload(&[0_u32; 16]).unwrap(), None);
            drop(main.capture(current, CaptureMode::Relaxed, number, |capture, number| {
                told = Some(capture.run_if(&mut side, &number, |_| panic!("no body is captured")).unwrap_err());
                Ok(())
            }));
            told.unwrap()
        });
        let told = told.unwrap();
        let Error::ConditionsUnsupported(reason) = &told else { panic!("{told}") };
        assert!(matches!(&**reason, Error::MissingFunction(_)), "{reason}");
    });
}
