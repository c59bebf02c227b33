//! Models: the four ways to load them in both run modes, memory that is lent to them, inputs by name, and models that
//! move between threads.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
mod exchange;
mod names;
#[path = "../null/mod.rs"]
mod null;
mod shared;

use ascendcl::{
    Current, Error, Input, RunMode, Scoped, Thread,
    error::InputError,
    model::{Load, ModelSource, OutputBuffer},
};
use ascendcl_macros::proves;
use ascendcl_sim::{Checks, Config, control};
use common::scopes::{self, with_device};
use common::{alone, assert_lives, data, difference, digits, predictions};
use null::books;
use std::path::Path;
use std::time::Duration;

/// Runs `program` in a context of the simulator that is current, then closes everything.
fn inside<R>(program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> Result<R, Error>) -> R {
    scopes::inside(program).unwrap()
}

/// Every rule is looked after, and a call that breaks one fails.
fn strict(on_device: bool) {
    control::configure(Config::new().on_device(on_device).checks(Checks::Strict)).unwrap();
}

#[proves(MODEL_02, MODEL_03, MODEL_08, MODEL_10, MODEL_11, MODE_02)]
#[test]
fn each_of_the_four_ways_to_load_gives_the_same_model_in_both_run_modes() {
    let alone = alone();
    let file = data("digits-8.onnx");
    let (image, (labels, pixels)) = (std::fs::read(&file).unwrap(), digits());
    for on_device in [false, true] {
        strict(on_device);
        inside(|current| {
            for source in [ModelSource::file(&file), ModelSource::memory(&image)] {
                let (size, weights) = (current.model_size(source)?, current.weights(source)?);
                let work = || current.workspace(size.workspace);
                let loads = [
                    source.into(),
                    Load::builder().source(source).weights(&weights).build(),
                    Load::builder().source(source).workspace(work()?).build(),
                    Load::builder().source(source).workspace(work()?).weights(&weights).build(),
                ];
                drop(weights);
                for load in loads {
                    let mut model = current.load(load)?;
                    // What it was loaded onto has no other name any more.
                    assert!(current.collect().is_empty());
                    let images = Input::new(&[8, 64], &pixels[..512])?;
                    assert_eq!(predictions(&model.run(current, &[images])?.get(0)?.to_vec::<f32>()?), labels[..8]);
                    model.unload(current)?;
                }
                assert!(current.collect().is_empty());
                assert_lives!(device_blocks, 0, "on the device: {on_device}");
            }
            Ok(())
        });
        alone.assert_nothing_lives();
        assert_no_findings();
    }
}

#[proves(MODEL_10, MODE_02)]
#[test]
fn an_image_that_is_no_model_leaves_nothing_on_the_device_that_the_program_runs_on() {
    let alone = alone();
    strict(true);
    let image = std::fs::read(data("digits-8.onnx")).unwrap();
    inside(|current| {
        let refused = current.load(ModelSource::memory(&image[..1000]).into()).unwrap_err();
        assert!(matches!(refused.error, Error::Vendor(_)), "{refused}");
        assert_lives!(device_blocks, 0, "the library has read the image");
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODE_01, MODE_03, COPY_02)]
#[test]
fn buffers_of_transfers_live_where_the_run_mode_says_and_every_copy_arrives() {
    let alone = alone();
    for on_device in [false, true] {
        strict(on_device);
        inside(|current| {
            let stream = current.stream()?;
            let mut host = current.host_buffer::<u32>(256)?;
            let live = control::live();
            assert_eq!((live.host_blocks, live.device_blocks), if on_device { (0, 1) } else { (1, 0) });
            host.iter_mut().zip(0..).for_each(|(element, value)| *element = value);

            let (mut host, device) =
                stream.copy_to_device(current, host, current.device_buffer(256)?)?.wait(current)?;
            host.fill(0);
            let copied = stream.copy_on_device(current, device, current.device_buffer(256)?)?.wait(current)?;
            let (device, mut host) = stream.copy_to_host(current, copied.1, host)?.wait(current)?;
            assert!(host.iter().copied().eq(0..256));
            assert_eq!(device.to_vec(current)?, host.to_vec());

            // On the device a vector's memory can be copied only if it begins at a multiple of 64 bytes.
            let vectors: Vec<_> = (0..64).map(|_| vec![7_u32; 256]).collect();
            let vector = vectors.into_iter().find(|vector| !on_device || vector.as_ptr().addr() % 64 == 0).unwrap();
            let pageable = current.pageable_buffer(vector);
            let (pageable, mut device) = stream.copy_to_device(current, pageable, device)?.wait(current)?;
            assert_eq!((device.to_vec(current)?, pageable.into_vec(current)?), (vec![7; 256], vec![7; 256]));
            device.copy_from(current, &[9; 256])?;
            host.fill(1);
            let (device, host) = stream.copy_to_host(current, device, host)?.wait(current)?;
            assert_eq!(*host, [9; 256]);
            host.free(current)?;
            device.free(current)?;
            Ok(())
        });
        alone.assert_nothing_lives();
        assert_no_findings();
    }
}

#[proves(MODE_01)]
#[test]
fn the_run_mode_is_asked_for_once_and_every_call_keeps_to_it() {
    for mode in [RunMode::Host, RunMode::Device] {
        let books = books();
        if mode == RunMode::Device {
            books.run_on_device();
        }
        with_device(books.acl(), |device, thread| {
            for _ in 0..2 {
                let program = |current: &mut Current<Scoped<'_>>| -> Result<(), Error> {
                    let stream = current.stream()?;
                    let source = ModelSource::memory(&[1, 2, 3]);
                    let weights = current.weights(source)?;
                    current.load(Load::builder().source(source).weights(&weights).build())?.unload(current)?;
                    let copy =
                        stream.copy_to_device(current, current.host_buffer::<u8>(4)?, current.upload(&[0; 4])?)?;
                    assert_eq!(copy.wait(current)?.1.to_vec(current)?, [0; 4]);
                    Ok(())
                };
                device.with_current(thread, program).unwrap().unwrap();
            }
        });
        assert_eq!(books.calls("aclrtGetRunMode"), 1, "{mode:?}");
        assert_eq!(books.calls("aclrtMallocHost"), if mode == RunMode::Host { 2 } else { 0 });
        books.assert_closed();
    }
}

/// There all memory comes from `aclrtMalloc`. What the host would have is the program's own, and nothing else is.
#[proves(MODE_01)]
#[test]
fn a_refused_allocation_on_the_device_says_which_memory_was_asked_for() {
    let books = books();
    books.run_on_device();
    null::in_books(&books, |current| {
        books.refuse("aclrtMalloc", 507_899, 2);
        let refused = [current.workspace(64).map(drop), current.host_buffer::<u8>(64).map(drop)];
        let said = refused.map(|refused| refused.unwrap_err().to_string());
        assert!(said[0].contains("64 bytes of device memory"), "{said:?}");
        assert!(said[1].contains("64 bytes of pinned host memory"), "{said:?}");
    });
}

#[test]
fn a_library_that_does_not_know_where_it_runs_gives_no_device() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    books.refuse("aclrtGetRunMode", 507_899, 1);
    let refused = acl.device(&mut thread, 0).unwrap_err();
    assert_eq!(null::refusal(&refused), ("aclrtGetRunMode", 507_899));
    assert_eq!((books.calls("aclrtSetDevice"), acl.run_mode().unwrap()), (0, RunMode::Host));
    acl.close().unwrap();
    books.assert_closed();
}

#[proves(MODEL_07)]
#[test]
fn memory_that_is_too_small_is_an_error_before_the_library_loads_anything() {
    // What the library says that every model needs.
    const WORK: usize = 256;
    let books = books();
    let sources = [ModelSource::file(Path::new("model.om")), ModelSource::memory(&[0; 4])];
    with_device(books.acl(), |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| -> Result<(), Error> {
            for source in sources {
                let load = Load::builder().source(source).workspace(current.workspace(WORK - 1)?).build();
                let failed = current.load(load).unwrap_err();
                assert_eq!(
                    failed.to_string(),
                    "the working memory of the models is too short: it has 255 bytes, but 256 are needed for all models that are loaded onto it, together [MODEL-07]"
                );
                // The workspace comes back; here are its bytes.
                assert_eq!(failed.value.workspace.map(|workspace| workspace.bytes()), Some(WORK - 1));
                let too_small = current.workspace(2 * WORK - 1)?;
                current.workspace_mutex(too_small, |current, lane| {
                    let first = lane.load(current, source.into()).unwrap();
                    let refused = lane.load(current, source.into()).unwrap_err();
                    assert!(matches!(refused, Error::TooShort { need: 512, have: 511, .. }), "{refused}");
                    first.unload(current).unwrap();
                });
            }
            Ok(())
        };
        device.with_current(thread, program).unwrap().unwrap();
    });
    let loads = ["aclmdlLoadFromFile", "aclmdlLoadFromMem"].map(|name| books.calls(name));
    assert_eq!(loads, [0, 0]);
    // The two models that had room, one for each source.
    let loads = ["aclmdlLoadFromFileWithMem", "aclmdlLoadFromMemWithMem"].map(|name| books.calls(name));
    assert_eq!(loads, [1, 1]);
    assert_eq!((books.calls("aclmdlQuerySize"), books.calls("aclmdlQuerySizeFromMem")), (3, 3));
    books.assert_closed();
}

#[proves(DATA_07, DATA_08)]
#[test]
fn inputs_go_where_their_names_say_and_the_others_around_them() {
    let _alone = alone();
    strict(false);
    let image = difference();
    inside(|current| {
        let mut model = current.load(ModelSource::memory(&image).into())?;
        let (seven, two) = ([7.0_f32; 4], [2.0_f32; 4]);
        let (seven, two) = (Input::new(&[4], &seven)?, Input::new(&[4], &two)?);
        let orders = [
            [seven.clone(), two.clone()],
            [two.clone().named("subtrahend"), seven.clone().named("minuend")],
            [two.clone().named("subtrahend"), seven.clone()],
            [seven.clone().named("minuend"), two.clone()],
        ];
        for inputs in orders {
            assert_eq!(model.run(current, &inputs)?.get("difference")?.to_vec::<f32>()?, [5.0; 4]);
        }
        let mut refused = |inputs: [Input<'_>; 2]| model.run(current, &inputs).unwrap_err().to_string();
        assert_eq!(
            refused([seven.clone().named("Minuend"), two.clone()]),
            "the model has no input `Minuend`; its inputs are `minuend`, `subtrahend` [DATA-07]"
        );
        assert_eq!(
            refused([seven.clone().named("minuend"), two.clone().named("minuend")]),
            "input `minuend` was given twice [DATA-07]"
        );
        let short = Input::new(&[3], &[0.0_f32; 3])?;
        assert_eq!(
            refused([short.named("subtrahend"), seven.clone()]),
            "input `subtrahend` takes the shape [4], but [3] was given [DATA-08]"
        );
        let outputs = model.run(current, &[seven, two])?;
        let refused = model.bind(current, &[&[4], &[4]], &[]).unwrap_err();
        assert_eq!(
            refused.error.to_string(),
            "the model has 1 output(s) (`difference`), but memory for 0 was given [DATA-07]"
        );
        let refused = refused.value.bind(current, &[&[4], &[4]], &[&[5]]).unwrap_err();
        assert_eq!(
            refused.error.to_string(),
            "output `difference` has the shape [4], but memory for [5] was given [DATA-08]"
        );
        let unknown = outputs.get("sum").map(|_| ()).unwrap_err().to_string();
        assert_eq!(unknown, "the model has no output `sum`; its outputs are `difference`");
        Ok(())
    });
}

#[proves(DATA_07)]
#[test]
fn the_ports_of_a_prepared_model_are_found_by_name() {
    let _alone = alone();
    strict(false);
    let image = difference();
    inside(|current| {
        let stream = current.stream()?.without_allocator();
        let model = current.load(ModelSource::memory(&image).into())?;
        let mut model = model.bind(current, &[&[4], &[4]], &[&[4]])?;
        model.write(current, "subtrahend", &[1.0_f32; 4])?;
        model.write(current, "minuend", &[1.5_f32; 4])?;
        let unknown = model.write(current, "factor", &[0.0_f32; 4]).unwrap_err();
        assert!(
            matches!(&unknown, Error::Input(input) if matches!(**input, InputError::NoSuchName { .. })),
            "{unknown}"
        );
        let model = stream.execute(current, model)?.wait(current)?;
        assert_eq!(model.output_shape(current, "difference")?, [4]);
        assert_eq!(model.read::<f32>(current, "difference")?, [0.5; 4]);
        assert!(matches!(model.read::<f32>(current, "sum"), Err(Error::NoOutputNamed { .. })));
        Ok(())
    });
}

#[proves(DATA_03, DATA_06)]
#[test]
fn an_output_that_the_library_is_to_allocate_is_given_without_address_and_size() {
    let alone = alone();
    strict(false);
    let positions = common::positions();
    inside(|current| {
        let mut model = current.load(ModelSource::memory(&positions).into())?;
        let outputs = model.run(current, &[Input::new(&[4], &[0.0_f32, 1.0, 0.0, 2.0])?])?;
        assert_eq!((outputs.get(0)?.shape(), outputs.get(0)?.to_vec::<i64>()?), (&[1, 2][..], vec![1, 3]));
        // The same, bound once.
        let mut model = model.bind_with(current, &[&[4]], &[OutputBuffer::ByLibrary])?;
        for (elements, found) in [([1.0_f32, 0.0, 0.0, 0.0], vec![0_i64]), ([0.0, 0.0, 1.0, 1.0], vec![2, 3])] {
            model.write(current, 0, &elements)?;
            model.run(current)?;
            assert_eq!(model.read::<i64>(current, 0)?, found);
        }
        model.into_model(current)?.unload(current)?;
        assert!(current.collect().is_empty());
        assert_lives!(device_blocks, 0, "what the library allocated was freed");
        Ok(())
    });
    alone.assert_nothing_lives();
    assert_no_findings();
}

#[proves(MODEL_16, MODEL_17, MODEL_18)]
#[test]
fn a_prepared_model_is_run_and_waited_for_on_its_buffers() {
    let alone = alone();
    strict(false);
    let (file, (labels, pixels)) = (data("digits-8.onnx"), digits());
    let source = ModelSource::file(&file);
    inside(|current| {
        let mut model = current.load_model(&file)?.bind(current, &[&[8, 64]], &[&[8, 10]])?;
        let workspace = current.workspace(current.model_size(source)?.workspace)?;
        current.workspace_mutex(workspace, |current, lane| -> Result<(), Error> {
            let mut other = lane.load(current, source.into())?.bind(current, &[&[8, 64]], &[&[8, 10]])?;
            assert!(matches!(other.read::<f32>(current, 0), Err(Error::NotExecuted)));
            let mut right = 0;
            for (images, labels) in pixels.chunks(8 * 64).zip(labels.chunks(8)) {
                model.write(current, 0, images)?;
                other.write(current, 0, images)?;
                model.run(current)?;
                lane.run_bound_within(current, &mut other, Duration::from_secs(60))?;
                let found = predictions(&model.read::<f32>(current, 0)?);
                assert_eq!(predictions(&other.read::<f32>(current, 0)?), found);
                right += found.iter().zip(labels).filter(|(found, label)| found == label).count();
            }
            assert_eq!(right, 352);
            Ok(())
        })?;
        // Waited for in a stream's work and by itself, in turn.
        let stream = current.stream()?.without_allocator();
        let mut model = stream.execute(current, model)?.wait(current)?;
        model.run(current)?;
        model.into_model(current)?.unload(current)?;
        Ok(())
    });
    alone.assert_nothing_lives();
    assert_no_findings();
}

#[test]
fn the_server_answers_every_request_and_ends_in_order() {
    let run = common::example("12_server").env("ASCENDCL_LIBRARY", "sim").output().unwrap();
    let (told, said) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{said}");
    assert!(told.contains("7040 of 7200 right: 97.8 %"), "{told}");
    assert_eq!(told.lines().filter(|line| line.starts_with("worker ")).count(), 4);
}

/// No rule was broken.
#[track_caller]
fn assert_no_findings() {
    assert_eq!(control::take_findings(), []);
}
