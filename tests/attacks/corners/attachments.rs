//! Attached objects that are to use what another runtime of the name has.

use super::*;
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::{Error, Runtime};
use ascendcl_macros::proves;
use std::error::Error as AnyError;

ascendcl::names!(Worker);

struct Object;

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Object {
    const NAME: &'static str = "object";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        Ok(())
    }
}

/// What an object uses ends after it. What another context owns ends with that context.
#[proves(DEV_10)]
#[test]
fn an_object_does_not_use_what_another_context_of_the_name_owns() {
    let alone = alone();
    let open = || Runtime::<Worker>::open(library()).unwrap();
    let (own, other) = (open(), open());
    let stream = other.with(|current| current.stream().unwrap()).unwrap();
    let buffer = other.with(|current| current.upload(&[1.0_f32; 4]).unwrap()).unwrap();
    own.with(|current| {
        let refused = current.attach(Object, (stream, vec![buffer])).map(drop).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
    })
    .unwrap();
    other.close().unwrap();
    own.close().unwrap();
    alone.assert_nothing_lives();
}
