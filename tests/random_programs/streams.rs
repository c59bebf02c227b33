//! Streams, events and pools.

use crate::actor::Actor;
use crate::holdings::{AnyStream, Marked, Numbered, look, take};
use ascendcl::{Current, Error, Scoped, allocator::PoolAllocator};
use std::mem;
use std::time::Duration;

/// Enough for every operator of these programs.
const POOL: usize = 1 << 18;

impl<'c> Actor<'_, 'c> {
    pub(crate) fn stream(&mut self, current: &Current<Scoped<'c>>) {
        let Some(stream) = self.world.well("making a stream", current.stream()) else { return };
        self.add(AnyStream::DefaultAllocator(stream.without_allocator()));
    }

    pub(crate) fn fresh_stream(&mut self, current: &Current<Scoped<'c>>) {
        let Some(stream) = self.world.well("making a stream", current.stream()) else { return };
        self.add(AnyStream::Undecided(stream));
    }

    pub(crate) fn pooled_stream(&mut self, current: &Current<Scoped<'c>>) {
        let Some(stream) = self.world.well("making a stream", current.stream()) else { return };
        let number = self.world.next();
        self.has.streams.push(Numbered { number, stream: AnyStream::Undecided(stream) });
        self.register(current, self.has.streams.len() - 1);
    }

    /// Registers a pool on a stream that is not decided, if there is one.
    pub(crate) fn register_pool(&mut self, current: &Current<Scoped<'c>>, a: u16) {
        let is_fresh = |at: &usize| matches!(self.has.streams[*at].stream, AnyStream::Undecided(_));
        let fresh: Vec<_> = (0..self.has.streams.len()).filter(is_fresh).collect();
        if let Some(at) = look(&fresh, a) {
            self.register(current, *at);
        }
    }

    fn register(&mut self, current: &Current<Scoped<'c>>, at: usize) {
        let Some(pool) = self.world.well("making a pool", PoolAllocator::new(current, POOL)) else { return };
        let Numbered { number, stream } = self.has.streams.swap_remove(at);
        let AnyStream::Undecided(stream) = stream else { return };
        let stream = match stream.register(current, pool) {
            Ok(stream) => AnyStream::Pooled(stream),
            Err(failed) => {
                self.world.failed("registering a pool", &failed.error);
                let (stream, pool) = failed.value;
                if let Err(failed) = pool.release(current) {
                    self.world.failed("releasing a pool", &failed.error);
                }
                AnyStream::Undecided(stream)
            }
        };
        self.has.streams.push(Numbered { number, stream });
    }

    fn add(&mut self, stream: AnyStream<'c>) {
        let number = self.world.next();
        self.has.streams.push(Numbered { number, stream });
    }

    pub(crate) fn end_stream(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(Numbered { number, stream }) = take(&mut self.has.streams, a) else { return };
        macro_rules! destroy {
            ($stream:ident, $kind:ident) => {
                match $stream.destroy(current) {
                    Ok(()) => return,
                    Err(failed) => {
                        self.world.failed("destroying a stream", &failed.error);
                        AnyStream::$kind(failed.value)
                    }
                }
            };
        }
        let stream = match (b % 3, stream) {
            (0, stream) => return drop(stream),
            (1, stream) => return mem::forget(stream),
            (_, AnyStream::Undecided(stream)) => destroy!(stream, Undecided),
            (_, AnyStream::DefaultAllocator(stream)) => destroy!(stream, DefaultAllocator),
            (_, AnyStream::Pooled(stream)) => destroy!(stream, Pooled),
        };
        self.has.streams.push(Numbered { number, stream });
    }

    pub(crate) fn synchronize(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let waited = self.has.on_stream(current, None, a, |tasks, _| match b % 3 {
            0 => tasks.synchronize(current),
            1 => tasks.synchronize_within(current, Duration::from_millis(u64::from(b % 30))),
            _ => tasks.is_complete(current).map(drop),
        });
        if !waited.as_ref().is_err_and(is_timeout) || b.is_multiple_of(3) {
            self.world.well("waiting for a stream", waited);
        }
    }

    pub(crate) fn pooled(&mut self, a: u16) -> Option<usize> {
        let is_pooled = |at: &usize| matches!(self.has.streams[*at].stream, AnyStream::Pooled(_));
        let pooled: Vec<_> = (0..self.has.streams.len()).filter(is_pooled).collect();
        look(&pooled, a).copied()
    }

    pub(crate) fn trim_pool(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(at) = self.pooled(a) else { return };
        let AnyStream::Pooled(stream) = &mut self.has.streams[at].stream else { return };
        let trimmed = stream.idle(current).and_then(|idle| {
            // What could not be freed is the pool's no more, either.
            let trims = b.is_multiple_of(2);
            let trimmed = if trims { idle.trim(current) } else { Ok(0) };
            let grown = idle.grow(current, POOL);
            trimmed.and(grown)
        });
        self.world.well("trimming a pool", trimmed);
        assert!(!stream.allocator_misbehaved(), "a pool was called wrongly");
    }

    pub(crate) fn replace_pool(&mut self, current: &Current<Scoped<'c>>, a: u16) {
        let Some(at) = self.pooled(a) else { return };
        let Some(pool) = self.world.well("making a pool", PoolAllocator::new(current, POOL)) else { return };
        let Numbered { number, stream } = self.has.streams.swap_remove(at);
        let AnyStream::Pooled(stream) = stream else { return };
        let (stream, pool) = match stream.replace(current, pool) {
            Ok(replaced) => replaced,
            Err(failed) => {
                self.world.failed("replacing a pool", &failed.error);
                failed.value
            }
        };
        if let Err(failed) = pool.release(current) {
            self.world.failed("releasing a pool", &failed.error);
        }
        self.has.streams.push(Numbered { number, stream: AnyStream::Pooled(stream) });
    }

    pub(crate) fn unregister_pool(&mut self, current: &Current<Scoped<'c>>, a: u16) {
        let Some(at) = self.pooled(a) else { return };
        let Numbered { number, stream } = self.has.streams.swap_remove(at);
        let AnyStream::Pooled(stream) = stream else { return };
        let stream = match stream.unregister(current) {
            Ok((stream, pool)) => {
                if let Err(failed) = pool.release(current) {
                    self.world.failed("releasing a pool", &failed.error);
                }
                AnyStream::Undecided(stream)
            }
            Err(failed) => {
                self.world.failed("unregistering a pool", &failed.error);
                AnyStream::Pooled(failed.value)
            }
        };
        self.has.streams.push(Numbered { number, stream });
    }

    pub(crate) fn record(&mut self, current: &Current<Scoped<'c>>, a: u16) {
        let Some(event) = self.world.well("making an event", current.event()) else { return };
        let time = self.world.next();
        let recorded = self.has.on_stream(current, None, a, |tasks, at| (tasks.record(current, event), at));
        match recorded {
            (Ok(event), stream) => self.has.events.push(Marked { event, stream, time }),
            (Err(failed), _) => self.world.failed("recording", &failed.error),
        }
    }

    pub(crate) fn record_again(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(Marked { event, stream, time }) = take(&mut self.has.events, a) else { return };
        let now = self.world.next();
        let marked = match self.has.on_stream(current, None, b, |tasks, at| (tasks.record(current, event), at)) {
            (Ok(event), stream) => Marked { event, stream, time: now },
            (Err(failed), _) => {
                self.world.failed("recording once more", &failed.error);
                Marked { event: failed.value, stream, time }
            }
        };
        self.has.events.push(marked);
    }

    pub(crate) fn wait_for_event(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(Marked { event, .. }) = look(&self.has.events, a) else { return };
        let waits = self.has.on_stream(current, None, b, |tasks, _| tasks.wait_for(current, event));
        self.world.well("letting a stream wait", waits);
    }

    pub(crate) fn synchronize_event(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(Marked { event, .. }) = look(&self.has.events, a) else { return };
        if b.is_multiple_of(2) {
            self.world.well("waiting for an event", event.synchronize(current));
            return;
        }
        let waited = event.synchronize_within(current, Duration::from_millis(u64::from(b % 30)));
        if !waited.as_ref().is_err_and(is_timeout) {
            self.world.well("waiting for an event for a while", waited);
        }
    }

    pub(crate) fn query_event(&mut self, current: &Current<Scoped<'c>>, a: u16) {
        let Some(Marked { event, .. }) = look(&self.has.events, a) else { return };
        self.world.well("asking for an event", event.is_complete(current));
    }

    pub(crate) fn measure_events(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let (Some(end), Some(start)) = (look(&self.has.events, a), look(&self.has.events, b)) else { return };
        // One that was recorded first is no end: the library may refuse the pair (EVENT-04). And the checker does not
        // see that an event was waited for whose stream is no longer there.
        if end.time <= start.time || !self.has.streams.iter().any(|stream| stream.number == end.stream) {
            return;
        }
        match end.event.milliseconds_since(current, &start.event) {
            Ok(_) => assert_eq!(end.stream, start.stream, "a time between two streams"),
            Err(Error::EventsOfTwoStreams) => {
                assert!(end.stream != start.stream || self.world.is_faulty(), "both are of one stream");
            }
            Err(error) => self.world.failed("measuring", &error),
        }
    }

    pub(crate) fn end_event(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(Marked { event, stream, time }) = take(&mut self.has.events, a) else { return };
        match b % 4 {
            0 => drop(event),
            1 => mem::forget(event),
            _ => {
                if let Err(failed) = event.destroy(current) {
                    self.world.failed("destroying an event", &failed.error);
                    self.has.events.push(Marked { event: failed.value, stream, time });
                }
            }
        }
    }
}

pub(crate) fn is_timeout(error: &Error) -> bool {
    error.code().is_some_and(|code| code.is_timeout())
}
