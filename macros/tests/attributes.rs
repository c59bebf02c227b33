//! `#[rule]` on every kind of item, `#[proves]` on both sides of `#[test]`, over a catalogue that stands for
//! `ascendcl_rules`.

extern crate self as ascendcl_rules;

use ascendcl_macros::{proves, rule};

const ALLOC_07: &str = "ALLOC-07";
const STREAM_06: &str = "STREAM-06";

/// The rules of the area.
#[macro_export]
macro_rules! doc_alloc {
    (ALLOC_07) => {
        "* ALLOC-07: a registered allocator outlives its stream"
    };
}

/// The rules of the area.
#[macro_export]
macro_rules! doc_stream {
    (STREAM_06) => {
        "* STREAM-06: a stream is used in its own context"
    };
}

#[rule(ALLOC_07, STREAM_06)]
pub struct Stream;

#[rule(ALLOC_07)]
pub trait Registers {
    #[rule(STREAM_06)]
    const GROUPS: usize;

    #[rule(STREAM_06)]
    fn register(&self) -> usize;
}

#[rule(ALLOC_07)]
impl Registers for Stream {
    #[rule(STREAM_06)]
    const GROUPS: usize = 3;

    /// Registers.
    #[rule(ALLOC_07)]
    #[rule(STREAM_06)]
    #[inline]
    fn register(&self) -> usize {
        Self::GROUPS
    }
}

impl Stream {
    #[rule(ALLOC_07)]
    const fn new() -> Self {
        Self
    }
}

#[rule(STREAM_06)]
pub const STREAM: Stream = Stream::new();

#[test]
#[proves(ALLOC_07)]
fn an_item_with_rules_is_what_it_was() {
    assert_eq!(STREAM.register(), 3);
}

#[proves(ALLOC_07, STREAM_06)]
#[test]
#[should_panic(expected = "the body runs")]
fn a_test_runs_whichever_attribute_comes_first() {
    panic!("the body runs");
}

#[proves(STREAM_06)]
#[test]
fn a_test_can_return_its_error() -> Result<(), std::num::ParseIntError> {
    let three: usize = "3".parse()?;
    assert_eq!(three, Stream::GROUPS);
    Ok(())
}

#[proves(STREAM_06)]
#[test]
fn a_test_keeps_the_attributes_inside_of_its_body() {
    #![allow(unused_variables, reason = "the attribute stands before the first statement")]
    let unused = 3;
}
