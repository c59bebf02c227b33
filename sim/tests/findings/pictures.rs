//! Memory of media processing, which has an allocator of its own.

use crate::support::*;
use ascendcl_sim::exports::{media::*, media_tasks::*};
use std::ffi::c_void;
use std::ptr::null_mut;

fn media_memory(size: usize) -> *mut c_void {
    let mut block = null_mut();
    ok!(acldvppMalloc(&mut block, size));
    block
}

#[test]
fn memory_is_freed_by_the_allocator_that_gave_it_out() {
    breaks(rules::MEM_03, || ok!(aclrtFree(media_memory(64))), || ok!(acldvppFree(media_memory(64))));
    breaks(rules::MEM_03, || ok!(acldvppFree(malloc(64))), || ok!(aclrtFree(malloc(64))));
}

#[test]
fn pictures_are_in_memory_of_media_processing() {
    let scale = |from: *mut c_void, to: *mut c_void| {
        let channel = acl!(acldvppCreateChannelDesc());
        ok!(acldvppCreateChannel(channel));
        let picture = |data| {
            let picture = acl!(acldvppCreatePicDesc());
            ok!(acldvppSetPicDescData(picture, data));
            ok!(acldvppSetPicDescSize(picture, 64));
            ok!(acldvppSetPicDescWidth(picture, 8));
            ok!(acldvppSetPicDescHeight(picture, 8));
            ok!(acldvppSetPicDescWidthStride(picture, 8));
            ok!(acldvppSetPicDescHeightStride(picture, 8));
            picture
        };
        let (from, to, config) = (picture(from), picture(to), acl!(acldvppCreateResizeConfig()));
        ok!(acldvppVpcResizeAsync(channel, from, to, config, aclrtStream::NULL));
        sync(aclrtStream::NULL);
    };
    breaks(rules::DVPP_03, || scale(media_memory(64), malloc(64)), || scale(media_memory(64), media_memory(64)));
}
