//! Running a model.

use crate::abi::Name;
use crate::failure::Answer;
use crate::machine::contexts::named::submission_stream;
use crate::machine::models::Job;
use crate::machine::watch;
use ascendcl_rules::{Object, Op};
use ascendcl_sys::types::{aclmdlDataset, aclrtStream};

/// Runs here and now, past every stream.
pub(crate) fn aclmdlExecute(model_id: u32, input: Name<aclmdlDataset>, output: Name<aclmdlDataset>) -> Answer {
    execute(model_id, input, output)
}

/// The datasets are read now; the run happens in its order on the stream.
pub(crate) fn aclmdlExecuteAsync(
    model_id: u32,
    input: Name<aclmdlDataset>,
    output: Name<aclmdlDataset>,
    stream: aclrtStream,
) -> Answer {
    execute_async(model_id, input, output, stream)
}

pub(super) fn execute(model_id: u32, input: Name<aclmdlDataset>, output: Name<aclmdlDataset>) -> Answer {
    let call = watch::call(Op::Execute, Object::model(model_id.into())).inputs(input).outputs(output).begin()?;
    call.end(Job::prepare(model_id, input, output)?.run())
}

pub(super) fn execute_async(
    model_id: u32,
    input: Name<aclmdlDataset>,
    output: Name<aclmdlDataset>,
    stream: aclrtStream,
) -> Answer {
    let call = watch::call(Op::Execute, Object::model(model_id.into())).queue(stream);
    let call = call.inputs(input).outputs(output).begin()?;
    let job = Job::prepare(model_id, input, output)?;
    call.end(job.submit(&submission_stream(stream)?))
}
