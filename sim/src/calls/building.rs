//! Model instances that are built task by task.

use super::{instance_handle, wanted};
use crate::abi::{Address, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::instances::{self, Instance};
use crate::machine::recording::assembly::Assembly;
use crate::machine::streams::refusals::refuse_on;
use crate::machine::streams::stream::Stream;
use ascendcl_rules::{GRAPH_08, Object};
use ascendcl_sys::constants::{ACL_MODEL_STREAM_FLAG_DEFAULT, ACL_MODEL_STREAM_FLAG_HEAD};
use ascendcl_sys::types::*;
use std::sync::Arc;

pub(crate) fn aclmdlRIBuildBegin(mut model_ri: Out<'_, aclmdlRI>, flag: u32) -> Answer {
    wanted(&model_ri)?;
    if flag != 0 {
        return Err(Failure::refused(format!("the flag is {flag:#x}; expected 0, there is no other")));
    }
    model_ri.set(instance_handle(instances::begin_build()?));
    Ok(())
}

/// A head starts with each run; another stream is started by a stream of the instance.
pub(crate) fn aclmdlRIBindStream(model_ri: aclmdlRI, stream: aclrtStream, flag: u32) -> Answer {
    if model_ri.is_null() {
        return Err(Failure::invalid("the model instance is null"));
    }
    let is_head = match flag {
        ACL_MODEL_STREAM_FLAG_HEAD => true,
        ACL_MODEL_STREAM_FLAG_DEFAULT => false,
        flag => {
            let text = format!("the flag is {flag:#x}; expected ACL_MODEL_STREAM_FLAG_HEAD or _DEFAULT");
            return Err(Failure::refused(text));
        }
    };
    let instance = instances::find(model_ri)?;
    if stream.is_null() {
        let failure = Failure::refused("the stream is null, and the default one is bound to no model instance");
        let failure = failure.breaks(GRAPH_08, "a persistent stream", "create the stream with ACL_STREAM_PERSISTENT");
        return Err(failure.about(Object::graph(model_ri.0.addr() as u64)));
    }
    let stream = Named::find(stream)?;
    if let Some(stream) = stream.stream() {
        instance.takes(stream)?;
    }
    with(&instance, stream, |assembly, stream| assembly.bind(&stream, is_head))
}

pub(crate) fn aclmdlRIUnbindStream(model_ri: aclmdlRI, stream: aclrtStream) -> Answer {
    let (instance, stream) = both(model_ri, stream)?;
    instance.assembly()?;
    if let Some(stream) = stream.stream() {
        refuse_on(stream, "taken from a model instance")?;
    }
    with(&instance, stream, |assembly, stream| assembly.unbind(&stream))
}

/// Nothing follows on the stream.
pub(crate) fn aclmdlRIEndTask(model_ri: aclmdlRI, stream: aclrtStream) -> Answer {
    let (instance, stream) = both(model_ri, stream)?;
    with(&instance, stream, |assembly, stream| assembly.end_task(stream.number()))
}

/// The instance is complete.
pub(crate) fn aclmdlRIBuildEnd(model_ri: aclmdlRI, reserve: Address) -> Answer {
    if model_ri.is_null() || !reserve.is_null() {
        return Err(Failure::invalid("the model instance is null, or the reserved argument is not"));
    }
    let instance = instances::find(model_ri)?;
    let assembly = instance.assembly()?;
    instance.of_current_context()?;
    assembly.complete()
}

/// Both are alive. Null is the default stream, which there is in a context only (107000).
fn both(model_ri: aclmdlRI, stream: aclrtStream) -> Answer<(Arc<Instance>, Named)> {
    let instance = instances::find(model_ri)?;
    if stream.is_null() && current_context().is_err() {
        return Err(Failure::refused("the stream is null, and without a context there is no default one"));
    }
    Ok((instance, Named::find(stream)?))
}

fn with(instance: &Instance, stream: Named, what: impl FnOnce(&Arc<Assembly>, Arc<Stream>) -> Answer) -> Answer {
    instance.of_current_context()?;
    what(instance.assembly()?, stream.for_work()?)
}
