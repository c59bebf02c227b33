//! The operator compiler's options: kept, and answered when asked for. The simulator has nothing to compile.

use crate::abi::{Out, Text};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::host::process::options;
use ascendcl_sys::types::aclCompileOpt;
use core::ffi::c_char;

pub(crate) fn aclSetCompileopt(opt: aclCompileOpt, value: Text<'_>) -> Answer {
    let value = value.get().ok_or_else(|| Failure::invalid("the value is null"))?;
    known(opt)?;
    lock(options()).insert(opt, value.into_owned());
    Ok(())
}

/// With the terminating zero; 0 for an option that does not exist.
pub(crate) fn aclGetCompileoptSize(opt: aclCompileOpt) -> usize {
    known(opt).map_or(0, |()| value_of(opt).len() + 1)
}

pub(crate) fn aclGetCompileopt(opt: aclCompileOpt, mut value: Out<'_, c_char>, length: usize) -> Answer {
    super::wanted(&value)?;
    known(opt)?;
    super::store_text(&mut value, &value_of(opt), length)
}

/// An option that was not set is empty, but for the one that every program can count on.
fn value_of(opt: aclCompileOpt) -> String {
    let unset = if opt == aclCompileOpt::ACL_OP_JIT_COMPILE { "disable" } else { "" };
    lock(options()).get(&opt).cloned().unwrap_or_else(|| unset.to_owned())
}

fn known(opt: aclCompileOpt) -> Answer {
    if opt > aclCompileOpt::ACL_OP_DEBUG_OPTION {
        return Err(Failure::invalid(format!("there is no compile option {}", opt.0)));
    }
    Ok(())
}
