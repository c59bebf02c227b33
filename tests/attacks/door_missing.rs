//! Foreign work by a function that the library lacks, or of another library.

use super::door::set_raw;
use super::{hold, inside};
use crate::common::{alone, library};
use ascendcl::{Error, Runtime, error::ObjectKind};
use ascendcl_macros::proves;
use ascendcl_sys::MissingSymbol;

ascendcl::names!(Worker);

const MISSING: Result<i32, MissingSymbol> = Err(MissingSymbol { symbol: "aclnnNothing", files: &["libnothing.so"] });

#[proves(ERR_01)]
#[test]
fn foreign_work_by_a_function_that_the_library_lacks_is_an_error_with_its_name() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let buffer = current.upload(&[1_u8; 64]).unwrap();
        // SAFETY: nothing is queued.
        let refused = unsafe { stream.submit(current, "aclnnNothing", buffer, |_, _| MISSING) }.unwrap_err();
        let Error::MissingFunction(missing) = &refused.error else { panic!("{}", refused.error) };
        assert_eq!(missing.symbol, "aclnnNothing");
        assert!(refused.error.to_string().starts_with("could not queue work: "), "{}", refused.error);
        // Nothing is in flight: the memory takes work of any stream.
        let other = current.stream().unwrap();
        let set = other.set_bytes(current, refused.value, 2).unwrap().wait(current).unwrap();
        assert_eq!(set.to_vec(current).unwrap(), [2; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn what_was_queued_before_a_missing_function_keeps_its_operands() {
    let alone = alone();
    inside(|current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let release = hold(current, &stream);
        let buffer = current.upload(&[1_u8; 64]).unwrap();
        // SAFETY: the work is a set of the buffer, on this stream. A second function is not there.
        let refused = unsafe {
            stream.submit(current, "two functions", buffer, |stream, to| {
                set_raw(current, stream, to.start, to.bytes, 9);
                MISSING
            })
        };
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::MissingFunction(_)), "{}", refused.error);
        let unused = other.set_bytes(current, refused.value, 1).unwrap_err();
        assert!(matches!(unused.error, Error::InDoubt { what: ObjectKind::DEVICE_MEMORY }), "{}", unused.error);
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_01)]
#[test]
fn a_code_and_the_result_of_a_call_are_checked_alike() {
    let alone = alone();
    inside(|current| {
        let library = current.library();
        library.check_call("ask", "aFunctionOfOthers", 0).unwrap();
        library.check_call("ask", "aFunctionOfOthers", Ok(0)).unwrap();
        for told in [library.check_call("ask", "aCall", 507_899), library.check_call("ask", "aCall", Ok(507_899))] {
            let told = told.unwrap_err();
            assert_eq!(told.code().unwrap().number(), 507_899, "{told}");
        }
        let told = library.check_call("ask", "aclnnNothing", MISSING).unwrap_err();
        assert!(matches!(told, Error::MissingFunction(_)), "{told}");
    });
    alone.assert_nothing_lives();
}

/// The thread had no context before, which the crate has asked the library.
#[proves(ERR_03)]
#[test]
fn a_failure_of_another_library_is_told_without_a_text_about_what_the_crate_has_asked() {
    let alone = alone();
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            let buffer = current.upload(&[1_u8; 64]).unwrap();
            // SAFETY: nothing is queued.
            let refused = unsafe { stream.submit(current, "aFunctionOfOthers", buffer, |_, _| 507_899) }.unwrap_err();
            let Error::Vendor(told) = &refused.error else { panic!("{}", refused.error) };
            assert_eq!(told.text, None);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
