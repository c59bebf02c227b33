//! Programs that run models in place in shared memory, and lend streams to code of other crates.

use crate::models;
use crate::others::again;
use ascendcl::model::{Load, ModelSource};
use ascendcl::stream::StreamOptions;
use ascendcl::{Current, Error, Input, Scoped};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(10);

pub(crate) fn workspace_mutex(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(4));
    let source = ModelSource::memory(&image);
    let workspace = current.workspace(2 * current.model_size(source)?.workspace)?;
    current.workspace_mutex(workspace, |current, lane| {
        let load = || Load::builder().source(source).build();
        let mut first = lane.load(current, load()).or_else(|_| lane.load(current, load()))?;
        let second = lane.load(current, load()).or_else(|_| lane.load(current, load()))?;
        let mut second = again(second, |second| second.bind(current, &[&[4, 64]], &[&[4, 10]]))?;
        let zeros = [0.0_f32; 256];
        for _ in 0..2 {
            let inputs = || Ok::<_, Error>([Input::new(&[4, 64], &zeros)?]);
            let outputs =
                lane.run(current, &mut first, &inputs()?).or_else(|_| lane.run(current, &mut first, &inputs()?))?;
            assert_eq!(outputs.get(0)?.shape(), [4, 10]);
            second.write(current, 0, &zeros).or_else(|_| second.write(current, 0, &zeros))?;
            lane.run_bound(current, &mut second).or_else(|_| lane.run_bound(current, &mut second))?;
            assert_eq!(second.read::<f32>(current, 0)?.len(), 40);
        }
        again(first, |first| first.unload(current))?;
        let second = again(second, |second| second.into_model(current))?;
        again(second, |second| second.unload(current))?;
        Ok::<_, Error>(())
    })?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

pub(crate) fn lane_in_place(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(4));
    let source = ModelSource::memory(&image);
    let workspace = current.workspace(2 * current.model_size(source)?.workspace)?;
    let stream = current.stream()?.without_allocator();
    let stream = current.workspace_lane(stream, workspace, |current, mut lane| {
        let mut model = lane.load(current, source.into())?.bind(current, &[&[4, 64]], &[&[4, 10]])?;
        let mut other = lane.load(current, source.into())?.bind(current, &[&[4, 64]], &[&[4, 10]])?;
        for _ in 0..2 {
            for model in [&mut model, &mut other] {
                model.write(current, 0, &[0.0_f32; 256])?;
                if lane.run_bound_within(current, model, LONG).is_err() {
                    // Whatever became of it, after a wait both run again.
                    lane.synchronize(current)
                        .or_else(|_| lane.synchronize(current))
                        .or_else(|_| lane.synchronize(current))?;
                    model.write(current, 0, &[0.0_f32; 256])?;
                    lane.run_bound(current, model)?;
                }
                assert_eq!(model.read::<f32>(current, 0)?.len(), 40);
            }
        }
        drop(other.into_model(current)?);
        model.into_model(current)?.unload(current)?;
        Ok::<_, Error>(lane.into_stream())
    })?;
    stream.destroy(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

pub(crate) fn kept_stream(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let kept = current.stream_with(StreamOptions::builder().stop_on_failure(true).build())?.keep();
    let memory = current.upload(&[5_u8; 64])?.keep();
    {
        let stream = kept.lend(current)?;
        let set = stream.set_bytes(current, current.device_buffer::<u8>(64)?, 1)?;
        let (device, host) = stream.copy_to_host(current, set, current.host_buffer(64)?)?.wait(current)?;
        assert_eq!(*host, [1; 64]);
        drop(stream.set_bytes(current, device, 2)?);
        kept.with_raw(|stream| assert!(!stream.is_null()))?;
    }
    assert!(current.collect().is_empty() || memory.bytes() == 64);
    let stream = again(kept, |kept| kept.into_stream(current))?;
    drop(memory);
    again(stream, |stream| stream.destroy(current))?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}
