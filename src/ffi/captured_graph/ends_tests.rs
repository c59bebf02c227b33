//! How captures and the bodies of conditions end, for each answer of the library.

use super::open::{Body, BodyId};
use super::{Arc, AtomicPtr, Ordering, RawGraph, RawStream};
use crate::ffi::Api;
use crate::ffi::call::{Function, functions};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_NOT_CAPTURED};
use ascendcl_sys::types::{aclError, aclmdlRI, aclmdlRICaptureMode, aclmdlRICaptureStatus, aclrtStream};
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};

const REFUSED: aclError = 507_899;
const IS_NONE: aclmdlRICaptureStatus = aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_NONE;
const IS_ACTIVE: aclmdlRICaptureStatus = aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
const SOME: aclmdlRI = aclmdlRI(NonNull::<c_void>::dangling().as_ptr());

/// What the library answers on this thread.
#[derive(Clone, Copy)]
struct Says {
    /// To the call that ends a capture, and the instance that it writes.
    end: (aclError, aclmdlRI),
    /// To the question whether a stream is captured.
    status: (aclError, aclmdlRICaptureStatus),
    ends: u32,
}

thread_local! {
    static SAYS: Cell<Says> = const { Cell::new(Says { end: (0, aclmdlRI::NULL), status: (0, IS_NONE), ends: 0 }) };
}

extern "C" fn end(_: aclrtStream, instance: *mut aclmdlRI) -> aclError {
    let says = SAYS.get();
    SAYS.set(Says { ends: says.ends + 1, ..says });
    // SAFETY: a write asks for a valid place. The caller passes a pointer to a local.
    unsafe { *instance = says.end.1 };
    says.end.0
}

extern "C" fn status(_: aclrtStream, status: *mut aclmdlRICaptureStatus, _: *mut aclmdlRI) -> aclError {
    let says = SAYS.get();
    // SAFETY: a write asks for a valid place. The caller passes a pointer to a local.
    unsafe { *status = says.status.1 };
    says.status.0
}

extern "C" fn begin_body(_: aclrtStream, _: aclmdlRI, _: aclmdlRICaptureMode) -> aclError {
    0
}

fn resolve(name: &str) -> Option<NonNull<c_void>> {
    let known = [
        (functions::aclmdlRICaptureEnd::NAME, end as *mut c_void),
        (functions::aclmdlRICaptureGetInfo::NAME, status as *mut c_void),
        (functions::aclmdlRICaptureToModelRIBegin::NAME, begin_body as *mut c_void),
    ];
    known.iter().find(|(known, _)| *known == name).and_then(|(_, function)| NonNull::new(*function))
}

fn library() -> Api {
    // SAFETY: `Api::from_table` asks for addresses of functions with the table's signatures. The three have them.
    unsafe { Api::from_table("ends", resolve) }
}

fn says(end: (aclError, aclmdlRI), status: (aclError, aclmdlRICaptureStatus)) {
    SAYS.set(Says { end, status, ends: 0 });
}

fn stream(api: Api) -> Arc<RawStream> {
    Arc::new(RawStream::created(api, aclrtStream::NULL))
}

/// Whether the stream takes other work.
fn is_free(graph: &RawGraph, api: Api, stream: &RawStream) -> bool {
    stream.begin_capture(api, &graph.held).is_ok()
}

/// A graph, and the stream of two bodies of a condition whose captures have begun.
fn with_bodies(api: Api, in_doubt: [bool; 2]) -> (RawGraph, Arc<RawStream>) {
    let (graph, side) = (RawGraph::new(), stream(api));
    graph.reserve_body_stream(api, &side).unwrap();
    let body = |(place, is_in_doubt)| Body {
        task: 1,
        place,
        instance: AtomicPtr::new(SOME.0),
        stream: Arc::clone(&side),
        is_begun: true,
        is_in_doubt,
    };
    graph.capture().bodies.extend(in_doubt.into_iter().enumerate().map(body));
    (graph, side)
}

/// The places of the bodies that are left, and whether their captures have begun.
fn left(graph: &RawGraph) -> Vec<(usize, bool)> {
    graph.capture().bodies.iter().map(|body| (body.place, body.is_begun)).collect()
}

const fn body(place: usize) -> BodyId {
    BodyId { task: 1, place }
}

#[test]
fn a_capture_is_over_where_the_library_shows_it_in_any_way() {
    let api = library();
    let unknown = (REFUSED, IS_NONE);
    let ends = [
        ((0, aclmdlRI::NULL), unknown, false),
        ((REFUSED, SOME), unknown, false),
        ((ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRI::NULL), unknown, false),
        ((ACL_ERROR_RT_INVALID_HANDLE, aclmdlRI::NULL), unknown, false),
        ((REFUSED, aclmdlRI::NULL), (0, IS_NONE), false),
        ((REFUSED, aclmdlRI::NULL), unknown, true),
        ((REFUSED, aclmdlRI::NULL), (0, IS_ACTIVE), true),
    ];
    for (number, (end, status, is_left)) in ends.into_iter().enumerate() {
        says(end, status);
        let (graph, own) = (RawGraph::new(), stream(api));
        graph.join_capture(api, &own).unwrap();
        assert!(graph.end(api).is_err(), "{number}: none of them gives a graph");
        assert_eq!((graph.is_left(), is_free(&graph, api, &own)), (is_left, !is_left), "{number}");
        assert_eq!(graph.is_gone(), !is_left && end.1.is_null(), "{number}: an instance is to be destroyed");
        assert!(graph.instance().is_null(), "{number}: it is not replayed");
    }
}

/// Another thread that ends what was left must not turn the refusal into a graph.
#[test]
fn a_capture_whose_end_was_refused_does_not_end_well_the_next_time() {
    let api = library();
    says((REFUSED, SOME), (0, IS_NONE));
    let (graph, own) = (RawGraph::new(), stream(api));
    graph.join_capture(api, &own).unwrap();
    assert!(graph.end(api).is_err());
    assert!(!graph.is_gone(), "an instance is to be destroyed");
    assert!(matches!(graph.end(api), Err(crate::error::Error::Gone { .. })));
    assert!(graph.instance().is_null());
}

#[test]
fn a_body_is_over_where_the_library_shows_it_in_any_way() {
    let api = library();
    let unknown = (REFUSED, IS_NONE);
    let none = (ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRI::NULL);
    let ends = [
        ((0, SOME), unknown, [false; 2], vec![(0, true)]),
        (none, unknown, [false; 2], vec![(0, true)]),
        ((REFUSED, aclmdlRI::NULL), (0, IS_NONE), [false; 2], vec![(0, true)]),
        ((REFUSED, aclmdlRI::NULL), (0, IS_ACTIVE), [false; 2], vec![(0, true), (1, true)]),
        // The capture of the other one may have begun or not.
        (none, unknown, [true, false], vec![(0, true)]),
        // Its own may not have begun: it is captured again, because the graph cannot end before.
        (none, unknown, [false, true], vec![(0, true), (1, false)]),
    ];
    for (number, (end, status, in_doubt, expected)) in ends.into_iter().enumerate() {
        says(end, status);
        let (graph, _) = with_bodies(api, in_doubt);
        assert_eq!(graph.end_body(api, body(1)).is_ok(), end.0 == 0, "{number}");
        assert_eq!(left(&graph), expected, "{number}");
    }
}

#[test]
fn a_body_whose_capture_began_is_in_no_doubt_and_ends_once() {
    let api = library();
    says((0, SOME), (0, IS_NONE));
    let (graph, side) = with_bodies(api, [false; 2]);
    graph.capture().bodies.truncate(1);
    graph.capture().bodies.iter_mut().for_each(|body| body.is_begun = false);
    graph.begin_body(api, body(0)).unwrap();
    assert!(graph.capture().bodies.iter().all(|body| body.is_begun && !body.is_in_doubt));
    graph.end_bodies(api).unwrap();
    assert_eq!((left(&graph).len(), SAYS.get().ends), (0, 1));
    assert!(is_free(&graph, api, &side));
}

#[test]
fn what_the_library_says_of_the_end_of_a_body_is_told() {
    let api = library();
    says((REFUSED, aclmdlRI::NULL), (0, IS_NONE));
    let (graph, side) = with_bodies(api, [false; 2]);
    let told = graph.end_bodies(api).unwrap_err();
    assert_eq!(told.code().map(|code| code.number()), Some(REFUSED));
    assert!(left(&graph).is_empty() && is_free(&graph, api, &side));
}

#[test]
fn a_reset_frees_all_streams_of_a_capture_and_of_an_update() {
    let api = library();
    says((0, SOME), (0, IS_NONE));
    let (graph, side) = with_bodies(api, [false; 2]);
    let (own, updated) = (stream(api), stream(api));
    graph.join_capture(api, &own).unwrap();
    graph.update.open_on(api, &updated, &graph.held).unwrap();
    assert!(!is_free(&graph, api, &own) && !is_free(&graph, api, &side) && !is_free(&graph, api, &updated));
    graph.after_forced_reset();
    assert!(is_free(&graph, api, &own) && is_free(&graph, api, &side) && is_free(&graph, api, &updated));
    assert_eq!((graph.instance.load(Ordering::Acquire), SAYS.get().ends), (null_mut(), 0));
}
