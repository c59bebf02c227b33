//! What the machine keeps of right programs that run for a long time.

use crate::machine::capture;
use crate::machine::contexts::context::{Context, current_context};
use crate::machine::contexts::teardown::discard_stream;
use crate::machine::device::device;
use crate::machine::instances;
use crate::machine::life;
use crate::machine::recording::update::GROUPS;
use crate::machine::streams::stream::{Kind, Stream};
use crate::machine::streams::table;
use crate::machine::watch::count_grouped;
use crate::machine::workers::point::{Duty, Point};
use crate::machine::workers::served::Link;
use crate::machine::workers::timer;
use ascendcl_sys::types::{aclmdlRI, aclmdlRICaptureMode};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const ROUNDS: usize = 200;

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    life::devices::set(&device(0).unwrap(), |_| ()).unwrap();
    alone
}

fn stream_of(context: &Context) -> Arc<Stream> {
    table::create(context.id(), context.device(), Kind::default()).unwrap()
}

fn soon(happens: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while !happens() && Instant::now() < end {
        thread::yield_now();
    }
    happens()
}

/// A wait with a long time limit at which the stream has arrived.
fn parked(stream: &Arc<Stream>) -> (Arc<Point>, Duty, u64) {
    let point = Arc::new(Point::new(Link::Never));
    let duty = Duty::new(&point);
    let before = timer::count();
    let position = stream.submit_wait(Arc::clone(&point), Some(Duration::from_secs(100_000)), None).unwrap();
    assert!(soon(|| timer::count() > before), "the stream has arrived at the wait");
    (point, duty, position)
}

#[test]
fn a_wait_that_is_over_before_its_time_limit_leaves_no_alarm() {
    let _alone = alone();
    let stream = stream_of(&current_context().unwrap());
    for _ in 0..ROUNDS {
        let (point, duty, position) = parked(&stream);
        duty.fulfil();
        stream.finished(position, None).unwrap();
        drop(point);
    }
    assert!(soon(|| timer::count() == 0), "after waits that succeeded: {}", timer::count());
    let (point, duty, _) = parked(&stream);
    assert_eq!(timer::count(), 1);
    stream.abort();
    assert!(soon(|| timer::count() == 0), "after a wait that was discarded");
    drop((point, duty));
    discard_stream(&stream);
}

/// Captures a task group; answers the handle of the graph, if the capture comes to one.
fn capture_group(stream: &Arc<Stream>, is_paired: bool) -> Option<aclmdlRI> {
    capture::begin(stream, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED).unwrap();
    capture::begin_group(stream).unwrap();
    capture::end_group(stream).unwrap();
    if !is_paired {
        capture::begin_group(stream).unwrap();
    }
    let captured = capture::end(stream).ok()?;
    let number = instances::add_captured(captured);
    Some(aclmdlRI(core::ptr::without_provenance_mut(number)))
}

#[test]
fn graphs_that_are_gone_leave_a_bounded_number_of_task_groups() {
    /// As many as the handles of which graphs stay good.
    const KEPT: usize = 64;
    let _alone = alone();
    let context = current_context().unwrap();
    let stream = stream_of(&context);
    let is_bounded = |what: &str| {
        let (groups, grouped) = (GROUPS.len(), count_grouped());
        assert!(groups <= KEPT && grouped == 0, "{what}: {groups} groups, and what {grouped} graphs use");
    };
    for _ in 0..ROUNDS {
        instances::remove(capture_group(&stream, true).unwrap()).unwrap();
    }
    is_bounded("graphs that were destroyed");
    assert_eq!(GROUPS.len(), KEPT, "an update of a destroyed graph succeeds");
    for _ in 0..ROUNDS {
        assert!(capture_group(&stream, false).is_none());
    }
    is_bounded("captures that failed");
    for _ in 0..ROUNDS {
        let of_capture = stream_of(&context);
        capture::begin(&of_capture, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED).unwrap();
        capture::begin_group(&of_capture).unwrap();
        capture::end_group(&of_capture).unwrap();
        discard_stream(&of_capture);
    }
    is_bounded("captures whose stream was destroyed");
    for _ in 0..ROUNDS {
        let other = life::devices::create_context(context.device()).unwrap();
        other.make_current();
        capture_group(&stream_of(&other), true).unwrap();
        life::contexts::destroy(other.handle()).unwrap();
        context.make_current();
    }
    is_bounded("graphs whose context was destroyed");
    let graph = capture_group(&stream, true).unwrap();
    assert_eq!(count_grouped(), 1, "a graph that lives");
    instances::remove(graph).unwrap();
    discard_stream(&stream);
}
