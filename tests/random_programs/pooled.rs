//! Captured graphs whose operators have memory of a pool.

use crate::actor::Actor;
use crate::holdings::{AnyStream, Numbered, Tensor, take};
use crate::world::SEEN;
use ascendcl::allocator::PoolAllocator;
use ascendcl::capture::{CaptureMode, CapturedGraph};
use ascendcl::operator::{BoundOperator, Operator};
use ascendcl::stream::CustomAllocator;
use ascendcl::{Current, Error, Scoped, Stream};
use std::mem;
use std::sync::atomic::Ordering::Relaxed;

type Pooled<'c> = Stream<Scoped<'c>, CustomAllocator<PoolAllocator>>;
type Relu<'c> = BoundOperator<Scoped<'c>, Tensor<'c>, Tensor<'c>>;

/// A graph, and the stream whose pool has the memory of its operators.
pub(crate) struct PooledGraph<'c> {
    graph: CapturedGraph<Scoped<'c>, Relu<'c>>,
    stream: u64,
    number: f32,
}

impl<'c> Actor<'_, 'c> {
    /// Captures a graph on a stream with a pool, or replays one, or ends one.
    pub(crate) fn pooled_graph(&mut self, current: &mut Current<Scoped<'c>>, a: u16, b: u16) {
        match (b % 4, take(&mut self.has.pooled_graphs, a)) {
            (0 | 1, Some(graph)) => self.replay_pooled(current, graph, a),
            (2, Some(graph)) => self.end_pooled(current, graph, a),
            (_, graph) => {
                self.has.pooled_graphs.extend(graph);
                self.capture_pooled(current, a, b);
                if b.is_multiple_of(2)
                    && let Some(made) = self.has.pooled_graphs.pop()
                {
                    self.replay_pooled(current, made, a);
                }
            }
        }
    }

    fn capture_pooled(&mut self, current: &mut Current<Scoped<'c>>, a: u16, b: u16) {
        if !self.has.streams.iter().any(|stream| matches!(stream.stream, AnyStream::Pooled(_))) {
            self.pooled_stream(current);
        }
        let Some((stream, mut own)) = self.take_pooled(a) else { return };
        let number = f32::from(a % 64);
        let fails = b.is_multiple_of(7);
        let relu = |current: &Current<_>| {
            let (x, y) = (current.upload_tensor(&[2], &[number; 2])?, current.upload_tensor(&[2], &[-1.0_f32; 2])?);
            Operator::new("Relu").bind(current, x, y).map_err(Error::from)
        };
        if let Some(relu) = self.world.well("making an operator", relu(current)) {
            let captured = own.capture(current, CaptureMode::Relaxed, relu, |capture, mut relu| {
                (0..1 + b % 2).try_for_each(|_| capture.launch(&mut relu))?;
                if fails { Err(Error::NotExecuted) } else { Ok(()) }
            });
            match captured {
                Ok(graph) => {
                    assert!(!fails, "a capture whose program failed became a graph");
                    self.has.pooled_graphs.push(PooledGraph { graph, stream, number });
                }
                Err(failed) if fails && matches!(failed.error, Error::NotExecuted) => {
                    SEEN.refused.fetch_add(1, Relaxed);
                }
                Err(failed) => self.world.failed("capturing a stream with a pool", &failed.error),
            }
        }
        self.world.captures_a_pool();
        self.has.streams.push(Numbered { number: stream, stream: AnyStream::Pooled(own) });
    }

    fn take_pooled(&mut self, a: u16) -> Option<(u64, Pooled<'c>)> {
        let at = self.pooled(a)?;
        let Numbered { number, stream } = self.has.streams.swap_remove(at);
        let AnyStream::Pooled(stream) = stream else { return None };
        Some((number, stream))
    }

    /// On its own stream, or on another, which is refused.
    fn replay_pooled(&mut self, current: &Current<Scoped<'c>>, pooled: PooledGraph<'c>, a: u16) {
        let PooledGraph { graph, stream, number } = pooled;
        let (at, replayed) =
            self.has.on_stream(current, Some(stream), a, |tasks, at| (at, tasks.replay(current, graph)));
        let replay = match replayed {
            Ok(replay) => replay,
            Err(failed) => {
                match failed.error {
                    Error::NotItsStream { .. } if at != stream => drop(SEEN.refused.fetch_add(1, Relaxed)),
                    error => self.world.failed("replaying a graph of a pool", &error),
                }
                return self.has.pooled_graphs.push(PooledGraph { graph: failed.value, stream, number });
            }
        };
        assert_eq!(at, stream, "memory of a pool is used on another stream");
        match a % 7 {
            0 => return drop(replay),
            1 => return mem::forget(replay),
            _ => {}
        }
        let waited = replay.wait(current).map_err(Error::from);
        let Some(mut graph) = self.world.well("waiting for a graph of a pool", waited) else { return };
        let read = graph.operands(current).and_then(|relu| relu.tensors().1.to_vec(current));
        if let Some(found) = self.world.well("reading an operand", read) {
            self.world.compare("the output of a captured operator", &found, Some(&[number; 2]));
            SEEN.pooled.fetch_add(1, Relaxed);
        }
        self.has.pooled_graphs.push(PooledGraph { graph, stream, number });
    }

    fn end_pooled(&mut self, current: &Current<Scoped<'c>>, pooled: PooledGraph<'c>, a: u16) {
        match a % 4 {
            0 => drop(pooled),
            1 => mem::forget(pooled),
            _ => match pooled.graph.into_operands(current) {
                Ok(relu) => drop(relu),
                Err(failed) => self.world.failed("taking a graph of a pool apart", &failed.error),
            },
        }
    }
}
