//! Hearing of the states of streams and devices, of the start and of the end.

use crate::abi::{Notice, Opaque, Text};
use crate::failure::{Answer, Failure};
use crate::machine::callbacks::notices::{OF_ABORTS, OF_DEVICES, OF_STREAMS, Register};
use crate::machine::host::process;
use ascendcl_sys::types::*;

pub(crate) fn aclrtRegStreamStateCallback(
    reg_name: Text<'_>,
    callback: aclrtStreamStateCallback,
    args: Opaque,
) -> Answer {
    named(&OF_STREAMS, reg_name, callback, args)
}

pub(crate) fn aclrtRegDeviceStateCallback(
    reg_name: Text<'_>,
    callback: aclrtDeviceStateCallback,
    args: Opaque,
) -> Answer {
    named(&OF_DEVICES, reg_name, callback, args)
}

pub(crate) fn aclrtSetDeviceTaskAbortCallback(
    reg_name: Text<'_>,
    callback: aclrtDeviceTaskAbortCallback,
    args: Opaque,
) -> Answer {
    named(&OF_ABORTS, reg_name, callback, args)
}

/// A null function takes the registration back. The empty name is a name.
fn named<F: Copy>(register: &Register<F>, name: Text<'_>, function: Option<F>, argument: Opaque) -> Answer {
    let name = name.get().ok_or_else(|| Failure::invalid("the name of the registration is null"))?;
    register.set(&name, function.map(|function| Notice::new(function, argument)))
}

pub(crate) fn aclInitCallbackRegister(
    kind: aclRegisterCallbackType,
    cb_func: aclInitCallbackFunc,
    user_data: Opaque,
) -> Answer {
    process::hear_of_start(kind, Notice::new(cb_func.ok_or_else(callback_is_null)?, user_data))
}

pub(crate) fn aclInitCallbackUnRegister(kind: aclRegisterCallbackType, cb_func: aclInitCallbackFunc) -> Answer {
    process::unhear_start(kind, cb_func.ok_or_else(callback_is_null)?)
}

pub(crate) fn aclFinalizeCallbackRegister(
    kind: aclRegisterCallbackType,
    cb_func: aclFinalizeCallbackFunc,
    user_data: Opaque,
) -> Answer {
    process::hear_of_end(kind, Notice::new(cb_func.ok_or_else(callback_is_null)?, user_data))
}

pub(crate) fn aclFinalizeCallbackUnRegister(kind: aclRegisterCallbackType, cb_func: aclFinalizeCallbackFunc) -> Answer {
    process::unhear_end(kind, cb_func.ok_or_else(callback_is_null)?)
}

fn callback_is_null() -> Failure {
    Failure::invalid("the callback is null")
}
