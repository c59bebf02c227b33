//! A task of a robotics framework. It is built once and called at each tick, on any thread of the framework. It keeps
//! its model and its buffers between the calls.

use crate::common::{alone, data, library};
use ascendcl::{Current, Error, HostBuffer, Input, Model, Runtime, Setup};

ascendcl::names!(Camera, Gripper);

trait Task: Send {
    fn tick(&mut self, frame: &[f32]) -> Result<f32, Error>;
}

struct Sees {
    last: HostBuffer<Camera, f32>,
    model: Model<Camera>,
    runtime: Runtime<Camera>,
}

impl Sees {
    fn on_device(device: i32) -> Result<Self, Error> {
        let runtime = Runtime::open(Setup::builder().library(library()).device(device).build())?;
        let build = |current: &mut Current<Camera>| {
            Ok::<_, Error>((current.host_buffer(64)?, current.load_model(data("digits.onnx"))?))
        };
        let (last, model) = runtime.with(build)??;
        Ok(Self { last, model, runtime })
    }
}

impl Task for Sees {
    /// How much the frame differs from the last one, in what the model makes of it.
    fn tick(&mut self, frame: &[f32]) -> Result<f32, Error> {
        self.runtime.with(|current| {
            let mut scores =
                |image: &[f32]| self.model.run(current, &[Input::new(&[1, 64], image)?])?.get(0)?.to_vec::<f32>();
            let now = scores(frame)?;
            let last = self.last.slice(current)?.to_vec();
            let before = self.model.run(current, &[Input::new(&[1, 64], &last)?])?.get(0)?.to_vec::<f32>()?;
            self.last.slice_mut(current)?.copy_from_slice(frame);
            Ok(now.iter().zip(&before).map(|(now, before)| (now - before).abs()).sum())
        })?
    }
}

struct Grips(Runtime<Gripper>);

impl Task for Grips {
    fn tick(&mut self, frame: &[f32]) -> Result<f32, Error> {
        self.0.with(|current| current.upload(frame)?.to_vec(current).map(|back| back.iter().sum()))?
    }
}

#[test]
fn tasks_on_two_devices_are_called_on_changing_threads() {
    let alone = alone();
    let gripper = Runtime::open(Setup::builder().library(library()).device(1).build()).unwrap();
    let mut tasks: Vec<Box<dyn Task>> = vec![Box::new(Sees::on_device(0).unwrap()), Box::new(Grips(gripper))];
    for tick in 0..4 {
        let frame = [tick as f32; 64];
        tasks = std::thread::spawn(move || {
            let answers: Vec<f32> = tasks.iter_mut().map(|task| task.tick(&frame).unwrap()).collect();
            assert_eq!(answers[1], 64.0 * tick as f32);
            assert_eq!(answers[0] == 0.0, tick == 0, "{answers:?}");
            assert_eq!(tasks[0].tick(&frame).unwrap(), 0.0, "the same frame again");
            tasks
        })
        .join()
        .unwrap();
    }
    // The framework drops its tasks, and asks later what went wrong.
    drop(tasks);
    assert!(ascendcl::runtime::sweep(None).is_empty());
    alone.assert_nothing_lives();
}
