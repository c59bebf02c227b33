//! A plugin with three functions, which its host may call in any order.

use crate::common::{alone, data, library};
use ascendcl::{Error, Input, Model, Runtime};
use std::sync::Mutex;

ascendcl::names!(Plugin);

static STATE: Mutex<Option<(Model<Plugin>, Runtime<Plugin>)>> = Mutex::new(None);

fn open() -> i32 {
    match Runtime::open_with(library(), |current| current.load_model(data("digits.onnx"))) {
        Ok((runtime, model)) => {
            *STATE.lock().unwrap() = Some((model, runtime));
            0
        }
        Err(error) => code(&error),
    }
}

fn call(pixels: &[f32; 64], scores: &mut [f32; 10]) -> i32 {
    let mut state = STATE.lock().unwrap();
    let Some((model, runtime)) = state.as_mut() else { return -1 };
    let answer = runtime.with(|current| {
        let outputs = model.run(current, &[Input::new(&[1, 64], pixels)?])?;
        scores.copy_from_slice(&outputs.get(0)?.to_vec::<f32>()?);
        Ok::<_, Error>(())
    });
    answer.and_then(|answer| answer).map_or_else(|error| code(&error), |()| 0)
}

fn close() -> i32 {
    let state = STATE.lock().unwrap().take();
    let closed = state.map_or(Ok(()), |(_model, runtime)| runtime.close());
    closed.map_or_else(|error| error.code().map_or(-2, ascendcl::error::Code::number), |()| 0)
}

fn code(error: &Error) -> i32 {
    error.code().map_or(-2, ascendcl::error::Code::number)
}

#[test]
fn a_plugin_is_opened_called_on_other_threads_closed_and_opened_again() {
    let alone = alone();
    let mut scores = [0.0; 10];
    assert_eq!((call(&[0.0; 64], &mut scores), close()), (-1, 0), "nothing is open");
    for _ in 0..3 {
        assert_eq!(open(), 0);
        let called = std::thread::spawn(|| call(&[0.5; 64], &mut [0.0; 10])).join().unwrap();
        assert_eq!((called, call(&[0.0; 64], &mut scores)), (0, 0));
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-3, "{scores:?}");
        assert_eq!((close(), close()), (0, 0));
        assert_eq!(call(&[0.0; 64], &mut scores), -1);
    }
    alone.assert_nothing_lives();
}
