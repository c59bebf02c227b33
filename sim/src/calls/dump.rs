//! Dumps of what models read and write.

use crate::abi::{CText, Text};
use crate::failure::{Answer, Failure};
use crate::machine::host::dump;
use crate::machine::models::dump as dumps;
use crate::machine::operators::statistics;
use ascendcl_sys::constants::ACL_OP_DUMP_OP_AICORE_ARGS;
use ascendcl_sys::error_codes::ACL_ERROR_FAILURE;
use ascendcl_sys::types::{acldumpCallback, acldumpType};

pub(crate) fn aclmdlInitDump() -> Answer {
    dump::initialise()
}

/// Concerns models that are loaded afterwards.
pub(crate) fn aclmdlSetDump(dump_cfg_path: Text<'_>) -> Answer {
    dump::set(dump_cfg_path.get().as_deref())
}

pub(crate) fn aclmdlFinalizeDump() -> Answer {
    dump::finalise()
}

/// Null if nothing is dumped. Dumps of failures are not simulated.
pub(crate) fn acldumpGetPath(dump_type: acldumpType) -> CText {
    let of_data = [acldumpType::DATA_DUMP, acldumpType::OVERFLOW_DUMP].contains(&dump_type);
    let path = if of_data { dump::path() } else { None };
    path.unwrap_or(CText::NULL)
}

/// From now on dumps are handed to the function, and no files are written.
pub(crate) fn acldumpRegCallback(message_callback: acldumpCallback, flag: i32) -> Answer {
    if flag != 0 {
        return Err(refused(format!("found the flag {flag}; 0 is the only one, and means no files")));
    }
    let function = message_callback.ok_or_else(|| refused("the function is null".to_owned()))?;
    dumps::hand_to(Some(function));
    Ok(())
}

pub(crate) fn acldumpUnregCallback() {
    dumps::hand_to(None);
}

/// What single operators are given is noted from now on. Other dumps that the type names are not looked at.
pub(crate) fn aclopStartDumpArgs(dump_type: u32, path: Text<'_>) -> Answer {
    let path = path.get().ok_or_else(|| refused("the path of the folder is null".to_owned()))?;
    if !is_of_arguments(dump_type) {
        return Err(refused(format!("there is no dump of the type {dump_type}")));
    }
    statistics::start(&path)
}

/// Writes a file for each operator and its shapes.
pub(crate) fn aclopStopDumpArgs(dump_type: u32) -> Answer {
    if is_of_arguments(dump_type) { statistics::stop() } else { Ok(()) }
}

fn is_of_arguments(dump_type: u32) -> bool {
    dump_type & ACL_OP_DUMP_OP_AICORE_ARGS != 0
}

/// Calls about dumps have one code for whatever they refuse.
fn refused(text: String) -> Failure {
    Failure::new(ACL_ERROR_FAILURE, text)
}
