// DEV-08: a runtime on a device that hangs is closed by force, and opened anew.
use ascendcl::{Runtime, Setup};
use std::time::Duration;

ascendcl::names!(Vision);

pub fn again(runtime: Runtime<Vision>, setup: Setup) -> Result<Runtime<Vision>, Box<dyn std::error::Error>> {
    runtime.recover(Duration::from_secs(5))?;
    Ok(Runtime::open(setup)?)
}

fn main() {}
