//! Dumps of what models read and write.

use crate::abi::{CText, Text};
use crate::failure::{Answer, Failure};
use crate::machine::host::dump;
use crate::machine::models::dump as dumps;
use crate::machine::operators::statistics;
use ascendcl_sys::constants::ACL_OP_DUMP_OP_AICORE_ARGS;
use ascendcl_sys::types::{acldumpCallback, acldumpType};

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

/// Null if nothing is dumped. Only the folder of models' dumps is known here.
pub(crate) fn acldumpGetPath(dump_type: acldumpType) -> CText {
    let path = if dump_type == acldumpType::DATA_DUMP { dump::path() } else { None };
    path.unwrap_or(CText::NULL)
}

/// From now on dumps are handed to the function, and no files are written.
pub(crate) fn acldumpRegCallback(message_callback: acldumpCallback, flag: i32) -> Answer {
    let function = message_callback.ok_or_else(|| Failure::invalid("the function is null"))?;
    if flag != 0 {
        return Err(Failure::invalid(format!("found the flag {flag}; 0 is the only one, and means no files")));
    }
    dumps::hand_to(Some(function));
    Ok(())
}

pub(crate) fn acldumpUnregCallback() {
    dumps::hand_to(None);
}

/// What single operators are given is noted from now on.
pub(crate) fn aclopStartDumpArgs(dump_type: u32, path: Text<'_>) -> Answer {
    the_only(dump_type)?;
    let path = path.get().filter(|path| !path.is_empty());
    statistics::start(&path.ok_or_else(|| Failure::invalid("there is no path of a folder"))?)
}

/// Writes a file for each operator and its shapes.
pub(crate) fn aclopStopDumpArgs(dump_type: u32) -> Answer {
    the_only(dump_type)?;
    statistics::stop()
}

fn the_only(dump_type: u32) -> Answer {
    match dump_type {
        ACL_OP_DUMP_OP_AICORE_ARGS => Ok(()),
        other => Err(Failure::invalid(format!("there is no dump of the type {other}"))),
    }
}
