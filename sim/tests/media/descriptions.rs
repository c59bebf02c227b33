//! What describes pictures and channels.

use crate::support::{NV12, channel};
use crate::world::*;
use ascendcl_sim::control;
use ascendcl_sys::error_codes::*;
use core::ptr::null_mut;

#[test]
fn a_description_says_what_was_said_and_is_counted_until_it_is_destroyed() {
    let _world = world();
    let picture = call!(media::acldvppCreatePicDesc());
    ok!(media::acldvppSetPicDescFormat(picture, NV12));
    ok!(media::acldvppSetPicDescWidth(picture, 640));
    assert_eq!(call!(media::acldvppGetPicDescFormat(picture)), NV12);
    assert_eq!(call!(media::acldvppGetPicDescWidth(picture)), 640);
    assert_eq!(call!(media::acldvppGetPicDescHeight(picture)), 0);
    let video = call!(media::acldvppCreateStreamDesc());
    ok!(media::acldvppSetStreamDescEos(video, 1));
    ok!(media::acldvppSetStreamDescTimestamp(video, 77));
    assert_eq!(
        (call!(media::acldvppGetStreamDescEos(video)), call!(media::acldvppGetStreamDescTimestamp(video))),
        (1, 77)
    );
    assert_eq!(control::live().media_descriptions, 2);
    ok!(media::acldvppDestroyPicDesc(picture));
    ok!(media::acldvppDestroyStreamDesc(video));
    assert_eq!(control::live().media_descriptions, 0);
    let gone = "this is no picture description, or it was destroyed";
    fails!(ACL_ERROR_INVALID_PARAM, gone, media::acldvppDestroyPicDesc(picture));
    fails!(ACL_ERROR_INVALID_PARAM, "is null", media::acldvppDestroyPicDesc(null_mut()));
}

#[test]
fn a_channel_is_created_once_and_destroyed_once() {
    let _world = world();
    let first = channel();
    fails!(ACL_ERROR_INVALID_PARAM, "was created before", media::acldvppCreateChannel(first));
    ok!(media::acldvppDestroyChannel(first));
    fails!(ACL_ERROR_INVALID_PARAM, "was not created", media::acldvppDestroyChannel(first));
    let second = channel();
    assert_ne!(call!(media::acldvppGetChannelDescChannelId(second)), 0);
    fails!(ACL_ERROR_INVALID_PARAM, "acldvppDestroyChannel first", media::acldvppDestroyChannelDesc(second));
    ok!(media::acldvppDestroyChannel(second));
    ok!(media::acldvppDestroyChannelDesc(second));
}

#[test]
fn a_channel_wants_a_current_context() {
    let _world = world();
    let desc = call!(media::acldvppCreateChannelDesc());
    let code = std::thread::scope(|scope| {
        let desc = desc.addr();
        scope.spawn(move || call!(media::acldvppCreateChannel(core::ptr::without_provenance_mut(desc)))).join().unwrap()
    });
    assert_eq!(code, ACL_ERROR_RT_CONTEXT_NULL);
}

#[test]
fn memory_for_pictures_is_memory_of_the_device() {
    let _world = world();
    let before = free_bytes();
    let mut memory = null_mut();
    ok!(media::acldvppMalloc(&mut memory, 1000));
    assert!(free_bytes() < before);
    ok!(media::acldvppFree(memory));
    assert_eq!(free_bytes(), before);
    fails!(ACL_ERROR_INVALID_PARAM, "no size", media::acldvppMalloc(&mut memory, 0));
}

#[test]
fn video_is_refused_with_the_name_of_the_function() {
    let _world = world();
    assert!(call!(media_video::aclvdecCreateChannelDesc()).is_null());
    assert!(text().contains("aclvdecCreateChannelDesc: the simulator does not have this function"));
}

#[test]
fn a_level_of_quality_goes_to_100() {
    let _world = world();
    let config = call!(media::acldvppCreateJpegeConfig());
    ok!(media::acldvppSetJpegeConfigLevel(config, 80));
    fails!(ACL_ERROR_INVALID_PARAM, "found level 101", media::acldvppSetJpegeConfigLevel(config, 101));
    assert_eq!(call!(media::acldvppGetJpegeConfigLevel(config)), 80);
    ok!(media::acldvppDestroyJpegeConfig(config));
}
