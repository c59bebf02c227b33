//! Shared memory.

use crate::actor::Actor;
use crate::holdings::take;
use ascendcl::{Current, Error, Scoped};
use std::mem;

impl<'c> Actor<'_, 'c> {
    /// Shares a buffer, reads it on two streams at once, leaves the readers in all ways, and takes the buffer back.
    pub(crate) fn share(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some((buffer, holds)) = take(&mut self.has.devices, a) else { return };
        let shared = buffer.into_shared();
        let mut all_waited = true;
        for reader in 0..2 {
            let (number, part) = (b / (reader + 1), shared.len() / usize::from(reader + 1));
            let room = self.world.well("pinning", current.host_buffer::<f32>(part));
            let (Some(room), Ok(view)) = (room, shared.slice(..part)) else { continue };
            let (_, queued) =
                self.has.on_stream(current, None, number, |tasks, at| (at, tasks.copy_to_host(current, view, room)));
            let pending = match queued {
                Ok(pending) => pending,
                Err(failed) => {
                    self.world.failed("queueing a copy of shared memory", &failed.error);
                    all_waited = false;
                    continue;
                }
            };
            match number % 5 {
                0 => {
                    all_waited = false;
                    drop(pending);
                }
                1 if self.world.forgets => {
                    all_waited = false;
                    mem::forget(pending);
                }
                _ => match pending.wait(current) {
                    Ok((_, host)) => {
                        self.world.compare(
                            "a copy of shared memory",
                            &host,
                            holds.as_ref().map(|holds| &holds[..part]),
                        );
                    }
                    Err(failed) => {
                        all_waited = false;
                        self.world.failed("waiting for a copy of shared memory", &failed.error);
                    }
                },
            }
        }
        match shared.try_unshare(current) {
            Ok(buffer) => self.has.devices.push((buffer, holds)),
            Err(failed) => {
                let right = matches!(failed.error, Error::StillShared | Error::StillRunning { .. }) && !all_waited;
                assert!(right || self.world.is_faulty(), "shared memory did not come back: {}", failed.error);
            }
        }
    }
}
