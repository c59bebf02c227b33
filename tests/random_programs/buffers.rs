//! Memory, and copies of it.

use crate::actor::Actor;
use crate::holdings::{Device, Host, Work, take};
use crate::sides::{DeviceSide, HostSide, Known, Side};
use crate::world::SEEN;
use ascendcl::memory::bytes_in_arena;
use ascendcl::{
    Current, Error, Scoped,
    stream::{Destination, Operand, Source},
};
use std::mem;
use std::sync::atomic::Ordering::Relaxed;

/// Calls with what is in an enum of sides, whatever its type.
macro_rules! whichever {
    ($side:expr, $kind:ident: $($variant:ident)|+, |$it:ident| $call:expr) => {
        match $side {
            $($kind::$variant(value, known) => { let $it = (value, known); $call })+
            #[allow(unreachable_patterns)]
            _ => {}
        }
    };
}

/// Elements that tell which numbers they are made of.
pub(crate) fn elements(length: usize, seed: u16) -> Vec<f32> {
    (0..length).map(|index| f32::from(seed) + index as f32 * 0.5).collect()
}

pub(crate) fn length(number: u16) -> usize {
    [4, 4, 16, 48, 100][usize::from(number) % 5]
}

impl<'c> Actor<'_, 'c> {
    pub(crate) fn upload(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let holds = elements(length(a), b);
        if b.is_multiple_of(7) {
            let zeroed = current.device_buffer::<f32>(length(a)).and_then(|blank| Ok(blank.zero(current)?));
            let zeroed = self.world.well("zeroing", zeroed);
            self.has.devices.extend(zeroed.map(|buffer| (buffer, Some(vec![0.0; length(a)]))));
        } else if b % 7 == 3 {
            self.take_two(current, &holds);
        } else if let Some(buffer) = self.world.well("uploading", current.upload(&holds)) {
            self.has.devices.push((buffer, Some(holds)));
        }
    }

    /// Two buffers of one arena, which goes at once.
    fn take_two(&mut self, current: &Current<Scoped<'c>>, holds: &[f32]) {
        let arena = current.device_arena(2 * bytes_in_arena::<f32>(holds.len()));
        let Some(mut arena) = self.world.well("allocating an arena", arena) else { return };
        for _ in 0..2 {
            let taken = arena.take(holds.len()).and_then(|blank| Ok(blank.write(current, holds)?));
            let taken = self.world.well("taking from an arena", taken);
            self.has.devices.extend(taken.map(|buffer| (buffer, Some(holds.to_vec()))));
        }
    }

    pub(crate) fn host_buffer(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16, pageable: bool) {
        let holds = elements(length(a), b);
        if pageable {
            self.has.hosts.push((current.pageable_buffer(holds.clone()), Some(holds)));
        } else if let Some(mut buffer) = self.world.well("pinning", current.host_buffer::<f32>(holds.len())) {
            self.world.compare("a new pinned buffer", &buffer, Some(&vec![0.0; holds.len()]));
            buffer.copy_from_slice(&holds);
            self.has.hosts.push((buffer, Some(holds)));
        }
    }

    pub(crate) fn write_device(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some((mut buffer, _)) = take(&mut self.has.devices, a) else { return };
        let new = elements(buffer.len(), b);
        let written = self.world.well("writing", buffer.copy_from(current, &new));
        self.has.devices.push((buffer, written.map(|()| new)));
    }

    pub(crate) fn fill_host(&mut self, a: u16, b: u16) {
        let Some((buffer, holds)) = self
            .has
            .hosts
            .len()
            .checked_sub(1)
            .map(|last| usize::from(a) % (last + 1))
            .map(|at| &mut self.has.hosts[at])
        else {
            return;
        };
        // One in doubt is empty.
        let new = elements(buffer.len(), b);
        buffer.copy_from_slice(&new);
        if holds.is_some() {
            *holds = Some(new);
        }
    }

    pub(crate) fn check_device(&mut self, current: &Current<Scoped<'c>>, a: u16) {
        let Some((buffer, holds)) = take(&mut self.has.devices, a) else { return };
        if let Some(found) = self.world.well("reading", buffer.to_vec(current)) {
            self.world.compare("a device buffer", &found, holds.as_deref());
        }
        self.has.devices.push((buffer, holds));
    }

    /// The same memory in other forms, and back: bytes, memory of another crate, a tensor of any type.
    pub(crate) fn reform(&mut self, current: &Current<Scoped<'c>>, a: u16) {
        let Some((buffer, holds)) = take(&mut self.has.devices, a) else { return };
        let (length, kept) = (buffer.len(), buffer.cast::<u8>().unwrap().keep());
        let back = kept.into_buffer::<f32, _>(current).map_err(Error::from);
        let Some(buffer) = self.world.well("taking kept memory back", back) else { return };
        let tensor = buffer.into_tensor(&[length]).unwrap().into_any();
        if let Some(found) = self.world.well("reading a tensor of any type", tensor.to_vec::<f32>(current)) {
            self.world.compare("a tensor of any type", &found, holds.as_deref());
        }
        self.has.devices.push((tensor.into_typed::<f32>().unwrap().into_buffer(), holds));
    }

    pub(crate) fn check_host(&mut self, a: u16) {
        if let Some((buffer, holds)) = crate::holdings::look(&self.has.hosts, a) {
            self.world.compare("a host buffer", buffer, holds.as_deref());
        }
    }

    pub(crate) fn end_device_buffer(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some((buffer, holds)) = take(&mut self.has.devices, a) else { return };
        match b % 4 {
            0 => drop(buffer),
            1 => mem::forget(buffer),
            _ => {
                if let Err(failed) = buffer.free(current) {
                    self.world.failed("freeing", &failed.error);
                    let _ = holds;
                    self.has.devices.push((failed.value, None));
                }
            }
        }
    }

    pub(crate) fn end_host_buffer(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some((buffer, holds)) = take(&mut self.has.hosts, a) else { return };
        match b % 5 {
            0 => drop(buffer),
            1 => mem::forget(buffer),
            2 => match buffer.into_vec(current) {
                Ok(found) => self.world.compare("a buffer as a vector", &found, holds.as_deref()),
                Err(failed) => self.world.failed("taking the vector", &failed.error),
            },
            _ => {
                if let Err(failed) = buffer.free(current) {
                    self.world.failed("freeing", &failed.error);
                    self.has.hosts.push((failed.value, None));
                }
            }
        }
    }

    pub(crate) fn set_bytes(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(target) = self.device_target(current, a, Some(length(b))) else { return };
        whichever!(target, DeviceSide: IdleProof | Flying | Blank, |to| self.set(current, to, b));
    }

    fn set<D>(&mut self, current: &Current<Scoped<'c>>, (to, mut known): (D, Known), number: u16)
    where
        D: Destination<Scoped<'c>, f32> + Side<'c>,
    {
        // The bytes make a number that is finite.
        let byte = (number % 0x7f) as u8;
        let (at, right, set) = self.has.on_stream(current, known.stream, number / 2, |tasks, at| {
            (at, known.is_on(at), tasks.set_bytes(current, to, byte))
        });
        match set {
            Ok(pending) => {
                assert!(right, "a set on another stream was taken");
                let holds = known.length.map(|length| vec![f32::from_ne_bytes([byte; 4]); length]);
                self.has.queued(self.world, at, Work::Device(pending, holds));
            }
            Err(failed) => {
                if right {
                    self.world.failed("queueing a set", &failed.error);
                    known.holds = None;
                } else {
                    self.world.refused("a set on another stream", &failed.error);
                }
                failed.value.put_back(self, known);
            }
        }
    }

    pub(crate) fn copy_to_device(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(from) = self.host_side(a) else { return };
        whichever!(from, HostSide: IdleProof | Flying, |from| {
            match self.device_target(current, b, from.1.length) {
                Some(to) => whichever!(to, DeviceSide: IdleProof | Flying | Blank, |to| self.queue_to_device(current, from, to, a)),
                None => from.0.put_back(self, from.1),
            }
        });
    }

    fn queue_to_device<H, D>(&mut self, current: &Current<Scoped<'c>>, from: (H, Known), to: (D, Known), number: u16)
    where
        H: Operand<Scoped<'c>, Host<'c>> + Side<'c>,
        D: Destination<Scoped<'c>, f32> + Side<'c>,
    {
        let (h, d) = (from.1, to.1);
        let (at, copied) = self.has.on_stream(current, h.stream.or(d.stream), number / 2, |tasks, at| {
            (at, tasks.copy_to_device(current, from.0, to.0))
        });
        match copied {
            Ok(pending) => {
                assert_ne!(is_right(&h, &d, at), Some(false), "a copy that is wrong was taken");
                let (host, device) = pending.split();
                self.has.queued(self.world, at, Work::Host(host, h.holds.clone()));
                self.has.queued(self.world, at, Work::Device(device, h.holds));
            }
            Err(failed) => {
                self.not_copied(is_right(&h, &d, at), &failed.error, (failed.value.0, h), (failed.value.1, d))
            }
        }
    }

    pub(crate) fn copy_to_host(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(from) = self.device_side(a) else { return };
        whichever!(from, DeviceSide: IdleProof | Flying, |from| {
            match self.host_target(b, from.1.length) {
                Some(to) => whichever!(to, HostSide: IdleProof | Flying, |to| self.queue_to_host(current, from, to, a)),
                None => from.0.put_back(self, from.1),
            }
        });
    }

    fn queue_to_host<D, H>(&mut self, current: &Current<Scoped<'c>>, from: (D, Known), to: (H, Known), number: u16)
    where
        D: Source<Scoped<'c>, f32, Kept = Device<'c>> + Side<'c>,
        H: Operand<Scoped<'c>, Host<'c>> + Side<'c>,
    {
        let (d, h) = (from.1, to.1);
        let (at, copied) = self.has.on_stream(current, d.stream.or(h.stream), number / 2, |tasks, at| {
            (at, tasks.copy_to_host(current, from.0, to.0))
        });
        match copied {
            Ok(pending) => {
                assert_ne!(is_right(&d, &h, at), Some(false), "a copy that is wrong was taken");
                let (device, host) = pending.split();
                self.has.queued(self.world, at, Work::Device(device, d.holds.clone()));
                self.has.queued(self.world, at, Work::Host(host, d.holds));
            }
            Err(failed) => {
                self.not_copied(is_right(&d, &h, at), &failed.error, (failed.value.0, d), (failed.value.1, h))
            }
        }
    }

    pub(crate) fn copy_on_device(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(from) = self.device_side(a) else { return };
        whichever!(from, DeviceSide: IdleProof | Flying, |from| {
            match self.device_target(current, b, from.1.length) {
                Some(to) => whichever!(to, DeviceSide: IdleProof | Flying | Blank, |to| self.on_device(current, from, to, a)),
                None => from.0.put_back(self, from.1),
            }
        });
    }

    fn on_device<F, D>(&mut self, current: &Current<Scoped<'c>>, from: (F, Known), to: (D, Known), number: u16)
    where
        F: Source<Scoped<'c>, f32, Kept = Device<'c>> + Side<'c>,
        D: Destination<Scoped<'c>, f32> + Side<'c>,
    {
        let (f, t) = (from.1, to.1);
        let (at, copied) = self.has.on_stream(current, f.stream.or(t.stream), number / 2, |tasks, at| {
            (at, tasks.copy_on_device(current, from.0, to.0))
        });
        match copied {
            Ok(pending) => {
                assert_ne!(is_right(&f, &t, at), Some(false), "a copy that is wrong was taken");
                let (from, to) = pending.split();
                self.has.queued(self.world, at, Work::Device(from, f.holds.clone()));
                self.has.queued(self.world, at, Work::Device(to, f.holds));
            }
            Err(failed) => {
                self.not_copied(is_right(&f, &t, at), &failed.error, (failed.value.0, f), (failed.value.1, t))
            }
        }
    }

    /// A part of a host buffer to a part of a device buffer, both written before.
    pub(crate) fn copy_part(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let (Some(from), number) = (self.host_side(a), b) else { return };
        whichever!(from, HostSide: IdleProof | Flying, |from| {
            match self.device_side(b) {
                Some(to) => whichever!(to, DeviceSide: IdleProof | Flying, |to| self.part(current, from, to, number)),
                None => from.0.put_back(self, from.1),
            }
        });
    }

    fn part<H, D>(&mut self, current: &Current<Scoped<'c>>, from: (H, Known), to: (D, Known), number: u16)
    where
        H: Operand<Scoped<'c>, Host<'c>> + Side<'c>,
        D: Operand<Scoped<'c>, Device<'c>> + Side<'c>,
    {
        let (h, mut d) = (from.1, to.1);
        // The manual forbids a copy of nothing (COPY-01).
        let least = usize::from(self.world.documented);
        let (start, count) = (usize::from(number % 4), usize::from(number % 3).max(least));
        let at_element = usize::from(number % 6);
        let part = start..start + count;
        let (at, copied) = self.has.on_stream(current, h.stream.or(d.stream), number / 2, |tasks, at| {
            (at, tasks.copy_part_to_device(current, from.0, part.clone(), to.0, at_element))
        });
        let fits = h.length.zip(d.length).map(|(from, to)| part.end <= from && at_element + count <= to);
        let right = if h.is_on(at) && d.is_on(at) { fits } else { Some(false) };
        match copied {
            Ok(pending) => {
                assert_ne!(right, Some(false), "a copy that is wrong was taken");
                let (host, device) = pending.split();
                match (&h.holds, &mut d.holds) {
                    (Some(from), Some(to)) => to[at_element..at_element + count].copy_from_slice(&from[part]),
                    _ => d.holds = None,
                }
                self.has.queued(self.world, at, Work::Host(host, h.holds));
                self.has.queued(self.world, at, Work::Device(device, d.holds));
            }
            Err(failed) => self.not_copied(right, &failed.error, (failed.value.0, h), (failed.value.1, d)),
        }
    }

    fn not_copied<A, B>(&mut self, right: Option<bool>, error: &Error, first: (A, Known), second: (B, Known))
    where
        A: Side<'c>,
        B: Side<'c>,
    {
        let ((first, mut of_first), (second, mut of_second)) = (first, second);
        let is_length = matches!(error, Error::LengthMismatch { .. } | Error::NoSuchPart { .. });
        if right == Some(false) || (right.is_none() && is_length) {
            self.world.refused("a copy", error);
        } else if self.world.on_device && matches!(error, Error::Misaligned { .. }) {
            // A vector's memory, where the program runs on the device.
            SEEN.refused.fetch_add(1, Relaxed);
        } else {
            self.world.failed("queueing a copy", error);
            (of_first.holds, of_second.holds) = (None, None);
        }
        first.put_back(self, of_first);
        second.put_back(self, of_second);
    }

    /// Lends slices to copies there and back.
    pub(crate) fn copy_scope(&mut self, current: &mut Current<Scoped<'c>>, a: u16, b: u16) {
        // Where the end of the copies cannot be told, the process is aborted.
        if !self.world.waits_succeed_at_the_second_try() {
            return;
        }
        let from = elements(length(a), b);
        let mut to = vec![0.0; from.len()];
        let lent = current.copy_scope(|current, copies| {
            let blank = current.device_buffer(from.len())?;
            self.has.on_stream(current, None, b, |tasks, _| {
                let device = copies.copy_to_device(current, tasks, &from, blank)?;
                copies.copy_to_host(current, tasks, device, &mut to).map(drop).map_err(Error::from)
            })
        });
        match lent.and_then(|result| result) {
            Ok(()) => self.world.compare("a slice that was lent", &to, Some(&from)),
            Err(Error::Misaligned { .. }) if self.world.on_device => {}
            Err(error) => self.world.failed("lending", &error),
        }
    }
}

/// Whether a copy on this stream is right; `None` when that is not known.
fn is_right(from: &Known, to: &Known, stream: u64) -> Option<bool> {
    if !from.is_on(stream) || !to.is_on(stream) {
        return Some(false);
    }
    from.length.zip(to.length).map(|(from, to)| from == to)
}
