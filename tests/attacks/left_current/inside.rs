//! Contexts that are entered inside of others, and that the library refuses to leave: where later calls go.

use super::*;
use ascendcl::operator::relu;

/// The library refuses once to make the outer context current again.
const ONCE: &str = "aclrtSetCurrentContext#1=507899";
const TWICE: &str = "aclrtSetCurrentContext#1=507899,aclrtSetCurrentContext#2=507899";

/// Runs the program in a context of device 0, after one of device 1 was entered inside of it and could not be left.
fn displaced(refused: &str, program: impl FnOnce(&Runtime<Left>, &mut ascendcl::Current<Left>) + Send) {
    let (alone, _others) = undisturbed();
    let (outer, inner) = (open(0, false), open(1, false));
    on_a_new_thread(|| {
        let enters = |current: &mut ascendcl::Current<Left>| {
            inner.enter(current, |_| fail(refused)).unwrap();
            program(&inner, current);
            nothing_fails();
        };
        outer.with(enters).unwrap();
    });
    outer.close().unwrap();
    inner.close().unwrap();
    alone.assert_nothing_lives();
}

/// Each call asks until the library agrees, and none asks afterwards.
#[proves(CTX_05, CTX_08)]
#[test]
fn the_library_is_asked_for_the_outer_context_until_it_agrees() {
    displaced(ONCE, |_, current| {
        drop(current.upload(&[1_u8]).unwrap());
        must_not_call(REFUSED);
        drop(current.upload(&[1_u8]).unwrap());
    });
}

#[proves(CTX_05, CTX_08)]
#[test]
fn calls_in_a_second_inner_context_do_not_ask_for_the_outer_one() {
    displaced(ONCE, |inner, current| {
        let works = |current: &mut ascendcl::Current<Left>| {
            must_not_call(REFUSED);
            drop(current.upload(&[1_u8]).unwrap());
            nothing_fails();
        };
        inner.enter(current, works).unwrap();
    });
}

/// What the library keeps in memory of the host is of no context.
#[proves(CTX_05, OP_03)]
#[test]
fn records_in_memory_of_the_host_are_destroyed_in_any_context() {
    let (alone, _others) = undisturbed();
    let (outer, inner) = (open(0, false), open(1, false));
    on_a_new_thread(|| {
        let works = |current: &mut ascendcl::Current<Left>| {
            let x = current.upload_tensor(&[2], &[1.0_f32; 2]).unwrap();
            let operator = relu(current, x).unwrap();
            inner.enter(current, |_| fail(REFUSED)).unwrap();
            let tensors = operator.into_tensors(current);
            nothing_fails();
            drop(tensors.unwrap());
        };
        outer.with(works).unwrap();
    });
    outer.close().unwrap();
    inner.close().unwrap();
    alone.assert_nothing_lives();
}

/// A default context is entered from itself. What is entered within it is not the outermost context.
#[proves(CTX_05, CTX_09)]
#[test]
fn work_in_a_default_context_goes_on_in_it_after_two_others_were_entered_within() {
    let (alone, _others) = undisturbed();
    let (default, zero, one) = (open(0, true), open(0, false), open(1, false));
    let home = home_of(&zero);
    on_a_new_thread(|| {
        (0..3).for_each(|_| visit(&zero));
        let works = |current: &mut ascendcl::Current<Left>| {
            zero.enter(current, |_| ()).unwrap();
            one.enter(current, |_| fail(TWICE)).unwrap();
            nothing_fails();
            drop(current.upload(&[1_u8]).unwrap());
            assert_eq!(current_handle(), home);
        };
        default.with(works).unwrap();
    });
    for runtime in [default, zero, one] {
        runtime.close().unwrap();
    }
    alone.assert_nothing_lives();
}

/// A context that is entered within itself, and could not be left there.
#[proves(CTX_11)]
#[test]
fn a_context_that_could_not_be_left_within_itself_is_left_by_the_outer_visit() {
    let (alone, _others) = undisturbed();
    let (zero, other) = (open(0, false), open(0, false));
    on_a_new_thread(|| {
        (0..3).for_each(|_| visit(&zero));
        let works = |current: &mut ascendcl::Current<Left>| {
            zero.enter(current, |_| fail(REFUSED)).unwrap();
            nothing_fails();
            drop(current.upload(&[1_u8]).unwrap());
            // Functions are cached again.
            on_a_new_thread(|| (0..3).for_each(|_| visit(&other)));
        };
        zero.with(works).unwrap();
        close(&zero);
    });
    other.close().unwrap();
    alone.assert_nothing_lives();
}
