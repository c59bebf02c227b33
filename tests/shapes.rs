//! Models with dynamic shapes: the shapes are set, memory is allocated, outputs are read and released.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::{
    BoundModel, Brand, Current, Error, Input, Model,
    allocator::PoolAllocator,
    model::{Gears, ModelSource, OutputBuffer},
};
use ascendcl_macros::proves;
use ascendcl_sim::{Plan, control};
use common::scopes::run;
use common::{
    alone, assert_lives, data, difference_of, digits, digits_compiled_for, largest, negated_image, onnx, positions,
    product,
};

fn model<C: Brand>(current: &Current<C>) -> Model<C> {
    current.load_model(data("digits.onnx")).unwrap()
}

/// How many of the first images are read right.
fn right(labels: &[usize], probabilities: &[f32]) -> usize {
    probabilities.chunks(10).zip(labels).filter(|(row, label)| largest(row) == **label).count()
}

#[proves(ALLOC_12, ALLOC_13)]
#[test]
fn batches_of_any_size_run_through_a_registered_pool_that_shows_their_blocks() {
    let alone = alone();
    let (labels, pixels) = digits();
    for room in [OutputBuffer::AtMost(3000), OutputBuffer::ByLibrary] {
        run(|current| {
            let pool = PoolAllocator::new(current, 1 << 20)?;
            let stream = current.stream()?.register(current, pool)?;
            let mut prepared = model(current).bind_with(current, &[&[300, 64]], &[room])?;
            let mut sizes = Vec::new();
            for batch in [1, 7, 300, 7] {
                prepared.reshape(current, &[&[batch, 64]])?;
                prepared.write(current, 0, &pixels[..64 * batch])?;
                prepared = stream.execute(current, prepared)?.wait(current)?;
                assert_eq!(prepared.output_shape(current, 0)?, [batch, 10]);
                let probabilities = prepared.read::<f32>(current, 0)?;
                let found = right(&labels[..batch], &probabilities);
                assert_eq!(found, [(1, 1), (7, 7), (300, 293)].iter().find(|(size, _)| *size == batch).unwrap().1);
                sizes.push(stream.pool_statistics()?);
            }
            let per_run = if room == OutputBuffer::ByLibrary { 2 } else { 1 };
            let requests: Vec<_> = sizes.iter().map(|used| used.hits + used.misses).collect();
            assert_eq!(
                requests,
                [1, 2, 3, 4].map(|runs| runs * per_run),
                "working memory, and the output if it is open"
            );
            assert_eq!(sizes[3].blocks_in_use as u64, per_run - 1, "the output that can still be read: {:?}", sizes[3]);
            assert!(
                sizes[1].peak_bytes < sizes[2].peak_bytes && sizes[3].peak_bytes == sizes[2].peak_bytes,
                "{sizes:?}"
            );

            // The registration does not end before its blocks are back.
            let (stream, pool) = match (room, stream.unregister(current)) {
                (OutputBuffer::ByLibrary, Err(failed)) => {
                    assert!(matches!(failed.error, Error::BlocksInUse { count: 1 }), "{}", failed.error);
                    prepared.into_model(current)?.unload(current)?;
                    failed.value.unregister(current)?
                }
                (_, ended) => ended?,
            };
            assert_eq!((pool.statistics().blocks_in_use, pool.statistics().bytes_in_use), (0, 0));
            pool.release(current)?;
            stream.destroy(current)?;
            Ok(())
        });
        alone.assert_nothing_lives();
    }
}

#[proves(DATA_06)]
#[test]
fn an_output_whose_size_depends_on_the_elements_is_allocated_by_the_library_and_freed() {
    let alone = alone();
    run(|current| {
        let stream = current.stream()?.without_allocator();
        let model = current.load(ModelSource::memory(&positions()).into())?;
        assert_eq!(model.outputs()[0].to_string(), "y: i64 [1, _]");
        let mut prepared = model.bind_with(current, &[&[4]], &[OutputBuffer::ByLibrary])?;
        let mut blocks = Vec::new();
        for (elements, expected) in [([0.0_f32, 5.0, 0.0, 1.0], vec![1_i64, 3]), ([1.0; 4], vec![0, 1, 2, 3])] {
            prepared.write(current, 0, &elements)?;
            prepared = stream.execute(current, prepared)?.wait(current)?;
            assert_eq!(prepared.output_shape(current, 0)?, [1, expected.len()]);
            assert_eq!(prepared.read::<i64>(current, 0)?, expected);
            blocks.push(control::live().device_blocks);
        }
        assert_eq!(blocks[0], blocks[1], "the output of one execution is freed before the next");
        prepared.into_model(current)?.unload(current)?;
        assert_lives!(device_blocks, blocks[1] - 1, "the input is left to `collect`");
        assert!(current.collect().is_empty());
        assert_lives!(device_blocks, 0);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_06)]
#[test]
fn outputs_that_the_library_allocated_go_with_a_forgotten_model() {
    let alone = alone();
    run(|current| {
        let pool = PoolAllocator::new(current, 1 << 16)?;
        let with = current.stream()?.register(current, pool)?;
        let plain = current.stream()?.without_allocator();
        let bind = || model(current).bind_with(current, &[&[3, 64]], &[OutputBuffer::ByLibrary]);
        std::mem::forget(with.execute(current, bind()?)?);
        std::mem::forget(plain.execute(current, bind()?)?.wait(current)?);
        drop(with.execute(current, bind()?)?);
        drop(plain.execute(current, bind()?)?);
        with.synchronize(current)?;
        plain.synchronize(current)?;
        assert!(current.collect().is_empty());
        assert_lives!(datasets, 4, "those of the two that were forgotten");
        assert_eq!(with.pool_statistics()?.blocks_in_use, 1);
        drop(with);
        assert!(current.collect().is_empty(), "the pool stays in place for the block that is out");
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_20)]
#[test]
fn a_model_has_its_old_shapes_when_the_choice_of_others_fails_half_way() {
    let alone = alone();
    run(|current| {
        let room = |current: &Current<_>, model: Model<_>| -> Result<BoundModel<_>, Error> {
            let mut bound = model.bind_with(current, &[&[4], &[4]], &[OutputBuffer::AtMost(4)])?;
            bound.write(current, 0, &[9.0_f32; 4])?;
            bound.write(current, 1, &[1.0_f32, 2.0, 3.0, 4.0])?;
            Ok(bound)
        };
        let image = difference_of("n");
        let mut bound = room(current, current.load(ModelSource::memory(&image).into())?)?;
        for fails in ["SetDatasetTensorDesc#1=", "SetDatasetTensorDesc#2=", "SetDatasetTensorDesc#2=after:"] {
            control::fail(format!("aclmdl{fails}507899").parse().unwrap()).unwrap();
            bound.reshape(current, &[&[2], &[2]]).unwrap_err();
            bound.run(current)?;
            assert_eq!(bound.read::<f32>(current, 0)?, [8.0, 7.0, 6.0, 5.0], "{fails}");
        }
        // They cannot be set again either.
        control::fail("aclmdlSetDatasetTensorDesc#2+=507899".parse().unwrap()).unwrap();
        bound.reshape(current, &[&[2], &[2]]).unwrap_err();
        control::fail(Plan::new()).unwrap();
        let refused = bound.run(current).unwrap_err();
        assert!(matches!(refused, Error::Gone { .. }), "{refused}");
        let mut bound = room(current, bound.into_model(current)?)?;
        bound.run(current)?;
        assert_eq!(bound.read::<f32>(current, 0)?, [8.0, 7.0, 6.0, 5.0]);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_20)]
#[test]
fn a_model_has_its_old_gear_when_the_choice_of_another_fails_and_has_its_effect() {
    let alone = alone();
    run(|current| {
        let model = current.load(ModelSource::memory(&digits_compiled_for("1,7")).into())?;
        let mut bound = model.bind_with(current, &[&[7, 64]], &[OutputBuffer::AtMost(70)])?;
        control::fail("aclmdlSetDynamicBatchSize#1=after:507899".parse().unwrap()).unwrap();
        bound.reshape(current, &[&[1, 64]]).unwrap_err();
        bound.write(current, 0, &[0.0_f32; 7 * 64])?;
        bound.run(current)?;
        assert_eq!(bound.output_shape(current, 0)?, [7, 10]);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_08)]
#[test]
fn shapes_that_do_not_fit_leave_the_prepared_model_as_it_was() {
    let alone = alone();
    run(|current| {
        let stream = current.stream()?.without_allocator();
        let mut prepared = model(current).bind_with(current, &[&[2, 64]], &[OutputBuffer::AtMost(20)])?;
        let error = prepared.reshape(current, &[&[2, 63]]).unwrap_err();
        assert_eq!(error.to_string(), "input `images` takes the shape [_, 64], but [2, 63] was given [DATA-08]");
        let error = prepared.reshape(current, &[&[3, 64]]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the memory for an input of the model is too short: it has 512 bytes, but 768 are needed [DATA-08]"
        );
        assert!(matches!(prepared.reshape(current, &[]).unwrap_err(), Error::Input(_)));
        let error = prepared.write(current, 0, &[0.0_f32; 64]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 128, found: 64, .. }), "{error}");
        prepared.reshape(current, &[&[1, 64]])?;
        prepared.write(current, 0, &[0.0_f32; 64])?;
        assert!(matches!(prepared.output_shape(current, 0).unwrap_err(), Error::NotExecuted));
        let prepared = stream.execute(current, prepared)?.wait(current)?;
        assert_eq!(prepared.read::<f32>(current, 0)?.len(), 10);
        assert!(matches!(prepared.read::<i32>(current, 0).unwrap_err(), Error::OutputType { .. }));
        assert!(matches!(prepared.output_shape(current, 1).unwrap_err(), Error::NoSuchOutput { index: 1, count: 1 }));
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_08)]
#[test]
fn too_little_room_for_an_output_is_the_librarys_error_and_not_a_write_beyond_it() {
    let alone = alone();
    run(|current| {
        let stream = current.stream()?.without_allocator();
        let mut prepared = model(current).bind_with(current, &[&[2, 64]], &[OutputBuffer::AtMost(19)])?;
        prepared.write(current, 0, &[0.0_f32; 128])?;
        let failed = stream.execute(current, prepared).unwrap_err();
        assert_eq!(failed.error.code().unwrap().name(), Some("ACL_ERROR_MODEL_OUTPUT_NOT_MATCH"));
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_20)]
#[test]
fn a_model_that_was_compiled_for_some_batch_sizes_runs_in_these() {
    let alone = alone();
    let (labels, pixels) = digits();
    let file = digits_compiled_for("1,7,300");
    run(|current| {
        let mut compiled = current.load(ModelSource::memory(&file).into())?;
        assert_eq!(compiled.gears(), Some(&Gears::Batches(vec![1, 7, 300])));
        assert_eq!(compiled.inputs().len(), 1, "the input for the choice is not the program's affair");
        assert_eq!(compiled.outputs()[0].shape, [Some(300), Some(10)], "of the largest gear");
        let outputs = compiled.run(current, &[Input::new(&[7, 64], &pixels[..448])?])?;
        assert_eq!(outputs.get(0)?.shape(), [7, 10]);
        assert_eq!(right(&labels[..7], &outputs.get(0)?.to_vec::<f32>()?), 7);
        let error = compiled.run(current, &[Input::new(&[2, 64], &pixels[..128])?]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "input `images`: the model was compiled for a batch size of [1, 7, 300], one for all, but [2, 64] was given \
             [MODEL-20]"
        );

        let stream = current.stream()?.without_allocator();
        let mut prepared = compiled.bind_with(current, &[&[300, 64]], &[OutputBuffer::AtMost(3000)])?;
        for (batch, expected) in [(300, 293), (1, 1), (7, 7)] {
            prepared.reshape(current, &[&[batch, 64]])?;
            prepared.write(current, 0, &pixels[..64 * batch])?;
            prepared = stream.execute(current, prepared)?.wait(current)?;
            assert_eq!(right(&labels[..batch], &prepared.read::<f32>(current, 0)?), expected);
        }
        let error = prepared.reshape(current, &[&[299, 64]]).unwrap_err();
        assert!(matches!(error, Error::Input(_)), "{error}");
        let failed = prepared.into_model(current)?.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap_err();
        assert!(matches!(failed.error, Error::Input(_)), "{}", failed.error);
        let failed = failed.value.bind(current, &[&[7, 64]], &[&[70]]).unwrap_err();
        assert!(failed.error.to_string().contains("[300, 10]"), "{}", failed.error);
        let mut bound = failed.value.bind(current, &[&[7, 64]], &[&[7, 10]])?;
        bound.write(current, 0, &pixels[..448])?;
        bound.run(current)?;
        assert_eq!(right(&labels[..7], &bound.read::<f32>(current, 0)?), 7);
        bound.into_model(current)?.unload(current)?;
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_20)]
#[test]
fn a_model_that_was_compiled_for_some_image_sizes_runs_in_these() {
    let alone = alone();
    let pixels: Vec<f32> = (0..16_u8).map(f32::from).collect();
    let file = negated_image("2,3;4,4");
    run(|current| {
        let mut compiled = current.load(ModelSource::memory(&file).into())?;
        assert_eq!(compiled.gears(), Some(&Gears::Images(vec![[2, 3], [4, 4]])));
        for (height, width) in [(4, 4), (2, 3), (4, 4)] {
            let shape = [1, 1, height, width];
            let outputs = compiled.run(current, &[Input::new(&shape, &pixels[..height * width])?])?;
            assert_eq!(outputs.get(0)?.shape(), shape);
            let negated: Vec<f32> = pixels[..height * width].iter().map(|pixel| -pixel).collect();
            assert_eq!(outputs.get(0)?.to_vec::<f32>()?, negated);
        }
        let error = compiled.run(current, &[Input::new(&[1, 1, 3, 2], &pixels[..6])?]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "input `x`: the model was compiled for an image size of [[2, 3], [4, 4]], one for all, but [1, 1, 3, 2] was \
             given [MODEL-20]"
        );
        let stream = current.stream()?.without_allocator();
        let mut prepared = compiled.bind_with(current, &[&[1, 1, 4, 4]], &[OutputBuffer::AtMost(16)])?;
        prepared.reshape(current, &[&[1, 1, 2, 3]])?;
        prepared.write(current, 0, &pixels[..6])?;
        prepared = stream.execute(current, prepared)?.wait(current)?;
        assert_eq!(prepared.read::<f32>(current, 0)?, [-0.0, -1.0, -2.0, -3.0, -4.0, -5.0]);
        prepared.reshape(current, &[&[1, 1, 4, 3]]).unwrap_err();
        prepared.into_model(current)?.unload(current)?;
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_20)]
#[test]
fn a_model_that_was_compiled_for_some_sizes_of_all_inputs_runs_in_these() {
    let alone = alone();
    let file = product("2,5;1,1");
    let numbers: Vec<f32> = (1..=15_u8).map(f32::from).collect();
    run(|current| {
        let mut compiled = current.load(ModelSource::memory(&file).into())?;
        assert_eq!(compiled.gears(), Some(&Gears::Dims(vec![vec![2, 3, 3, 5], vec![1, 3, 3, 1]])));
        let inputs = [Input::new(&[1, 3], &numbers[..3])?, Input::new(&[3, 1], &numbers[..3])?];
        let outputs = compiled.run(current, &inputs)?;
        assert_eq!((outputs.get(0)?.shape(), outputs.get(0)?.to_vec::<f32>()?), (&[1, 1][..], vec![14.0]));
        let inputs = [Input::new(&[2, 3], &numbers[..6])?, Input::new(&[3, 5], &numbers)?];
        let outputs = compiled.run(current, &inputs)?;
        let first: Vec<f32> =
            (0..5).map(|column| numbers[column] + 2.0 * numbers[column + 5] + 3.0 * numbers[column + 10]).collect();
        assert_eq!(outputs.get(0)?.shape(), [2, 5]);
        assert_eq!(outputs.get(0)?.to_vec::<f32>()?[..5], first);
        let inputs = [Input::new(&[1, 3], &numbers[..3])?, Input::new(&[3, 5], &numbers)?];
        let error = compiled.run(current, &inputs).unwrap_err();
        assert_eq!(
            error.to_string(),
            "input `a`: the model was compiled for the sizes of all inputs to be one of [[2, 3, 3, 5], [1, 3, 3, 1]], but \
             [1, 3, 3, 5] was given [MODEL-20]"
        );
        compiled.unload(current)?;
        Ok(())
    });
    alone.assert_nothing_lives();
}

/// A model of two inputs with a free first axis, and of one whose shape is fixed.
fn three_inputs(key: &str, sizes: &str, free: &[&str]) -> Vec<u8> {
    let fixed = ["1"; 4];
    let inputs = [onnx::input("a", onnx::FLOAT, free), onnx::input("b", onnx::FLOAT, free)].concat();
    let sum = [onnx::node("Add", &["a", "b"], "sum"), onnx::node("Add", &["sum", "c"], "y")].concat();
    let inputs = [inputs, onnx::input("c", onnx::FLOAT, &fixed[..free.len()])].concat();
    [onnx::model(&[sum, inputs, onnx::output("y", onnx::FLOAT, free)]), onnx::metadata(key, sizes)].concat()
}

/// The library gets one size for all inputs. An input of another size would be shorter than the library reads.
#[proves(MODEL_20)]
#[test]
fn inputs_of_different_sizes_are_refused_where_the_model_takes_one_size_for_all() {
    let alone = alone();
    let numbers = [1.0_f32; 64];
    let batch = three_inputs("ascendcl.dynamic_batch", "1,4", &["n", "2"]);
    let image = three_inputs("ascendcl.dynamic_image_size", "1,2;4,4", &["1", "1", "h", "w"]);
    let (few, many): (&[usize], &[usize]) = (&[1, 2], &[4, 2]);
    let (small, large): (&[usize], &[usize]) = (&[1, 1, 1, 2], &[1, 1, 4, 4]);
    run(|current| {
        for (file, one, other) in [(&batch, few, many), (&image, small, large)] {
            let mut model = current.load(ModelSource::memory(file).into())?;
            let input = |shape: &[usize]| Input::new(shape, &numbers[..shape.iter().product()]);
            let fixed = vec![1; one.len()];
            for (a, b) in [(one, other), (other, one)] {
                let refused = model.run(current, &[input(a)?, input(b)?, input(&fixed)?]).unwrap_err();
                assert!(matches!(refused, Error::Input(_)), "{refused}");
                assert!(refused.to_string().contains("input `b`"), "{refused}");
            }
            for size in [one, other] {
                let outputs = model.run(current, &[input(size)?, input(size)?, input(&fixed)?])?;
                assert_eq!(outputs.get(0)?.to_vec::<f32>()?, vec![3.0; size.iter().product()]);
            }
            model.unload(current)?;
        }
        Ok(())
    });
    alone.assert_nothing_lives();
}
