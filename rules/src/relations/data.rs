//! DATA: datasets and data buffers that queued runs, or runs of other threads, work with.

use super::clock::Now;
use super::scene::Case;
use crate::catalogue::*;
use crate::events::{Kind, Object, Op, Role, Use};

pub(super) fn judge(case: &mut Case<'_>) {
    let (op, object) = (case.event().op, case.event().object);
    if !matches!(object.kind, Kind::Dataset | Kind::DataBuffer) {
        return;
    }
    match op {
        // This finds nothing for a dataset, which has no contents.
        Op::Create | Op::Change => null_with_size(case),
        _ => {}
    }
    match op {
        Op::Change | Op::Add | Op::Destroy => in_flight(case, object),
        _ => {}
    }
}

fn null_with_size(case: &mut Case<'_>) {
    let contents = case.event().uses.iter().find_map(|used| match used {
        Use::Memory { span, role: Role::Contents, .. } => Some(*span),
        _ => None,
    });
    if let Some(span) = contents.filter(|span| span.start == 0 && span.bytes > 0) {
        case.report(
            DATA_03,
            format!("a data buffer of {} bytes has a null address", span.bytes),
            "null with the size 0, so that the library allocates the memory",
            "pass the address of the memory, or the size 0",
        );
    }
}

fn in_flight(case: &mut Case<'_>, object: Object) {
    let (world, order) = (case.world, case.world.order());
    let in_flight = match object.kind {
        Kind::Dataset => world.datasets.get(object).map(|entry| &entry.in_flight),
        _ => world.data_buffers.get(object).map(|entry| &entry.in_flight),
    };
    let earlier = in_flight.and_then(|in_flight| in_flight.unordered(&order, Now::Host, |_| true));
    let queued = earlier.map(|task| (task.call, format!("queued a run on {} that uses it", task.stream)));
    let running = || {
        let mut others = case.elsewhere().filter(|other| other.scene.event.op == Op::Execute);
        let found = others.find(|other| other.scene.concerns(world, object))?;
        Some((found.scene.call, "runs a model with it, and has not returned".to_owned()))
    };
    // Destroying what another thread uses is found with all other objects.
    let destroyed = case.event().op == Op::Destroy;
    let Some((call, what)) = queued.or_else(|| if destroyed { None } else { running() }) else { return };
    let (rule, verb) = if destroyed { (MODEL_17, "destroyed") } else { (DATA_10, "changed") };
    case.report(
        rule,
        format!("{object} is {verb} while a run may still use it"),
        "the run is complete",
        "synchronise the run's stream first",
    )
    .about(object)
    .against(call, what);
}
