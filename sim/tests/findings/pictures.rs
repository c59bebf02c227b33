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

fn channel() -> *mut acldvppChannelDesc {
    let channel = acl!(acldvppCreateChannelDesc());
    ok!(acldvppCreateChannel(channel));
    channel
}

/// Scales one picture to another.
fn scale(from: *mut c_void, to: *mut c_void) -> aclError {
    let code = scale_on(channel(), [from, to], aclrtStream::NULL);
    sync(aclrtStream::NULL);
    code
}

fn scale_on(channel: *mut acldvppChannelDesc, [from, to]: [*mut c_void; 2], stream: aclrtStream) -> aclError {
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
    acl!(acldvppVpcResizeAsync(channel, from, to, config, stream))
}

#[test]
fn a_channel_works_on_one_stream_at_a_time() {
    breaks_without(rules::DVPP_01, |synced| {
        let (channel, streams) = (channel(), [stream(), stream()]);
        for stream in streams {
            assert_eq!(scale_on(channel, [media_memory(64), media_memory(64)], stream), 0);
            assert_eq!(scale_on(channel, [media_memory(64), media_memory(64)], stream), 0);
            if synced {
                sync(stream);
            }
        }
    });
    let a_channel_each = || {
        for stream in [stream(), stream()] {
            assert_eq!(scale_on(channel(), [media_memory(64), media_memory(64)], stream), 0);
        }
    };
    assert_eq!(broken_by(a_channel_each), []);
}

#[test]
fn pictures_are_in_memory_of_media_processing() {
    let right = || assert_eq!(scale(media_memory(64), media_memory(64)), 0);
    breaks(rules::DVPP_03, || assert_eq!(scale(media_memory(64), malloc(64)), 0), right);
    breaks(rules::MEM_10, || assert_ne!(scale(malloc_host(64), media_memory(64)), 0), right);
    let mut own = [0_u8; 64];
    breaks(rules::MEM_10, || assert_ne!(scale(media_memory(64), own.as_mut_ptr().cast()), 0), right);
}

#[test]
fn pictures_are_in_memory_that_was_not_freed() {
    let freed = || {
        let (from, to) = (media_memory(64), media_memory(64));
        ok!(acldvppFree(to));
        assert_ne!(scale(from, to), 0);
    };
    assert_eq!(broken_by(freed), [(rules::MEM_01, "acldvppVpcResizeAsync")]);
}

#[test]
fn a_channel_is_destroyed_before_its_description() {
    breaks_without(rules::DVPP_02, |destroyed| {
        let channel = channel();
        if destroyed {
            ok!(acldvppDestroyChannel(channel));
        }
        assert_eq!(acl!(acldvppDestroyChannelDesc(channel)) == 0, destroyed);
        // The channel is left over, which is the same mistake.
        ok!(aclrtResetDevice(0));
        ok!(aclFinalize());
    });
}

#[test]
fn a_channel_is_created_before_its_work_and_destroyed_once() {
    let run = |creates: bool, destroys: usize| {
        broken_by(|| {
            let channel = acl!(acldvppCreateChannelDesc());
            if creates {
                ok!(acldvppCreateChannel(channel));
            }
            let scaled = scale_on(channel, [media_memory(64), media_memory(64)], aclrtStream::NULL) == 0;
            assert_eq!(scaled, creates);
            sync(aclrtStream::NULL);
            for number in 0..destroys {
                assert_eq!(acl!(acldvppDestroyChannel(channel)) == 0, creates && number == 0);
            }
            ok!(acldvppDestroyChannelDesc(channel));
        })
    };
    assert_eq!(run(true, 1), []);
    assert_eq!(run(true, 2), [(rules::DATA_05, "acldvppDestroyChannel")]);
    assert_eq!(run(false, 1), [(rules::DATA_05, "acldvppVpcResizeAsync")]);
}

#[test]
fn a_picture_that_is_freed_before_it_is_decoded_is_told_once() {
    let run = |synced: bool| {
        broken_by(|| {
            let (file, picture, desc) = (media_memory(64), media_memory(1 << 16), acl!(acldvppCreatePicDesc()));
            ok!(aclrtMemset(file, 64, 0, 64));
            ok!(acldvppSetPicDescData(desc, picture));
            ok!(acldvppSetPicDescSize(desc, 1 << 16));
            long_fill(aclrtStream::NULL);
            ok!(acldvppJpegDecodeAsync(channel(), file, 64, desc, aclrtStream::NULL));
            // These are no bytes of a picture.
            if synced {
                assert_ne!(acl!(aclrtSynchronizeStream(aclrtStream::NULL)), 0);
            }
            ok!(acldvppFree(picture));
            acl!(aclrtSynchronizeStream(aclrtStream::NULL));
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::MEM_02, "acldvppFree")]);
}

/// Scales a picture of 64 by 64 pixels to itself, in memory of this size.
fn scale_large(size: usize) -> aclError {
    let picture = acl!(acldvppCreatePicDesc());
    ok!(acldvppSetPicDescData(picture, media_memory(size)));
    ok!(acldvppSetPicDescSize(picture, 1 << 12));
    ok!(acldvppSetPicDescWidth(picture, 64));
    ok!(acldvppSetPicDescHeight(picture, 64));
    let config = acl!(acldvppCreateResizeConfig());
    let code = acl!(acldvppVpcResizeAsync(channel(), picture, picture, config, aclrtStream::NULL));
    sync(aclrtStream::NULL);
    code
}

#[test]
fn a_picture_is_as_large_as_its_description_says() {
    let right = || assert_eq!(scale(media_memory(64), media_memory(64)), 0);
    let short = || {
        scale(media_memory(64), media_memory(32));
    };
    breaks(rules::COPY_01, short, right);
    // The picture fits, but not what its description says.
    let claimed = || {
        let (channel, [from, to]) = (channel(), [media_memory(64), media_memory(64)]);
        let picture = |data, size| {
            let picture = acl!(acldvppCreatePicDesc());
            ok!(acldvppSetPicDescData(picture, data));
            ok!(acldvppSetPicDescSize(picture, size));
            ok!(acldvppSetPicDescWidth(picture, 8));
            ok!(acldvppSetPicDescHeight(picture, 8));
            ok!(acldvppSetPicDescWidthStride(picture, 8));
            picture
        };
        let config = acl!(acldvppCreateResizeConfig());
        acl!(acldvppVpcResizeAsync(channel, picture(from, 64), picture(to, 128), config, aclrtStream::NULL));
    };
    breaks(rules::COPY_01, claimed, right);
    breaks(rules::COPY_01, || assert_ne!(scale_large(64), 0), || assert_eq!(scale_large(1 << 12), 0));
}

/// What is freed too early is used by all that comes then.
#[test]
fn uses_of_memory_whose_free_was_told_are_no_further_mistakes() {
    let run = || {
        let (channel, [from, to]) = (channel(), [media_memory(64), media_memory(64)]);
        ok!(aclrtFree(to));
        assert_ne!(scale_on(channel, [from, to], aclrtStream::NULL), 0);
        let mut own = [0_u8; 64];
        assert_ne!(acl!(aclrtMemcpy(own.as_mut_ptr().cast(), 64, to, 64, TO_HOST)), 0);
    };
    assert_eq!(broken_by(run), [(rules::MEM_03, "aclrtFree")]);
}
