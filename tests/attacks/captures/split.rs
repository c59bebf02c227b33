//! Tensors that are taken out of an operator in flight, while the library keeps an instance that captured the operator.

use super::given_back::{REFUSALS, assert_refused};
use super::groups::operator;
use super::*;
use crate::nothing_fails;
use ascendcl_macros::proves;

/// The split takes the tensors out of the operator that the program has back.
#[proves(GRAPH_05)]
#[test]
fn tensors_of_an_operator_that_was_split_stay_until_the_instance_is_destroyed() {
    let alone = alone();
    inside(|current| {
        for (always, _) in REFUSALS {
            let mut own = stream(current);
            let relu = operator(current, "Relu", 1.0);
            fail(always);
            let refused = own.capture(current, CaptureMode::Relaxed, relu, |capture, mut relu| {
                capture.launch(&mut relu)?;
                Err(Error::NotExecuted)
            });
            let relu = refused.unwrap_err().value;
            let other = current.stream().unwrap().without_allocator();
            let (input, output) = other.launch(current, relu).unwrap().split();
            assert_refused(input.wait(current).unwrap().free(current), always);
            assert_refused(output.wait(current).unwrap().free(current), always);
            drop(current.collect());
            nothing_fails();
            drop((own, other));
            drop(current.collect());
            collect(current);
        }
    });
    alone.assert_nothing_lives();
}
