//! Several models in one working memory: `cargo run --example 09_shared_workspace`.
//!
//! A model needs working memory only while it runs. Models that never run at the same time can share it: on one stream, by a
//! `WorkspaceLane`, or in several threads, by a `WorkspaceMutex`, which lets one model run at a time.

mod digits;

use ascendcl::{Input, Library, model::ModelSource};
use digits::{Digits, PIXELS, data};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let digits = Digits::read()?;
    let file = data("digits-8.onnx");
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let source = ModelSource::file(&file);
        let size = current.model_size(source)?;
        let workspace = current.workspace(2 * size.workspace)?;
        let stream = current.stream()?.without_allocator();
        // Mistake: one workspace for two models on two streams. Each writes over the other's intermediate results.
        // Refused: `ui-tests/fail/workspace_of_two_models.rs`:
        //     error[E0382]: use of moved value: `own`
        let right = current.workspace_lane(stream, workspace, |current, mut lane| {
            let (mut first, mut second) = (lane.load(current, source.into())?, lane.load(current, source.into())?);
            let images = || Input::new(&[8, PIXELS], digits.first(8));
            let one = lane.run(current, &mut first, &[images()?])?.get(0)?.to_vec::<f32>()?;
            // Mistake: running a model of the lane beside the lane.
            // Refused: `ui-tests/fail/lane_model_run_on_its_own.rs`:
            //     error[E0277]: a model of a lane runs through its lane only
            let two = lane.run(current, &mut second, &[images()?])?.get(0)?.to_vec::<f32>()?;
            Ok::<_, ascendcl::Error>((digits.right(&one), digits.right(&two)))
        })?;
        println!("1 two models of one lane, right of 8: {right:?}");
        Ok::<_, ascendcl::Error>(())
    })?;
    Ok(())
}
