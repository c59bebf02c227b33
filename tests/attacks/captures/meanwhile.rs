//! What other threads do while a stream is captured, or while the library refuses to end a capture.

use super::*;
use ascendcl::Thread;
use ascendcl_macros::proves;
use std::sync::mpsc::channel;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);

/// Memory that was lent to copies is waited for while another thread captures, in each mode.
#[proves(GRAPH_04, COPY_04)]
#[test]
fn lent_memory_is_waited_for_while_another_thread_captures() {
    for mode in [CaptureMode::Relaxed, CaptureMode::ThreadLocal, CaptureMode::Global] {
        for is_left in [false, true] {
            let alone = alone();
            in_context(|context, thread| {
                let ((begins, begun), (ends, ended)) = (channel(), channel::<()>());
                let lends = move || {
                    let entered = context.enter(&mut Thread::new().unwrap(), |current| {
                        let (given, mut back) = ([3_u8; LENGTH], [0_u8; LENGTH]);
                        let room = current.device_buffer(LENGTH).unwrap();
                        let copied = current.copy_scope(|current, copies| {
                            let own = current.stream().unwrap();
                            // The library may refuse to take one, and then nothing is lent to it.
                            let sent = copies.copy_to_device(current, &own, &given, room);
                            begun.recv_timeout(LONG).unwrap();
                            drop(sent.map(|sent| copies.copy_to_host(current, &own, sent, &mut back)));
                        });
                        let is_copied = back == given;
                        (copied.is_ok(), is_copied)
                    });
                    ends.send(()).unwrap();
                    entered.unwrap()
                };
                std::thread::scope(|threads| {
                    let lends = threads.spawn(lends);
                    context
                        .enter(thread, |current| {
                            let mut own = stream(current);
                            if is_left {
                                fail("aclmdlRICaptureEnd=507899");
                            }
                            let captured = own.capture(current, mode, (), |_, ()| {
                                if !is_left {
                                    begins.send(()).unwrap();
                                    ended.recv_timeout(LONG).unwrap();
                                }
                                Ok(())
                            });
                            assert_eq!(captured.is_err(), is_left);
                            if is_left {
                                begins.send(()).unwrap();
                                ended.recv_timeout(LONG).unwrap();
                            }
                        })
                        .unwrap();
                    let (is_well, is_copied) = lends.join().unwrap();
                    assert!(is_well && (is_copied || is_left || mode != CaptureMode::Relaxed), "{mode:?} {is_left}");
                });
                crate::nothing_fails();
            });
            alone.assert_nothing_lives();
        }
    }
}
