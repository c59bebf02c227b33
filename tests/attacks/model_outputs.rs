//! Attacks on the memory of a model's outputs: too little of it, and what a run has not written.

use super::common::{alone, digits_compiled_for, digits_in_batches_of, library_at, library_with_ports};
use super::null::books;
use super::{fail, inside, nothing_fails, with_device};
use ascendcl::{Acl, Brand, Current, Error, Input, Model, model::ModelSource, model::OutputBuffer};
use ascendcl_macros::proves;
use ascendcl_sim::{Checks, Config, control};

static ZEROS: [f32; 300 * 64] = [0.0; 300 * 64];

/// The digits, compiled for 1, 7 and 300 images.
fn compiled<C: Brand>(current: &Current<C>) -> Model<C> {
    current.load(ModelSource::memory(&digits_compiled_for("1,7,300")).into()).unwrap()
}

#[track_caller]
fn is_too_short(error: &Error, need: usize, have: usize) {
    let expected = format!(
        "the memory for an output of the model is too short: it has {have} bytes, but {need} are needed [DATA-08]"
    );
    assert_eq!(error.to_string(), expected);
}

#[proves(DATA_08)]
#[test]
fn an_output_that_is_too_short_for_the_gear_is_refused_before_the_run() {
    let alone = alone();
    control::configure(Config::new().checks(Checks::Strict)).unwrap();
    inside(|current| {
        let failed = compiled(current).bind_with(current, &[&[300, 64]], &[OutputBuffer::AtMost(10)]).unwrap_err();
        is_too_short(&failed.error, 12_000, 40);
        let failed = failed.value.bind(current, &[&[7, 64]], &[&[1, 10]]).unwrap_err();
        is_too_short(&failed.error, 280, 40);

        // A run in a small gear writes only that much.
        let stream = current.stream().unwrap().without_allocator();
        let mut bound = failed.value.bind_with(current, &[&[1, 64]], &[OutputBuffer::AtMost(10)]).unwrap();
        bound.write(current, 0, &ZEROS[..64]).unwrap();
        let bound = stream.execute(current, bound).unwrap().wait(current).unwrap();
        assert_eq!(bound.read::<f32>(current, 0).unwrap().len(), 10);
        bound.into_model(current).unwrap().unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// The library may write the largest gear.
#[proves(DATA_08)]
#[test]
fn a_gear_whose_outputs_the_library_does_not_say_needs_memory_for_the_largest() {
    let alone = alone();
    inside(|current| {
        fail("aclmdlGetCurOutputDims#1=507899");
        let failed = compiled(current).bind_with(current, &[&[7, 64]], &[OutputBuffer::AtMost(70)]).unwrap_err();
        is_too_short(&failed.error, 12_000, 280);
        nothing_fails();
        let mut bound = failed.value.bind_with(current, &[&[7, 64]], &[OutputBuffer::AtMost(70)]).unwrap();
        fail("aclmdlGetCurOutputDims#1=507899");
        is_too_short(&bound.reshape(current, &[&[1, 64]]).unwrap_err(), 12_000, 280);
        nothing_fails();
        // The gear is the one that it was.
        bound.write(current, 0, &ZEROS[..7 * 64]).unwrap();
        bound.run(current).unwrap();
        assert_eq!(bound.output_shape(current, 0).unwrap(), [7, 10]);
        bound.into_model(current).unwrap().unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_08)]
#[test]
fn an_output_that_is_too_short_for_a_model_of_a_fixed_shape_is_refused_before_the_run() {
    let alone = alone();
    control::configure(Config::new().checks(Checks::Strict)).unwrap();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let failed = model.bind_with(current, &[&[8, 64]], &[OutputBuffer::AtMost(79)]).unwrap_err();
        is_too_short(&failed.error, 320, 316);
        let mut bound = failed.value.bind_with(current, &[&[8, 64]], &[OutputBuffer::AtMost(80)]).unwrap();
        bound.write(current, 0, &ZEROS[..512]).unwrap();
        bound.run(current).unwrap();
        // The library describes no output of such a model. It writes all of it.
        assert_eq!(bound.output_shape(current, 0).unwrap(), [8, 10]);
        assert_eq!(bound.read::<f32>(current, 0).unwrap().len(), 80);
        let short = current.device_buffer::<f32>(8).unwrap();
        let failed = bound.replace_output(current, 0, short).unwrap_err();
        assert!(matches!(failed.error, Error::LengthMismatch { expected: 80, found: 8, .. }), "{failed}");
        bound.into_model(current).unwrap().unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_07)]
#[test]
fn what_a_run_in_a_small_gear_has_not_written_is_not_handed_out() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let mut bound = compiled(current).bind(current, &[&[300, 64]], &[&[300, 10]]).unwrap();
        bound.reshape(current, &[&[1, 64]]).unwrap();
        bound.write(current, 0, &ZEROS[..64]).unwrap();
        let mut bound = stream.execute(current, bound).unwrap().wait(current).unwrap();
        assert_eq!(bound.output_shape(current, 0).unwrap(), [1, 10]);
        let refused = bound.read::<f32>(current, 0).unwrap_err();
        assert!(matches!(refused, Error::LengthMismatch { expected: 3000, found: 10, .. }), "{refused}");
        let failed = bound.exchange_output::<f32>(current, 0, current.device_buffer(3000).unwrap()).unwrap_err();
        assert!(matches!(failed.error, Error::LengthMismatch { expected: 3000, found: 10, .. }), "{failed}");
        drop(failed);

        // The largest gear fills it.
        bound.reshape(current, &[&[300, 64]]).unwrap();
        bound.write(current, 0, &ZEROS).unwrap();
        bound.run(current).unwrap();
        assert_eq!(bound.read::<f32>(current, 0).unwrap().len(), 3000);
        drop(bound.exchange_output::<f32>(current, 0, current.device_buffer(3000).unwrap()).unwrap());
        bound.into_model(current).unwrap().unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_07)]
#[test]
fn an_output_is_not_taken_for_written_where_the_library_does_not_say_its_shape_in_a_gear() {
    let alone = alone();
    inside(|current| {
        let unknown = |error: Error| assert!(matches!(error, Error::UnknownShape { .. }), "{error}");
        let mut model = compiled(current);
        fail("aclmdlGetCurOutputDims#1+=507899");
        unknown(model.run(current, &[Input::new(&[7, 64], &ZEROS[..7 * 64]).unwrap()]).unwrap_err());
        let mut bound = model.bind(current, &[&[300, 64]], &[&[300, 10]]).unwrap();
        bound.reshape(current, &[&[1, 64]]).unwrap();
        bound.write(current, 0, &ZEROS[..64]).unwrap();
        bound.run(current).unwrap();
        unknown(bound.output_shape(current, 0).unwrap_err());
        unknown(bound.read::<f32>(current, 0).unwrap_err());
        let failed = bound.exchange_output::<f32>(current, 0, current.device_buffer(3000).unwrap()).unwrap_err();
        unknown(failed.error);
        nothing_fails();
        let mut model = bound.into_model(current).unwrap();
        let outputs = model.run(current, &[Input::new(&[7, 64], &ZEROS[..7 * 64]).unwrap()]).unwrap();
        assert_eq!(outputs.get(0).unwrap().shape(), [7, 10]);
        model.unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// The library says what the chosen gear writes, and no longer what the last run has written.
#[proves(MEM_07)]
#[test]
fn what_another_gear_would_write_is_not_taken_for_written() {
    let alone = alone();
    inside(|current| {
        let mut bound = compiled(current).bind(current, &[&[300, 64]], &[&[300, 10]]).unwrap();
        bound.reshape(current, &[&[1, 64]]).unwrap();
        bound.write(current, 0, &ZEROS[..64]).unwrap();
        bound.run(current).unwrap();
        bound.reshape(current, &[&[300, 64]]).unwrap();
        let is_refused = |error: Error| assert!(matches!(error, Error::NotExecuted), "{error}");
        is_refused(bound.output_shape(current, 0).unwrap_err());
        is_refused(bound.read::<f32>(current, 0).unwrap_err());
        let memory = current.device_buffer(3000).unwrap();
        is_refused(bound.exchange_output::<f32>(current, 0, memory).unwrap_err().error);
        bound.write(current, 0, &ZEROS).unwrap();
        bound.run(current).unwrap();
        assert_eq!(bound.read::<f32>(current, 0).unwrap().len(), 3000);
    });
    alone.assert_nothing_lives();
}

/// A library whose model has an input and an output of two elements, and reads and writes 64 bytes of each.
const WIDE: &str = r#"
    static aclError two(struct dims *dims) { dims->count = 1; dims->sizes[0] = 2; return 0; }
    aclError aclmdlGetInputDims(handle d, size_t i, struct dims *dims) { (void)d; (void)i; return two(dims); }
    aclError aclmdlGetOutputDims(handle d, size_t i, struct dims *dims) { (void)d; (void)i; return two(dims); }
    int aclmdlGetInputDataType(handle d, size_t i) { (void)d; (void)i; return 0; }
    int aclmdlGetOutputDataType(handle d, size_t i) { (void)d; (void)i; return 0; }
    size_t aclmdlGetInputSizeByIndex(handle d, size_t i) { (void)d; (void)i; return 64; }
    size_t aclmdlGetOutputSizeByIndex(handle d, size_t i) { (void)d; (void)i; return 64; }
    handle aclCreateDataBuffer(void *start, size_t size) { return start && size == 64 ? fresh() : (abort(), NULL); }
    aclError aclUpdateDataBuffer(handle b, void *start, size_t size) { return b && start && size == 64 ? 0 : (abort(), 1); }
    handle aclmdlGetDatasetTensorDesc(handle d, size_t i) { (void)d; (void)i; return NULL; }
"#;

#[proves(DATA_08, MEM_07)]
#[test]
fn a_tensor_has_as_much_memory_as_its_description_says_also_if_its_shape_has_less() {
    let _books = books();
    let library = library_at(library_with_ports("wide-tensors", WIDE));
    with_device(Acl::init(library).unwrap(), |device, thread| {
        let ran = device.with_current(thread, |current| {
            let mut model = current.load_model("model").unwrap();
            let outputs = model.run(current, &[Input::new(&[2], &[1.0_f32, 2.0]).unwrap()]).unwrap();
            assert_eq!(outputs.get(0).unwrap().shape(), [2]);

            let failed = model.bind_with(current, &[&[2]], &[OutputBuffer::AtMost(15)]).unwrap_err();
            is_too_short(&failed.error, 64, 60);
            let mut bound = failed.value.bind(current, &[&[2]], &[&[2]]).unwrap();
            bound.write(current, 0, &[1.0_f32, 2.0]).unwrap();
            bound.run(current).unwrap();
            assert_eq!(bound.read::<f32>(current, 0).unwrap().len(), 2);
            let is_short =
                |error: &Error| assert!(matches!(error, Error::LengthMismatch { expected: 16, found: 2, .. }));
            is_short(&bound.replace_output::<f32>(current, 0, current.device_buffer(2).unwrap()).unwrap_err().error);
            is_short(&bound.exchange_input(current, 0, current.upload(&[0.0_f32; 2]).unwrap()).unwrap_err().error);
            // The run has written two elements.
            is_short(&bound.exchange_output::<f32>(current, 0, current.device_buffer(16).unwrap()).unwrap_err().error);
            drop(bound.replace_output::<f32>(current, 0, current.device_buffer(16).unwrap()).unwrap());
        });
        ran.unwrap();
    });
}
