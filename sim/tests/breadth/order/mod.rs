//! The order in which a call looks at its arguments, at the state of its stream, and at the context: which of two mistakes
//! a call names that makes both.

use crate::capture::{begin, end};
use crate::support::*;
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use std::thread;

const REFUSED: i32 = ACL_ERROR_RT_PARAM_INVALID;
const NULL: i32 = ACL_ERROR_INVALID_PARAM;
const DEAD: i32 = ACL_ERROR_RT_INVALID_HANDLE;
const CAPTURED: i32 = ACL_ERROR_RT_STREAM_CAPTURED;
const NOT_CAPTURED: i32 = ACL_ERROR_RT_STREAM_NOT_CAPTURED;
const BOUND: i32 = ACL_ERROR_RT_STREAM_MODEL;
const UNSUPPORTED: i32 = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
const NO_CONTEXT: i32 = ACL_ERROR_RT_CONTEXT_NULL;
const OTHER_CONTEXT: i32 = ACL_ERROR_RT_STREAM_CONTEXT;
const GROUP_STATUS: i32 = ACL_ERROR_STREAM_TASK_GROUP_STATUS;
const EVENT_CAPTURED: i32 = ACL_ERROR_RT_EVENT_CAPTURED;
const INTERNAL: i32 = ACL_ERROR_RT_INTERNAL_ERROR;

/// Where a call is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum On {
    /// In the context of its objects.
    Own,
    /// On a thread without a context.
    None,
    /// While another context is current.
    Other,
}

const ANYWHERE: [On; 3] = [On::Own, On::None, On::Other];
use On::{None as Nowhere, Other, Own};

/// Handles are addresses, and the simulator follows none.
struct Anywhere<F>(F);

// SAFETY: the calls of a row take handles, null, and memory that outlives the thread, which is joined at once.
unsafe impl<F> Send for Anywhere<F> {}

impl<F: FnOnce() -> i32> Anywhere<F> {
    fn call(self) -> i32 {
        (self.0)()
    }
}

fn code(on: On, call: &dyn Fn() -> i32) -> i32 {
    match on {
        Own => call(),
        Nowhere => {
            let call = Anywhere(call);
            thread::scope(|scope| scope.spawn(move || call.call()).join().unwrap())
        }
        Other => {
            let (before, mut other) = (context(), aclrtContext::NULL);
            ok!(device::aclrtCreateContext(&mut other, 0));
            let code = call();
            ok!(device::aclrtSetCurrentContext(before));
            ok!(device::aclrtDestroyContext(other));
            code
        }
    }
}

struct Row<'a> {
    text: &'static str,
    on: On,
    call: Box<dyn Fn() -> i32 + 'a>,
    expected: i32,
}

/// `row!(where, call => code)`
macro_rules! row {
    ($on:expr, $group:ident::$function:ident($($argument:expr),* $(,)?) => $code:expr) => {
        Row {
            text: stringify!($function($($argument),*)),
            on: $on,
            call: Box::new(move || call!($group::$function($($argument),*))),
            expected: $code,
        }
    };
}

/// Makes the calls in their order.
fn check<'a>(rows: impl IntoIterator<Item = Row<'a>>) {
    let mut wrong = Vec::new();
    for Row { text, on, call, expected } in rows {
        let found = code(on, &*call);
        if found != expected {
            wrong.push(format!("{on:?}: {text}: {found}, expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn flagged(flags: u32) -> aclrtStream {
    let mut stream = aclrtStream::NULL;
    ok!(stream::aclrtCreateStreamWithConfig(&mut stream, 0, flags));
    stream
}

fn dead() -> aclrtStream {
    let stream = stream();
    ok!(stream::aclrtDestroyStream(stream));
    stream
}

fn default_stream() -> aclrtStream {
    let mut stream = aclrtStream::NULL;
    ok!(stream::aclrtCtxGetCurrentDefaultStream(&mut stream));
    stream
}

/// A captured instance without tasks.
fn captured() -> aclmdlRI {
    let stream = stream();
    begin(stream);
    end(stream)
}

/// A task group without tasks.
fn group() -> aclrtTaskGrp {
    let (stream, mut group) = (stream(), aclrtTaskGrp::NULL);
    begin(stream);
    ok!(model_instance::aclmdlRICaptureTaskGrpBegin(stream));
    ok!(model_instance::aclmdlRICaptureTaskGrpEnd(stream, &mut group));
    end(stream);
    group
}

mod absent;
mod absent_models;
mod captures;
mod contexts;
mod copies;
mod devices;
mod events;
mod instances;
mod managed;
mod memory;
mod settings;
mod streams;
