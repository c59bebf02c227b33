//! DATA, MODEL: datasets and data buffers that queued runs, or runs of other threads, work with.

use super::clock::{Now, Task};
use super::scene::Case;
use crate::catalogue::*;
use crate::events::{Kind, Object, Op, Role, Use};

pub(super) fn judge(case: &mut Case<'_>) {
    let (op, object) = (case.event().op, case.event().object);
    longer_than_memory(case);
    if !matches!(object.kind, Kind::Dataset | Kind::DataBuffer) {
        return;
    }
    match op {
        // This finds nothing for a dataset, which has no contents.
        Op::Create | Op::Change => null_with_size(case),
        _ => {}
    }
    match op {
        // The run of a call that is under way counts as queued, too.
        Op::Change | Op::Add if running(case, object) => {}
        // Destroying what another thread uses is found with all other objects.
        Op::Change | Op::Add | Op::Destroy => queued(case, object),
        _ => {}
    }
}

/// DATA-08: the library gives more memory than it is asked for, so a run may succeed on bytes that are not the program's.
fn longer_than_memory(case: &mut Case<'_>) {
    let world = case.world;
    for used in case.scene.memory.iter().filter(|used| matches!(used.role, Role::Input | Role::Output)) {
        let Some((block, entry)) = world.block(used.span.start) else { continue };
        let Some(there) = world.room(used.span.start).filter(|there| *there < used.span.bytes) else { continue };
        let made = entry.made;
        case.report(
            DATA_08,
            format!("the data buffer has {} as {}, but only {there} bytes are there", used.span, used.role.name()),
            "as many bytes of memory as the data buffer says",
            "give the data buffer no more bytes than the memory was allocated with",
        )
        .about(block)
        .against(made, "allocated the block");
        return;
    }
}

fn null_with_size(case: &mut Case<'_>) {
    let contents = case.event().uses.iter().find_map(|used| match used {
        Use::Memory { span, role: Role::Contents, .. } => Some(*span),
        _ => None,
    });
    // That there is no memory was reported.
    let not_made = case.world.not_made.get(&Kind::Memory).is_some_and(|count| *count > 0);
    let told = not_made || case.world.threads.get(&case.event().thread).is_some_and(|thread| thread.reported);
    if let Some(span) = contents.filter(|span| span.start == 0 && span.bytes > 0 && !told) {
        case.report(
            DATA_03,
            format!("a data buffer of {} bytes has a null address", span.bytes),
            "null with the size 0, so that the library allocates the memory",
            "pass the address of the memory, or the size 0",
        );
    }
}

/// DATA-10, a warning: the library reads the datasets in the call. One run that was not waited for is told of once.
fn queued(case: &mut Case<'_>, object: Object) {
    let (world, order) = (case.world, case.world.order());
    let in_flight = match object.kind {
        Kind::Dataset => world.datasets.get(object).map(|entry| &entry.in_flight),
        _ => world.data_buffers.get(object).map(|entry| &entry.in_flight),
    };
    let untold = |task: &Task| !world.contradicted.contains(&task.call.number);
    let Some(task) = in_flight.and_then(|in_flight| in_flight.unordered(&order, Now::Host, untold)) else { return };
    let verb = if case.event().op == Op::Destroy { "destroyed" } else { "changed" };
    case.report(
        DATA_10,
        format!("{object} is {verb} while a queued run has it"),
        "the run is complete",
        "synchronise the run's stream first",
    )
    .about(object)
    .against(task.call, format!("queued a run on {} with it", task.stream));
}

/// MODEL-17: another thread is in a call that runs a model with it. Returns whether there is such a call.
fn running(case: &mut Case<'_>, object: Object) -> bool {
    let world = case.world;
    let mut others = case.elsewhere().filter(|other| other.scene.event.op == Op::Execute);
    let Some(call) = others.find(|other| other.scene.concerns(world, object)).map(|other| other.scene.call) else {
        return false;
    };
    case.report(
        MODEL_17,
        format!("{object} is changed while another thread runs a model with it"),
        "no call runs a model with it",
        "wait for the other thread first",
    )
    .about(object)
    .against(call, "runs a model with it, and has not returned");
    true
}
