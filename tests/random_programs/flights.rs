//! All ways to wait for work in flight and to pass it to other streams.

use crate::actor::Actor;
use crate::common::block_on;
use crate::holdings::{AnyStream, Content, Flight, Flying, Marked, Operands, Work, look};
use crate::program::{Kind, What};
use crate::streams::is_timeout;
use crate::world::SEEN;
use ascendcl::{
    Current, Error, Pending, Scoped,
    stream::{Payload, StreamOps},
};
use std::future::Future;
use std::mem;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// How a try to wait ended.
pub(crate) enum Ended<'c, T> {
    Done(T),
    /// It is in flight as before; with an error, if there was one.
    Back(Flying<'c, T>, Option<Error>),
    /// A future of it was dropped or forgotten.
    Lost,
}

impl<'c> Actor<'_, 'c> {
    pub(crate) fn settle_one(&mut self, current: &Current<Scoped<'c>>, what: What, a: u16) {
        if let Some(flight) = crate::holdings::take(&mut self.has.flights, a) {
            self.settle(current, flight, what, a);
        }
    }

    pub(crate) fn wait_for_all(&mut self, current: &Current<Scoped<'c>>) {
        for flight in mem::take(&mut self.has.flights) {
            self.settle(current, flight, What::Wait, 0);
        }
        for _ in 0..self.has.devices.len() {
            // Takes from the front of what is left, and puts back at the end.
            self.check_device(current, 0);
        }
        (0..self.has.hosts.len()).for_each(|at| self.check_host(at as u16));
        (0..self.has.models.len()).for_each(|at| self.read_output(current, at as u16));
        (0..self.has.graphs.len()).for_each(|at| self.use_operands(current, 0, at as u16));
    }

    pub(crate) fn settle(&mut self, current: &Current<Scoped<'c>>, flight: Flight<'c>, what: What, a: u16) {
        let Flight { stream, time, work } = flight;
        macro_rules! settled {
            ($pending:ident, |$done:pat_param| $whole:expr, |$back:ident, $failed:ident| $again:expr) => {
                match self.try_to_settle(current, $pending, stream, what, a) {
                    Ended::Done($done) => $whole,
                    Ended::Back($back, error) => {
                        let $failed = error.is_some_and(|error| !is_timeout(&error));
                        let work = $again;
                        self.has.flights.push(Flight { stream, time, work });
                    }
                    Ended::Lost => {}
                }
            };
        }
        match work {
            Work::Device(pending, holds) => settled!(
                pending,
                |buffer| self.has.devices.push((buffer, holds)),
                |back, failed| Work::Device(back, holds.filter(|_| !failed))
            ),
            Work::Host(pending, holds) => settled!(
                pending,
                |buffer| {
                    self.world.compare("a host buffer after its wait", &buffer, holds.as_deref());
                    self.has.hosts.push((buffer, holds));
                },
                |back, failed| Work::Host(back, holds.filter(|_| !failed))
            ),
            Work::Model(pending, ports) => settled!(
                pending,
                |model| self.has.models.push((model, ports)),
                |back, failed| Work::Model(back, if failed { ports.unknown() } else { ports })
            ),
            Work::Operator(pending, holds) => {
                settled!(pending, |operator| self.operator_is_done(current, operator, holds), |back, failed| {
                    Work::Operator(back, if failed { Operands::default() } else { holds })
                })
            }
            Work::Graph(pending, plan) => settled!(
                pending,
                |graph| self.has.graphs.push((graph, plan)),
                |back, failed| Work::Graph(back, if failed { plan.unknown() } else { plan })
            ),
            Work::HostFnResult(pending, expected) => {
                settled!(pending, |reply| self.replied(reply.into_result(), expected), |back, _failed| {
                    Work::HostFnResult(back, expected)
                })
            }
        }
    }

    fn replied(&mut self, found: Result<u32, Error>, expected: Option<u32>) {
        match (found, expected) {
            (Ok(found), expected) => assert_eq!(Some(found), expected, "the reply of a callback"),
            (Err(Error::CallbackPanicked { .. }), None) => {}
            (Err(error), _) => self.world.failed("a callback", &error),
        }
    }

    fn try_to_settle<T: Payload>(
        &mut self,
        current: &Current<Scoped<'c>>,
        pending: Flying<'c, T>,
        stream: u64,
        what: What,
        a: u16,
    ) -> Ended<'c, T> {
        let limit = Duration::from_millis(u64::from(a % 25));
        let waited = match what {
            What::Query => {
                self.world.well("asking for work", pending.is_complete(current));
                return Ended::Back(pending, None);
            }
            What::WaitWithin => pending.wait_within(current, limit),
            What::Await | What::PollAndDrop | What::PollAndGoOn | What::ForgetFuture => {
                // A future takes its own stream, and comes with any other one as it was.
                let own = self.has.streams.iter_mut().find(|own| own.number == stream);
                let hangs = self.world.faults.kind == Kind::Hangs;
                return match own.map(|own| &mut own.stream) {
                    Some(AnyStream::Undecided(own)) => {
                        self.world.checked(as_future(current, pending, own, what, hangs))
                    }
                    Some(AnyStream::DefaultAllocator(own)) => {
                        self.world.checked(as_future(current, pending, own, what, hangs))
                    }
                    Some(AnyStream::Pooled(own)) => self.world.checked(as_future(current, pending, own, what, hangs)),
                    None => {
                        let ended = as_future(current, pending, &mut current.default_stream(), what, hangs);
                        match ended {
                            Ended::Back(pending, Some(Error::OtherStream { .. })) if stream != 0 => {
                                Ended::Back(pending, None)
                            }
                            ended => self.world.checked(ended),
                        }
                    }
                };
            }
            _ if a % 3 == 1 => {
                let mapped = pending.map(|payload| (payload, a)).wait(current);
                return match mapped {
                    Ok((payload, _)) => {
                        SEEN.waits.fetch_add(1, Relaxed);
                        Ended::Done(payload)
                    }
                    // What is mapped cannot be taken apart: it is dropped.
                    Err(failed) => {
                        self.world.failed("waiting for what is mapped", &failed.error);
                        Ended::Lost
                    }
                };
            }
            // Alone in a list.
            _ if a % 6 == 2 => current.wait_all(vec![pending]).remove(0),
            // On a device that hangs the work is never over.
            _ if a % 6 == 5 && self.world.faults.kind != Kind::Hangs => match current.wait_any(&mut vec![pending]) {
                Some((0, waited)) => waited,
                _ => panic!("the only piece of the list is over"),
            },
            _ => pending.wait(current),
        };
        self.world.checked(match waited {
            Ok(payload) => Ended::Done(payload),
            Err(failed) if what == What::WaitWithin && is_timeout(&failed.error) => Ended::Back(failed.value, None),
            Err(failed) => Ended::Back(failed.value, Some(failed.error)),
        })
    }

    /// Waits for two pieces of work at once, if they are on one stream.
    pub(crate) fn join_and_wait(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let host = self.has.take_flight(a, |work| matches!(work, Work::Host(..)));
        let device = self.has.take_flight(b, |work| matches!(work, Work::Device(..)));
        let (host, device) = match (host, device) {
            (Some(host), Some(device)) => (host, device),
            (one, other) => return self.has.flights.extend(one.into_iter().chain(other)),
        };
        let (Work::Host(first, of_host), Work::Device(second, of_device)) = (host.work, device.work) else { return };
        let (same, stream) = (host.stream == device.stream, host.stream);
        let time = host.time.max(device.time);
        match first.join(second) {
            Ok(both) => {
                assert!(same, "work of two streams was joined");
                match self.try_to_settle(
                    current,
                    both,
                    stream,
                    if a.is_multiple_of(2) { What::Wait } else { What::Await },
                    0,
                ) {
                    Ended::Done((buffer, device)) => {
                        self.world.compare("a host buffer that was joined", &buffer, of_host.as_deref());
                        self.has.hosts.push((buffer, of_host));
                        self.has.devices.push((device, of_device));
                    }
                    Ended::Back(both, error) => {
                        let known = |holds: Content| holds.filter(|_| error.is_none());
                        let (host, device) = both.split();
                        self.has.flights.push(Flight { stream, time, work: Work::Host(host, known(of_host)) });
                        self.has.flights.push(Flight { stream, time, work: Work::Device(device, known(of_device)) });
                    }
                    Ended::Lost => {}
                }
            }
            Err(failed) => {
                assert!(!same, "two pieces of work on one stream cannot be joined: {}", failed.error);
                let (first, second) = *failed.value;
                self.has.flights.push(Flight { stream, time: host.time, work: Work::Host(first, of_host) });
                let (stream, time) = (device.stream, device.time);
                self.has.flights.push(Flight { stream, time, work: Work::Device(second, of_device) });
            }
        }
    }

    /// A new event behind the work of a stream; `None` if one of the calls failed.
    fn marked(&mut self, current: &Current<Scoped<'c>>, stream: u64) -> Option<Marked<'c>> {
        let time = self.world.next();
        let event = self.world.well("making an event", current.event())?;
        match self.has.on_stream(current, Some(stream), 0, |tasks, at| (tasks.record(current, event), at)) {
            (Ok(event), stream) => Some(Marked { event, stream, time }),
            (Err(failed), _) => {
                self.world.failed("recording", &failed.error);
                None
            }
        }
    }

    /// Hands work to another stream, behind an event of its own stream or behind any.
    pub(crate) fn adopt_after(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(flight) = crate::holdings::take(&mut self.has.flights, a) else { return };
        let Flight { stream, time, work } = flight;
        let event = if b.is_multiple_of(4) {
            None
        } else {
            let Some(event) = self.marked(current, stream) else { return };
            Some(event)
        };
        let Some(event) = event.as_ref().or_else(|| look(&self.has.events, b / 4)) else {
            return self.has.flights.push(Flight { stream, time, work });
        };
        let covers = event.stream == stream && event.time > time;
        let another = event.stream != stream;
        let (mut to, mut error) = (stream, None);
        macro_rules! handed {
            ($pending:ident, |$now:ident| $work:expr) => {{
                let taken = self.has.on_stream(current, None, b, |tasks: &StreamOps<_>, at| {
                    (tasks.adopt_after(current, $pending, &event.event), at)
                });
                let $now = match taken {
                    (Ok(work), at) => {
                        to = at;
                        work
                    }
                    (Err(failed), _) => {
                        error = Some(failed.error);
                        failed.value
                    }
                };
                $work
            }};
        }
        // A failure on the first stream reaches the second only when the first is idle.
        let sure = !self.world.work_can_fail();
        let work = match work {
            Work::Device(pending, holds) => handed!(pending, |now| Work::Device(now, holds.filter(|_| sure))),
            Work::Host(pending, holds) => handed!(pending, |now| Work::Host(now, holds.filter(|_| sure))),
            Work::Model(pending, ports) => {
                handed!(pending, |now| Work::Model(now, if sure { ports } else { ports.unknown() }))
            }
            Work::Operator(pending, holds) => {
                handed!(pending, |now| Work::Operator(now, if sure { holds } else { Operands::default() }))
            }
            Work::Graph(pending, plan) => {
                handed!(pending, |now| Work::Graph(now, if sure { plan } else { plan.unknown() }))
            }
            Work::HostFnResult(pending, expected) => handed!(pending, |now| Work::HostFnResult(now, expected)),
        };
        match &error {
            None => {
                assert!(!another || self.world.is_faulty(), "work was handed over behind an event of another stream")
            }
            Some(error) if covers => self.world.failed("taking over", error),
            Some(error) => self.world.refused("taking over behind the wrong event", error),
        }
        let time = if error.is_none() { self.world.next() } else { time };
        self.has.flights.push(Flight { stream: to, time, work });
    }
}

impl crate::world::World<'_> {
    /// An error is there only where something goes wrong on purpose.
    fn checked<'c, T>(&self, ended: Ended<'c, T>) -> Ended<'c, T> {
        match &ended {
            Ended::Done(_) => {
                SEEN.waits.fetch_add(1, Relaxed);
            }
            Ended::Back(_, Some(error)) => self.failed("waiting for work", error),
            _ => {}
        }
        ended
    }
}

/// Makes a future of the work, and does with it what the step says.
fn as_future<'c, T: Payload, Q: Deref<Target = StreamOps<Scoped<'c>>>>(
    current: &Current<Scoped<'c>>,
    pending: Pending<Scoped<'c>, T>,
    stream: &mut Q,
    what: What,
    hangs: bool,
) -> Ended<'c, T> {
    let mut future = match pending.into_future(current, stream) {
        Ok(future) => future,
        Err(failed) => return Ended::Back(failed.value, Some(failed.error)),
    };
    let polled = match what {
        What::Await if !hangs => Poll::Ready(block_on(&mut future).0),
        _ => Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())),
    };
    match (polled, what) {
        (Poll::Ready(Ok(payload)), _) => Ended::Done(payload),
        (Poll::Ready(Err(failed)), _) => Ended::Back(failed.value, Some(failed.error)),
        (Poll::Pending, What::ForgetFuture) => {
            mem::forget(future);
            Ended::Lost
        }
        (Poll::Pending, What::PollAndDrop) => Ended::Lost,
        (Poll::Pending, _) => Ended::Back(future.into_pending().unwrap(), None),
    }
}
