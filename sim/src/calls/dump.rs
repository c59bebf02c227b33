//! Dumps of what models read and write.

use crate::abi::Text;
use crate::failure::{Answer, Failure};
use crate::machine::host::dump;

pub(crate) fn aclmdlInitDump() -> Answer {
    dump::initialise()
}

/// Concerns models that are loaded afterwards.
pub(crate) fn aclmdlSetDump(dump_cfg_path: Text<'_>) -> Answer {
    let path = dump_cfg_path.get().filter(|path| !path.is_empty());
    dump::set(&path.ok_or_else(|| Failure::invalid("there is no path of a configuration file"))?)
}

pub(crate) fn aclmdlFinalizeDump() -> Answer {
    dump::finalise()
}
