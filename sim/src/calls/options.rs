//! The operator compiler's options: kept, although the simulator has nothing to compile. The vendor's library tells few of
//! them.

use crate::abi::{Out, Text};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::host::process::options;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclCompileOpt;
use core::ffi::c_char;

pub(crate) fn aclSetCompileopt(opt: aclCompileOpt, value: Text<'_>) -> Answer {
    let value = value.get().ok_or_else(|| Failure::invalid("the value is null"))?;
    if opt == aclCompileOpt::ACL_AUTO_TUNE_MODE {
        return Err(Failure::new(ACL_ERROR_FEATURE_UNSUPPORTED, "the compiler tunes nothing by itself any more"));
    }
    if !is_known(opt) {
        return Err(Failure::new(ACL_ERROR_INTERNAL_ERROR, format!("there is no compile option {}", opt.0)));
    }
    lock(options()).insert(opt, value.into_owned());
    Ok(())
}

/// With the terminating zero; 0 for an option that was not set, or that does not exist.
pub(crate) fn aclGetCompileoptSize(opt: aclCompileOpt) -> usize {
    match opt {
        aclCompileOpt::ACL_OP_JIT_COMPILE => ROOM_FOR_JIT,
        _ => set_to(opt).map_or(0, |value| value.len() + 1),
    }
}

/// Tells the debug option, once it was set, and whether operators are compiled when they are first used. The latter is
/// what holds for the product, also when the program has set it otherwise.
pub(crate) fn aclGetCompileopt(opt: aclCompileOpt, mut value: Out<'_, c_char>, length: usize) -> Answer {
    super::wanted(&value)?;
    let text = match opt {
        aclCompileOpt::ACL_OP_JIT_COMPILE => Some("disable".to_owned()),
        aclCompileOpt::ACL_OP_DEBUG_OPTION => lock(options()).get(&opt).cloned(),
        _ => None,
    };
    let text = text.ok_or_else(|| Failure::new(ACL_ERROR_API_NOT_SUPPORT, format!("option {} is not told", opt.0)))?;
    if text.len() >= length {
        let text = format!("the value takes {} bytes, and there is room for {length}", text.len() + 1);
        return Err(Failure::new(ACL_ERROR_FAILURE, text));
    }
    super::store_text(&mut value, &text, length)
}

/// The library names this size for the option that it tells always.
const ROOM_FOR_JIT: usize = 256;

/// An empty value counts as none.
fn set_to(opt: aclCompileOpt) -> Option<String> {
    lock(options()).get(&opt).filter(|value| !value.is_empty()).cloned()
}

fn is_known(opt: aclCompileOpt) -> bool {
    opt <= aclCompileOpt::ACL_OP_DEBUG_OPTION
}
