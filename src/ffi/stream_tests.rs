//! On which streams a fast path may queue work.

use super::stamp::Obstacles;
use super::thread_notes::set_entered_id;
use super::{Api, Home, LastUse, RawStream, Site};
use crate::device_allocator::ContextId;
use ascendcl_sys::types::aclrtStream;

/// Several threads may use the default stream at once. So none of them knows the number of its next submission: with a
/// number, memory would count as idle when the submission of another thread is done that has the same.
#[test]
fn nobody_knows_the_next_number_of_a_stream_that_several_threads_use() {
    let (api, context) = (Api::without_functions(), ContextId::next(0));
    let outer = set_entered_id(Some(context));
    let streams = [RawStream::created(api, aclrtStream::NULL), RawStream::default_of_current(api)];
    set_entered_id(outer);
    let (site, memory) = (Site::of(api, context), LastUse::of(Home::Device.in_context(context.number())));
    let knows =
        streams.each_ref().map(|stream| stream.ready_for_work(site.here(), Obstacles::NONE, [&memory]).is_some());
    assert_eq!(knows, [true, false]);
}
