//! Running a model.

use crate::abi::Name;
use crate::failure::Answer;
use crate::machine::allocators::watch_stale;
use crate::machine::models::Job;
use crate::machine::submission_stream;
use ascendcl_sys::types::{aclmdlDataset, aclrtStream};

/// Runs here and now, past every stream.
pub(crate) fn aclmdlExecute(model_id: u32, input: Name<aclmdlDataset>, output: Name<aclmdlDataset>) -> Answer {
    Job::prepare(model_id, input, output)?.run()
}

/// What the datasets say is read now; the run has its turn in the stream.
pub(crate) fn aclmdlExecuteAsync(
    model_id: u32,
    input: Name<aclmdlDataset>,
    output: Name<aclmdlDataset>,
    stream: aclrtStream,
) -> Answer {
    let job = Job::prepare(model_id, input, output)?;
    job.submit(&submission_stream(stream).inspect_err(|_| watch_stale(stream))?)
}
