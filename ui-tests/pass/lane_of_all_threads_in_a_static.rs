// MODEL-06: threads that share a workspace run its models one after the other.
use ascendcl::lane::WorkspaceMutex;
use ascendcl::{Error, Runtime};
use std::sync::OnceLock;

ascendcl::names!(Vision, Scratch);

static LANE: OnceLock<WorkspaceMutex<'static, Vision, Scratch>> = OnceLock::new();

pub fn start(runtime: &Runtime<Vision>) -> Result<(), Error> {
    runtime.with(|current| {
        let workspace = current.workspace(1 << 20)?;
        let _ = LANE.set(current.stored_workspace_mutex(workspace));
        Ok(())
    })?
}

pub type _Shared = WorkspaceMutex<'static, Vision, Scratch>;

fn main() {}
