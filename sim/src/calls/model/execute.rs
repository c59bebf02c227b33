//! Running a model.

use crate::abi::Name;
use crate::failure::Answer;
use crate::machine::contexts::named::submission_stream;
use crate::machine::memory::areas::Area;
use crate::machine::models::Job;
use crate::machine::streams::table;
use crate::machine::watch::{self, Watching};
use ascendcl_rules::{Object, Op, Place, Role};
use ascendcl_sys::types::{aclmdlDataset, aclrtStream};

/// Runs here and now, past every stream.
pub(crate) fn aclmdlExecute(model_id: u32, input: Name<aclmdlDataset>, output: Name<aclmdlDataset>) -> Answer {
    execute(model_id, input, output, None)
}

/// The datasets are read now; the run happens in its order on the stream.
pub(crate) fn aclmdlExecuteAsync(
    model_id: u32,
    input: Name<aclmdlDataset>,
    output: Name<aclmdlDataset>,
    stream: aclrtStream,
) -> Answer {
    execute_async(model_id, input, output, stream, None)
}

pub(super) fn execute(
    model_id: u32,
    input: Name<aclmdlDataset>,
    output: Name<aclmdlDataset>,
    work: Option<Area>,
) -> Answer {
    let call = watch::call(Op::Execute, Object::model(model_id.into())).inputs(input).outputs(output);
    let call = works_in(call, work).begin()?;
    call.end(Job::prepare(model_id, input, output, work)?.run())
}

/// Working memory that the run is given comes before that of the stream.
pub(super) fn execute_async(
    model_id: u32,
    input: Name<aclmdlDataset>,
    output: Name<aclmdlDataset>,
    stream: aclrtStream,
    work: Option<Area>,
) -> Answer {
    // A handle of no stream is found when the call is judged.
    let work = work.or_else(|| table::numbered(stream.0.addr())?.work());
    let call = watch::call(Op::Execute, Object::model(model_id.into())).queue(stream);
    let call = works_in(call.inputs(input).outputs(output), work).begin()?;
    let job = Job::prepare(model_id, input, output, work)?;
    call.end(job.submit(&submission_stream(stream)?))
}

fn works_in(call: Watching, work: Option<Area>) -> Watching {
    match work {
        Some(Area { address, size }) => call.writes(address, size, Role::Workspace, Some(Place::Device)),
        None => call,
    }
}
