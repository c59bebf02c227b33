//! The two sides of a copy: buffers that are idle, in flight, or not written yet.

use crate::actor::Actor;
use crate::holdings::{Content, Device, Flight, Flying, Host, Work, look, take};
use ascendcl::{Current, DeviceBuffer, Scoped};
use std::mem::MaybeUninit;

/// What is known of one side.
#[derive(Clone, Default)]
pub(crate) struct Known {
    /// On which stream it is in flight.
    pub(crate) stream: Option<u64>,
    pub(crate) time: u64,
    /// `None` when a failure left it open.
    pub(crate) length: Option<usize>,
    pub(crate) holds: Content,
}

pub(crate) type Blank<'c> = DeviceBuffer<Scoped<'c>, MaybeUninit<f32>>;

pub(crate) enum HostSide<'c> {
    IdleProof(Host<'c>, Known),
    Flying(Flying<'c, Host<'c>>, Known),
}

pub(crate) enum DeviceSide<'c> {
    IdleProof(Device<'c>, Known),
    Flying(Flying<'c, Device<'c>>, Known),
    Blank(Blank<'c>, Known),
}

/// Whatever a copy takes, it gives back when it fails.
pub(crate) trait Side<'c> {
    fn put_back(self, actor: &mut Actor<'_, 'c>, known: Known);
}

impl Known {
    fn idle(length: usize, holds: Content) -> Self {
        // A buffer in doubt reads as empty.
        let length = holds.is_some().then_some(length);
        Self { stream: None, time: 0, length, holds }
    }

    fn flying(stream: u64, time: u64, holds: Content) -> Self {
        Self { stream: Some(stream), time, length: holds.as_ref().map(Vec::len), holds }
    }

    pub(crate) fn is_on(&self, stream: u64) -> bool {
        self.stream.is_none_or(|own| own == stream)
    }
}

impl<'c> Side<'c> for Host<'c> {
    fn put_back(self, actor: &mut Actor<'_, 'c>, known: Known) {
        actor.has.hosts.push((self, known.holds));
    }
}

impl<'c> Side<'c> for Device<'c> {
    fn put_back(self, actor: &mut Actor<'_, 'c>, known: Known) {
        actor.has.devices.push((self, known.holds));
    }
}

impl<'c> Side<'c> for Blank<'c> {
    fn put_back(self, _: &mut Actor<'_, 'c>, _: Known) {}
}

impl<'c> Side<'c> for Flying<'c, Host<'c>> {
    fn put_back(self, actor: &mut Actor<'_, 'c>, known: Known) {
        let (stream, time) = (known.stream.unwrap(), known.time);
        actor.has.flights.push(Flight { stream, time, work: Work::Host(self, known.holds) });
    }
}

impl<'c> Side<'c> for Flying<'c, Device<'c>> {
    fn put_back(self, actor: &mut Actor<'_, 'c>, known: Known) {
        let (stream, time) = (known.stream.unwrap(), known.time);
        actor.has.flights.push(Flight { stream, time, work: Work::Device(self, known.holds) });
    }
}

impl<'c> Actor<'_, 'c> {
    pub(crate) fn host_side(&mut self, number: u16) -> Option<HostSide<'c>> {
        if number.is_multiple_of(3)
            && let Some(flight) = self.has.take_flight(number / 3, |work| matches!(work, Work::Host(..)))
            && let Work::Host(pending, holds) = flight.work
        {
            return Some(HostSide::Flying(pending, Known::flying(flight.stream, flight.time, holds)));
        }
        let (buffer, holds) = take(&mut self.has.hosts, number / 3)?;
        let known = Known::idle(buffer.len(), holds);
        Some(HostSide::IdleProof(buffer, known))
    }

    /// A device buffer that was written.
    pub(crate) fn device_side(&mut self, number: u16) -> Option<DeviceSide<'c>> {
        if number.is_multiple_of(3)
            && let Some(flight) = self.has.take_flight(number / 3, |work| matches!(work, Work::Device(..)))
            && let Work::Device(pending, holds) = flight.work
        {
            return Some(DeviceSide::Flying(pending, Known::flying(flight.stream, flight.time, holds)));
        }
        let (buffer, holds) = take(&mut self.has.devices, number / 3)?;
        let known = Known::idle(buffer.len(), holds);
        Some(DeviceSide::IdleProof(buffer, known))
    }

    /// A host buffer to copy so many elements to; now and then one of another length.
    pub(crate) fn host_target(&mut self, number: u16, length: Option<usize>) -> Option<HostSide<'c>> {
        let fits: Vec<_> = (0..self.has.hosts.len()).filter(|at| Some(self.has.hosts[*at].0.len()) == length).collect();
        match look(&fits, number) {
            Some(at) if !number.is_multiple_of(5) => {
                let (buffer, holds) = self.has.hosts.swap_remove(*at);
                let known = Known::idle(buffer.len(), holds);
                Some(HostSide::IdleProof(buffer, known))
            }
            _ => self.host_side(number),
        }
    }

    /// A device buffer to copy so many elements to, written before or not.
    pub(crate) fn device_target(
        &mut self,
        current: &Current<Scoped<'c>>,
        number: u16,
        length: Option<usize>,
    ) -> Option<DeviceSide<'c>> {
        let fits = |(buffer, _): &(Device<'c>, Content)| Some(buffer.len()) == length;
        let fits: Vec<_> = (0..self.has.devices.len()).filter(|at| fits(&self.has.devices[*at])).collect();
        match (number % 5, look(&fits, number)) {
            (0, _) => self.device_side(number),
            (1 | 2, Some(at)) => {
                let (buffer, holds) = self.has.devices.swap_remove(*at);
                let known = Known::idle(buffer.len(), holds);
                Some(DeviceSide::IdleProof(buffer, known))
            }
            _ => {
                let length = length.unwrap_or(16);
                let blank = self.world.well("allocating", current.device_buffer::<f32>(length))?;
                Some(DeviceSide::Blank(blank, Known { length: Some(length), ..Known::default() }))
            }
        }
    }
}
