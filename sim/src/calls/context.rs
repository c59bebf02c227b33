//! Contexts.

use super::wanted;
use crate::abi::Out;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::{self, current_context};
use crate::machine::watch;
use crate::machine::{device, life};
use ascendcl_rules::{Object, Op};
use ascendcl_sys::types::aclrtContext;

pub(crate) fn aclrtCreateContext(mut context: Out<'_, aclrtContext>, device_id: i32) -> Answer {
    wanted(&context)?;
    let device = device::device_to_use(device_id)?;
    let call = watch::call(Op::Create, Object::context(0)).with(Object::device(device.id().into())).begin()?;
    let created = life::devices::create_context(&device)?;
    created.make_current();
    call.made(created.id());
    context.set(created.handle());
    Ok(())
}

pub(crate) fn aclrtDestroyContext(context: aclrtContext) -> Answer {
    not_null(context)?;
    watch::call(Op::Destroy, context).begin()?.end(life::contexts::destroy(context))
}

pub(crate) fn aclrtSetCurrentContext(context: aclrtContext) -> Answer {
    not_null(context)?;
    watch::call(Op::MakeCurrent, context).begin()?.end(context::choose(context))
}

pub(crate) fn aclrtGetCurrentContext(mut context: Out<'_, aclrtContext>) -> Answer {
    wanted(&context)?;
    context.set(current_context()?.handle());
    Ok(())
}

fn not_null(context: aclrtContext) -> Answer {
    if context.is_null() { Err(Failure::invalid("the context is null")) } else { Ok(()) }
}
