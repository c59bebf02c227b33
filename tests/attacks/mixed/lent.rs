//! What one context lends is used in another of the same name, which is entered while the loan lasts.

use super::*;
use crate::common::library;
use ascendcl::Setup;

/// The scope waits for its streams in its own context. It would abort the process over a stream of another one.
#[proves(COPY_04, STREAM_09)]
#[test]
fn memory_that_one_context_lends_is_not_copied_by_a_stream_of_another_of_the_name() {
    let two = Two::open();
    let (mut seen, given) = ([0.0_f32; 16], [2.0_f32; 16]);
    let kept = two.own(|outer| {
        let lent = outer.copy_scope(|outer, copies| {
            let taken = two.other.enter(outer, |inner| {
                let (stream, buffer) = (inner.stream().unwrap(), inner.upload(&[1.0; 16]).unwrap());
                let buffer =
                    comes_back(copies.copy_to_device(inner, &stream, &given, buffer), ObjectKind::COPY_COUNTERPART);
                let buffer =
                    comes_back(copies.copy_to_host(inner, &stream, buffer, &mut seen), ObjectKind::COPY_COUNTERPART);
                assert_eq!(buffer.to_vec(inner).unwrap(), [1.0; 16]);
                (stream, buffer)
            });
            // The scope goes on.
            let (stream, room) = (outer.stream().unwrap(), outer.device_buffer(16).unwrap());
            mem::forget(copies.copy_to_device(outer, &stream, &given, room).unwrap());
            taken.unwrap()
        });
        lent.unwrap()
    });
    assert_eq!(seen, [0.0; 16]);
    drop(kept);
    two.close();
}

/// The access was enabled for the device of one context. The other one is on another device, or of another library.
#[proves(DEV_13, MEM_11)]
#[test]
fn access_that_one_context_has_to_a_peer_is_not_used_by_another_of_the_name() {
    ascendcl::names!(Peer);
    let alone = alone();
    let on = |device| Setup::builder().library(library()).device(device).build();
    let (own, peer) = (Runtime::<Worker>::open(on(0)).unwrap(), Runtime::<Peer>::open(on(1)).unwrap());
    let others = [Runtime::<Worker>::open(on(1)).unwrap(), Runtime::open(library_at(null_library())).unwrap()];
    let mut sound = peer.with(|current| current.upload(&[8_u8; 32]).unwrap()).unwrap();
    own.with(|outer| {
        let reached = outer.with_peer(&peer, |outer, access| {
            for other in &others {
                let used = other.enter(outer, |inner| {
                    let (stream, room) = (inner.stream().unwrap(), inner.device_buffer::<u8>(32).unwrap());
                    let waited = inner.copy_scope(|inner, copies| {
                        let copied = copies.copy_from_peer(inner, &stream, access, &sound, room);
                        drop(comes_back(copied, ObjectKind::COPY_COUNTERPART));
                    });
                    waited.unwrap();
                    let room = inner.upload(&[0_u8; 32]).unwrap();
                    let waited = inner.copy_scope(|inner, copies| {
                        let copied = copies.copy_to_peer(inner, &stream, access, room, &mut sound);
                        drop(comes_back(copied, ObjectKind::COPY_COUNTERPART));
                    });
                    waited.unwrap();
                });
                used.unwrap();
            }
        });
        reached.unwrap();
    })
    .unwrap();
    assert_eq!(peer.with(|current| sound.to_vec(current).unwrap()).unwrap(), [8; 32]);
    others.into_iter().for_each(|other| other.close().unwrap());
    own.close().unwrap();
    peer.close().unwrap();
    alone.assert_nothing_lives();
}
