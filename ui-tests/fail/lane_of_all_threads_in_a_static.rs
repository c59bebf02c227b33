// MODEL-06: threads that share a workspace run its models one after the other.
use ascendcl::lane::{WorkspaceLane, WorkspaceMutex};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Error, Runtime};
use std::sync::OnceLock;

ascendcl::names!(Vision, Scratch);

static LANE: OnceLock<WorkspaceLane<'static, Vision, DefaultAllocator, Scratch>> = OnceLock::new();

pub fn start(runtime: &Runtime<Vision>) -> Result<(), Error> {
    runtime.with(|current| {
        let stream = current.stream()?.without_allocator();
        let workspace = current.workspace(1 << 20)?;
        let _ = LANE.set(current.stored_workspace_lane(stream, workspace));
        Ok(())
    })?
}

pub type _Shared = WorkspaceMutex<'static, Vision, Scratch>;

fn main() {}
