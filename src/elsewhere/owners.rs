//! `clone` of values with one owner. Without these methods the compiler would propose `close`, which has a similar name.

use crate::acl::Acl;
use crate::brand::{Brand, Name};
use crate::capture::CapturedGraph;
use crate::event::{Event, EventKind, EventState};
use crate::runtime::{Actor, Runtime};

elsewhere! {
    /// A runtime with two owners.
    RuntimeOfTwo:
        "a runtime has one owner, which is not cloned",
        "this would be a second owner of the runtime",
        "THREAD-01: any thread enters it through a reference: share it, `Arc<Runtime<Vision>>`, and call `runtime.with(|current| ...)`",
        "CTX-02: a second context is a second runtime: `Runtime::<Vision>::open(library)?`",
        "see `ascendcl-explain THREAD-01`";

    /// The library with two owners.
    LibraryOfTwo:
        "the initialised library has one owner, which is not cloned",
        "this would be a second owner of the library",
        "INIT-02: it is closed once: threads borrow it, `&acl`; another part of the program asks for its own: `Acl::init(library)?`",
        "see `ascendcl-explain INIT-02`";

    /// An event with two handles.
    EventOfTwo:
        "an event has one handle, which is not cloned",
        "this would be a second handle of the event",
        "EVENT-06: it is destroyed once: streams and threads that wait for it borrow it: `stream.wait_for(current, &event)?`",
        "see `ascendcl-explain EVENT-06`";

    /// A graph with two handles.
    GraphOfTwo:
        "a captured graph has one handle, which is not cloned",
        "this would be a second handle of the graph",
        "GRAPH-07: one replay of it runs at a time, and returns it: `let graph = stream.replay(current, graph)?.wait(current)?;`",
        "see `ascendcl-explain GRAPH-07`";
}

#[doc(hidden)]
impl<N: Name> Runtime<N> {
    #[allow(clippy::should_implement_trait, reason = "nothing meets its bound, which has the words of the message")]
    pub fn clone(&self) -> Self
    where
        Self: RuntimeOfTwo,
    {
        <Self as RuntimeOfTwo>::never()
    }
}

#[doc(hidden)]
impl<N: Name, S> Actor<N, S> {
    #[allow(clippy::should_implement_trait, reason = "as above")]
    pub fn clone(&self) -> Self
    where
        Self: RuntimeOfTwo,
    {
        <Self as RuntimeOfTwo>::never()
    }
}

#[doc(hidden)]
impl Acl {
    #[allow(clippy::should_implement_trait, reason = "as above")]
    pub fn clone<'a>(&'a self) -> Self
    where
        &'a Self: LibraryOfTwo,
    {
        <&Self as LibraryOfTwo>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, S: EventState, K: EventKind> Event<C, S, K> {
    #[allow(clippy::should_implement_trait, reason = "as above")]
    pub fn clone(&self) -> Self
    where
        Self: EventOfTwo,
    {
        <Self as EventOfTwo>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, G> CapturedGraph<C, G> {
    #[allow(clippy::should_implement_trait, reason = "as above")]
    pub fn clone(&self) -> Self
    where
        Self: GraphOfTwo,
    {
        <Self as GraphOfTwo>::never()
    }
}

/// For code that asks for the trait, for example `#[derive(Clone)]` on the state of a service. Types that a method consumes
/// do not have such an implementation, because the compiler would propose to clone them before.
#[doc(hidden)]
impl<N: Name> Clone for Runtime<N>
where
    // The compiler prints the words of a bound for each reference. Those of a bound for the type itself it would not print.
    for<'a> &'a Self: RuntimeOfTwo,
{
    fn clone(&self) -> Self {
        <&Self as RuntimeOfTwo>::never()
    }
}
