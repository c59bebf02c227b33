//! Memory of the program that replaces a bound model's own memory, and attacks on it.

use super::{assert_no_findings, inside, strict};
use crate::common::{alone, assert_lives, difference, library, positions};
use crate::null::{WORK_FAILED, books, in_books};
use ascendcl::model::{ModelSource, OutputBuffer};
use ascendcl::{BoundModel, Current, Error, Name, Runtime, error::ObjectKind};
use ascendcl_macros::proves;
use ascendcl_sim::{Plan, control};
use std::mem;

ascendcl::names!(Vision);

/// A model that subtracts four numbers from four, with its buffers.
fn subtracts<C: ascendcl::Brand>(current: &Current<C>) -> Result<BoundModel<C>, Error> {
    let model = current.load(ModelSource::memory(&difference()).into())?;
    Ok(model.bind(current, &[&[4], &[4]], &[&[4]])?)
}

#[proves(DATA_02)]
#[test]
fn what_one_model_computed_is_the_input_of_another_without_a_copy() {
    let alone = alone();
    for on_device in [false, true] {
        strict(on_device);
        inside(|current| {
            let (mut first, mut second) = (subtracts(current)?, subtracts(current)?);
            for (input, numbers) in [(0, [9.0_f32; 4]), (1, [2.0; 4])] {
                drop(first.exchange_input(current, input, current.upload(&numbers)?)?);
            }
            second.write(current, "subtrahend", &[1.0_f32; 4])?;
            let mut room = current.device_buffer::<f32>(4)?;
            let before = control::live().device_blocks;
            for _ in 0..3 {
                first.run(current)?;
                let computed = first.exchange_output(current, "difference", room)?;
                room = second.exchange_input(current, "minuend", computed)?;
                second.run(current)?;
                assert_eq!(second.read::<f32>(current, 0)?, [6.0; 4]);
            }
            assert!(current.collect().is_empty());
            // The two buffers that were the first model's inputs are freed; nothing else was made.
            assert_lives!(device_blocks, before - 2);
            Ok(())
        });
        alone.assert_nothing_lives();
        assert_no_findings();
    }
}

#[test]
fn an_output_that_was_taken_is_read_when_the_model_has_run_again() {
    let _alone = alone();
    strict(false);
    inside(|current| {
        let mut model = subtracts(current)?;
        let stream = current.stream()?.without_allocator();
        let refused = model.exchange_output(current, 0, current.device_buffer::<f32>(4)?).unwrap_err();
        assert!(matches!(refused.error, Error::NotExecuted), "{refused}");
        let room = model.replace_output(current, 0, refused.value)?;
        model.write(current, 0, &[5.0_f32; 4])?;
        model.write(current, 1, &[3.0_f32; 4])?;
        let mut model = stream.execute(current, model)?.wait(current)?;
        let taken = model.exchange_output(current, 0, room)?;
        assert!(matches!(model.read::<f32>(current, 0), Err(Error::NotExecuted)));
        let again = model.exchange_output(current, 0, current.device_buffer::<f32>(4)?).unwrap_err();
        assert!(matches!(again.error, Error::NotExecuted), "{again}");
        model.write(current, 1, &[4.0_f32; 4])?;
        let model = stream.execute(current, model)?.wait(current)?;
        assert_eq!((taken.to_vec(current)?, model.read::<f32>(current, 0)?), (vec![2.0; 4], vec![1.0; 4]));
        Ok(())
    });
}

#[test]
fn a_buffer_that_does_not_fit_is_given_back() {
    let _alone = alone();
    strict(false);
    inside(|current| {
        let mut model = subtracts(current)?;
        let short = model.exchange_input(current, 0, current.upload(&[0.0_f32; 3])?).unwrap_err();
        assert!(matches!(short.error, Error::LengthMismatch { expected: 4, found: 3, .. }), "{short}");
        let whole = model.exchange_input(current, 0, current.upload(&[0_i32; 4])?).unwrap_err();
        assert!(matches!(whole.error, Error::Input(_)), "{whole}");
        let third = model.exchange_input(current, 2, short.value).unwrap_err();
        assert!(matches!(third.error, Error::NoSuchInput { index: 2, count: 2 }), "{third}");
        let room = model.exchange_output(current, "sum", current.device_buffer::<f32>(4)?).unwrap_err();
        assert!(matches!(room.error, Error::NoOutputNamed { .. }), "{room}");
        assert_eq!((third.value.len(), whole.value.to_vec(current)?), (3, vec![0; 4]));

        // The library allocates this one.
        let model = current.load(ModelSource::memory(&positions()).into())?;
        let mut open = model.bind_with(current, &[&[4]], &[OutputBuffer::ByLibrary])?;
        let room = open.replace_output(current, 0, current.device_buffer::<i64>(4)?).unwrap_err();
        assert!(matches!(room.error, Error::OutputNotAllocated { .. }), "{room}");
        Ok(())
    });
}

/// A failed call may have had its effect.
#[test]
fn a_refused_exchange_leaves_the_model_with_the_memory_that_the_library_uses() {
    let alone = alone();
    strict(false);
    for (plan, exchanged) in [("aclUpdateDataBuffer#1=507899", false), ("aclUpdateDataBuffer#1=after:507899", true)] {
        inside(|current| {
            let mut model = subtracts(current)?;
            model.write(current, 0, &[5.0_f32; 4])?;
            model.write(current, 1, &[3.0_f32; 4])?;
            let buffer = current.upload(&[7.0_f32; 4])?;
            control::fail(plan.parse().unwrap()).unwrap();
            let answer = model.exchange_input(current, 0, buffer);
            control::fail(Plan::new()).unwrap();
            assert_eq!(answer.is_ok(), exchanged, "{plan}");
            // Whatever came back is the program's: writing to it does not reach the model.
            match answer {
                Ok(old) => drop(old.write(current, &[0.0; 4])?),
                Err(mut refused) => refused.value.copy_from(current, &[0.0; 4])?,
            }
            assert!(current.collect().is_empty());
            model.run(current)?;
            let expected = if exchanged { 4.0 } else { 2.0 };
            assert_eq!(model.read::<f32>(current, 0)?, [expected; 4], "{plan}");
            Ok(())
        });
        alone.assert_nothing_lives();
        assert_no_findings();
    }
}

/// The library neither says that it made the exchange, nor what it uses now, nor takes it back.
#[proves(DATA_02)]
#[test]
fn a_model_whose_memory_nobody_knows_is_executed_no_more() {
    let books = books();
    books.have_an_output();
    for size_alone in [false, true] {
        in_books(&books, |current| {
            let model = current.load(ModelSource::memory(&[1, 2, 3]).into()).unwrap();
            let mut model = model.bind_with(current, &[], &[OutputBuffer::AtMost(4)]).unwrap();
            model.run(current).unwrap();
            books.tear_updates(2, size_alone);
            let refused = model.replace_output(current, 0, current.device_buffer::<f32>(4).unwrap()).unwrap_err();
            assert!(matches!(refused.error, Error::Vendor(_)), "{refused}");
            let error = model.run(current).unwrap_err();
            assert!(matches!(error, Error::Gone { what } if what == ObjectKind::MODEL_TENSORS), "{error}");
            refused.value.free(current).unwrap();
            drop(model.into_model(current).unwrap().unload(current));
        });
    }
}

/// The library takes the exchange back, whatever it has made of it.
#[proves(DATA_02)]
#[test]
fn a_model_whose_exchange_was_taken_back_runs_on_its_own_memory() {
    let books = books();
    books.have_an_output();
    for size_alone in [false, true] {
        in_books(&books, |current| {
            let model = current.load(ModelSource::memory(&[1, 2, 3]).into()).unwrap();
            let mut model = model.bind_with(current, &[], &[OutputBuffer::AtMost(4)]).unwrap();
            books.tear_updates(1, size_alone);
            let refused = model.replace_output(current, 0, current.device_buffer::<f32>(4).unwrap()).unwrap_err();
            assert!(matches!(refused.error, Error::Vendor(_)), "{refused}");
            refused.value.free(current).unwrap();
            model.run(current).unwrap();
            let old = model.replace_output(current, 0, current.device_buffer::<f32>(4).unwrap()).unwrap();
            old.free(current).unwrap();
            model.run(current).unwrap();
            drop(model.into_model(current).unwrap().unload(current));
        });
    }
}

/// The library says that it refused the exchange, and what it uses. So it is not asked to take anything back, which could fail.
#[proves(DATA_02)]
#[test]
fn an_exchange_that_the_library_refused_is_not_taken_back() {
    let books = books();
    books.have_an_output();
    in_books(&books, |current| {
        let model = current.load(ModelSource::memory(&[1, 2, 3]).into()).unwrap();
        let mut model = model.bind_with(current, &[], &[OutputBuffer::AtMost(4)]).unwrap();
        books.refuse_updates(1);
        books.tear_updates(1, false);
        let refused = model.replace_output(current, 0, current.device_buffer::<f32>(4).unwrap()).unwrap_err();
        assert!(matches!(refused.error, Error::Vendor(_)), "{refused}");
        model.run(current).unwrap();
        books.tear_updates(0, false);
        let old = model.replace_output(current, 0, refused.value).unwrap();
        old.free(current).unwrap();
        model.run(current).unwrap();
        drop(model.into_model(current).unwrap().unload(current));
    });
}

/// The execution failed, and so did the wait for it: the device may be working on the model still.
#[proves(DATA_10)]
#[test]
fn a_model_that_may_be_running_keeps_its_memory() {
    let books = books();
    books.have_an_output();
    in_books(&books, |current| {
        let stream = current.stream().unwrap().without_allocator();
        let model = current.load(ModelSource::memory(&[1, 2, 3]).into()).unwrap();
        let model = model.bind_with(current, &[], &[OutputBuffer::AtMost(4)]).unwrap();
        books.refuse("aclmdlExecuteAsync", WORK_FAILED, 1);
        books.refuse_to_synchronize(WORK_FAILED);
        let mut model = stream.execute(current, model).unwrap_err().value;
        let room = current.device_buffer::<f32>(4).unwrap();
        let refused = model.replace_output(current, 0, room).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { .. }), "{refused}");
        books.synchronize_again();
        stream.synchronize(current).unwrap();
        drop(model.replace_output(current, 0, refused.value).unwrap());
    });
}

/// The model is forgotten, the memory that it gave is freed, and the scope ends.
#[test]
fn a_forgotten_model_keeps_what_was_put_there_and_not_what_it_gave() {
    let alone = alone();
    strict(false);
    inside(|current| {
        let mut model = subtracts(current)?;
        let old = model.exchange_input(current, 0, current.upload(&[1.0_f32; 4])?)?;
        let stream = current.stream()?.without_allocator();
        mem::forget(stream.execute(current, model)?);
        old.free(current)?;
        assert!(current.collect().is_empty());
        Ok(())
    });
    alone.assert_nothing_lives();
    assert_no_findings();
}

/// Two runtimes may have one name; memory of one cannot be used for a model of the other.
#[test]
fn memory_of_another_context_of_the_same_name_is_refused() {
    fn runtime<N: Name>() -> Runtime<N> {
        Runtime::open(library()).unwrap()
    }
    let alone = alone();
    strict(false);
    let (one, other) = (runtime::<Vision>(), runtime::<Vision>());
    let mut model = one.with(|current| subtracts(current).unwrap()).unwrap();
    let buffer = other.with(|current| current.upload(&[1.0_f32; 4]).unwrap()).unwrap();
    let refused = one.with(|current| model.exchange_input(current, 0, buffer).unwrap_err()).unwrap();
    assert!(matches!(refused.error, Error::WrongContext { .. }), "{refused}");
    let refused = other.with(|current| model.exchange_input(current, 0, refused.value).unwrap_err()).unwrap();
    assert!(matches!(refused.error, Error::WrongContext { .. }), "{refused}");
    drop((model, refused));
    one.close().unwrap();
    other.close().unwrap();
    alone.assert_nothing_lives();
}

/// Threads of one context exchange memory at once, forget what they get, and leave by a panic.
#[test]
fn threads_that_exchange_memory_and_leave_by_a_panic_disturb_nobody() {
    let alone = alone();
    strict(false);
    let runtime: Runtime<Vision> = Runtime::open(library()).unwrap();
    std::thread::scope(|scope| {
        let runtime = &runtime;
        let exchange = |number: u8| {
            runtime.with(|current| {
                let mut model = subtracts(current).unwrap();
                model.write(current, 1, &[1.0_f32; 4]).unwrap();
                for round in 0..20_u8 {
                    let given = f32::from(number * 20 + round);
                    let old = model.exchange_input(current, 0, current.upload(&[given; 4]).unwrap()).unwrap();
                    if round % 3 == 0 {
                        mem::forget(old)
                    } else {
                        old.free(current).unwrap()
                    }
                    model.run(current).unwrap();
                    assert_eq!(model.read::<f32>(current, 0).unwrap(), [given - 1.0; 4]);
                }
                assert!(number != 3, "as wanted");
            })
        };
        let threads = [0, 1, 2, 3].map(|number| scope.spawn(move || exchange(number)));
        assert_eq!(threads.map(|thread| thread.join().is_err()), [false, false, false, true]);
    });
    runtime.close().unwrap();
    alone.assert_nothing_lives();
    assert_no_findings();
}

/// Two models change their handles; memory goes with the value that it was given to.
#[test]
fn models_that_change_places_keep_their_memory() {
    let alone = alone();
    strict(false);
    inside(|current| {
        let (mut first, mut second) = (subtracts(current)?, subtracts(current)?);
        for model in [&mut first, &mut second] {
            model.write(current, 1, &[1.0_f32; 4])?;
        }
        let old = first.exchange_input(current, 0, current.upload(&[5.0_f32; 4])?)?;
        mem::swap(&mut first, &mut second);
        drop(first.exchange_input(current, 0, old.write(current, &[9.0; 4])?)?);
        assert!(current.collect().is_empty());
        for (model, expected) in [(&mut first, 8.0), (&mut second, 4.0)] {
            model.run(current)?;
            assert_eq!(model.read::<f32>(current, 0)?, [expected; 4]);
        }
        Ok(())
    });
    alone.assert_nothing_lives();
    assert_no_findings();
}
