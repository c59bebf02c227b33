//! Code of the program that this crate calls, and that uses the crate itself: conversions, ranges and errors. Texts and lanes
//! that do not fit.

use super::common::{alone, data, library};
use super::{collect, inside, model};
use ascendcl::capture::{CaptureMode, GraphDetail};
use ascendcl::error::{Extension, ExtensionError};
use ascendcl::model::{IndexOrName, ModelSource};
use ascendcl::operator::{Attribute, Operator};
use ascendcl::runtime::{self, Actor};
use ascendcl::{Error, Input, OrDrop, Runtime, Setup, SharedBuffer};
use ascendcl_macros::proves;
use std::cell::Cell;
use std::fmt;
use std::ops::{Bound, RangeBounds};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicUsize, Ordering};

ascendcl::names!(Worker, Another, Lane);

#[track_caller]
fn swept() {
    let errors: Vec<_> = runtime::sweep(None).iter().map(Error::to_string).collect();
    assert_eq!(errors, [""; 0]);
}

/// The conversion reads the output that it is to name.
#[test]
fn a_name_of_a_port_is_made_while_its_model_is_read() {
    struct Reads<'a, F: Fn()>(&'a F);

    impl<F: Fn()> From<Reads<'_, F>> for IndexOrName<'static> {
        fn from(reads: Reads<'_, F>) -> Self {
            (reads.0)();
            IndexOrName::Index(0)
        }
    }

    let alone = alone();
    inside(|current| {
        let mut model = model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        model.write(current, Reads(&|| collect(current)), &[0.5_f32; 64]).unwrap();
        stream.run_bound(current, &mut model).unwrap();
        let scores = model.read::<f32>(current, 0).unwrap();
        let nested = || assert_eq!(model.read::<f32>(current, Reads(&|| collect(current))).unwrap(), scores);
        assert_eq!(model.read::<f32>(current, Reads(&nested)).unwrap(), scores);
        assert_eq!(model.output_shape(current, Reads(&nested)).unwrap(), [1, 10]);
        // A conversion that panics changes nothing.
        let panics = || panic_any("the conversion");
        assert!(catch_unwind(AssertUnwindSafe(|| model.read::<f32>(current, Reads(&panics)))).is_err());
        let room = || current.device_buffer::<f32>(10).unwrap();
        let exchange = AssertUnwindSafe(|| model.replace_output(current, Reads(&panics), room()).or_drop().map(drop));
        assert!(catch_unwind(exchange).is_err());
        assert_eq!(model.read::<f32>(current, 0).unwrap(), scores);
        model.replace_output(current, Reads(&|| collect(current)), room()).unwrap();
        assert!(matches!(model.read::<f32>(current, 0), Err(Error::NotExecuted)));
        // A copy names the input while it has the model and the memory. The conversion queues work, waits and makes objects.
        let works = || {
            drop(stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap());
            stream.synchronize(current).unwrap();
            collect(current);
        };
        let image = || current.pageable_buffer(vec![0.5_f32; 64]);
        let (_, model) = stream.copy_to_input(current, image(), model, Reads(&works)).unwrap().split();
        let executed = stream.execute(current, model).unwrap();
        let copied = stream.copy_from_output(current, executed, Reads(&works), current.pageable_buffer(vec![0.0; 10]));
        let (model, read) = copied.unwrap().wait(current).unwrap();
        assert_eq!(read.slice(current).unwrap(), scores);
        let copy = AssertUnwindSafe(|| drop(stream.copy_to_input(current, image(), model, Reads(&panics))));
        assert!(catch_unwind(copy).is_err());
        collect(current);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_setup_is_made_by_code_that_opens_and_closes_runtimes() {
    struct Opens;

    impl From<Opens> for Setup {
        fn from(_: Opens) -> Self {
            let runtime = Runtime::<Another>::open(library()).unwrap();
            let length = ascendcl::run(library(), |current| Ok::<_, Error>(current.upload(&[1_u8; 6])?.len()));
            assert_eq!(length.unwrap(), 6);
            runtime.close().unwrap();
            drop(Runtime::<Another>::open(library()).unwrap());
            Setup::builder().library(library()).build()
        }
    }

    let alone = alone();
    let runtime = Runtime::<Worker>::open(Opens).unwrap();
    let actor = Actor::<Worker, ()>::open(Opens, |_| Ok(())).unwrap();
    let in_a_runtime = runtime.with(|_| catch_unwind(|| Runtime::<Worker>::open(Opens)));
    assert!(in_a_runtime.unwrap().is_err(), "the conversion unwraps that the thread is inside");
    ascendcl::run(Opens, |current| current.upload(&[1_u8]).map(drop)).unwrap();
    actor.close().unwrap();
    runtime.close().unwrap();
    drop(runtime);
    swept();
    alone.assert_nothing_lives();
}

/// A range that says something else each time: only what it says first counts.
#[test]
fn a_range_that_changes_gives_a_part_of_the_memory_or_none() {
    struct Changes {
        asked: Cell<usize>,
        bounds: [Bound<usize>; 4],
    }

    impl RangeBounds<usize> for Changes {
        fn start_bound(&self) -> Bound<&usize> {
            self.asked.set(self.asked.get() + 1);
            self.bounds[self.asked.get() % 4].as_ref()
        }

        fn end_bound(&self) -> Bound<&usize> {
            self.start_bound()
        }
    }

    let alone = alone();
    inside(|current| {
        let numbers: Vec<u32> = (0..64).collect();
        let whole: SharedBuffer<_, u32> = current.upload(&numbers).unwrap().into_shared();
        let ends = [0, 1, 63, 64, 65, usize::MAX - 1, usize::MAX];
        let bounds = |end: usize| [Bound::Included(end), Bound::Excluded(end), Bound::Unbounded];
        let all: Vec<_> = ends.into_iter().flat_map(bounds).collect();
        for (number, first) in all.iter().enumerate() {
            for second in &all {
                let bounds = [*first, *second, all[number / 2], Bound::Included(usize::MAX)];
                for asked in 0..4 {
                    let Ok(part) = whole.slice(Changes { asked: Cell::new(asked), bounds }) else { continue };
                    let read = part.to_vec(current).unwrap();
                    assert!(read.is_empty() || numbers.windows(read.len()).any(|part| part == read), "{read:?}");
                }
            }
        }
    });
    alone.assert_nothing_lives();
}

/// Texts that C cannot take are refused before the library gets anything, and the tensors come back.
#[test]
fn texts_that_the_library_cannot_take_give_the_tensors_back() {
    let alone = alone();
    inside(|current| {
        let mut input = current.upload_tensor(&[2], &[-1.0_f32, 2.0]).unwrap();
        let nul = |operator: Operator| (operator, true);
        let refused = |operator: Operator| (operator, false);
        let relu = || Operator::new("Relu");
        let texts = vec!["fine".to_owned(), "\0".to_owned()];
        let lists: Attribute = vec![Vec::<i64>::new(), vec![i64::MIN]].into();
        let operators = [
            nul(Operator::new("Relu\0")),
            nul(relu().with("\0", 1_i64)),
            nul(relu().with("a", "\0")),
            nul(relu().with("a", texts)),
            refused(Operator::new("")),
            refused(Operator::new("R".repeat(1 << 20))),
            refused(relu().with("", f32::NAN)),
            refused(relu().with("a", lists).with("a", Vec::<bool>::new())),
        ];
        for (operator, is_nul) in operators {
            let failed = operator.bind(current, input, current.tensor::<f32>(&[2]).unwrap()).unwrap_err();
            assert_eq!(matches!(failed.error, Error::NulInText { .. }), is_nul, "{:.200}", failed.error.to_string());
            input = failed.value.0;
        }
        let operator = relu().bind(current, input, current.tensor::<f32>(&[2]).unwrap()).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        let (_, output) =
            stream.launch(current, operator).unwrap().wait(current).unwrap().into_tensors(current).unwrap();
        assert_eq!(output.to_vec(current).unwrap(), [0.0, 2.0]);
        for path in ["a\0b", "", ".", "/dev/null"] {
            let error = current.load_model(path).unwrap_err();
            assert_eq!(matches!(error, Error::NulInPath { .. }), path.contains('\0'), "{error}");
        }
        let image: &[u8] = &[];
        assert!(current.load(ModelSource::memory(image).into()).is_err());
        let mut stream = stream;
        let buffer = current.upload(&[0_u8; 4]).unwrap();
        let graph = stream
            .capture(current, CaptureMode::Relaxed, buffer, |capture, mut buffer| capture.set_bytes(&mut buffer, 1));
        let graph = graph.unwrap();
        assert!(matches!(graph.set_name(current, "\0"), Err(Error::NulInText { .. })));
        assert!(matches!(graph.debug_json(current, "\0", GraphDetail::Verbose), Err(Error::NulInPath { .. })));
        drop(graph);
    });
    alone.assert_nothing_lives();
}

/// The words and the rules of an error of the program are code of the program.
#[test]
fn an_error_of_the_program_sweeps_and_opens_runtimes_while_it_is_printed() {
    static PRINTED: AtomicUsize = AtomicUsize::new(0);

    #[derive(Debug)]
    struct Opens;

    impl fmt::Display for Opens {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            PRINTED.fetch_add(1, Ordering::Relaxed);
            // Inside of a context both are refused, and outside they work.
            let opened = Runtime::<Another>::open(library()).map(|runtime| runtime.close().is_ok());
            let swept = runtime::sweep(None);
            write!(f, "opened: {}, swept: {}", opened.is_ok_and(|closed| closed), swept.is_empty())
        }
    }

    impl std::error::Error for Opens {}

    impl ExtensionError for Opens {
        fn rules(&self) -> &'static [ascendcl::RuleId] {
            drop(runtime::sweep(None));
            &[]
        }
    }

    let alone = alone();
    let failed = Runtime::<Worker>::open_with(library(), |current| {
        let stream = current.stream()?;
        stream.set_bytes(current, current.device_buffer::<u8>(4)?, 1)?.wait(current)?;
        Err::<(), _>(Extension::of(Opens).into())
    });
    let error = failed.err().unwrap();
    assert_eq!(error.to_string(), "opened: true, swept: true");
    assert!(error.rules().is_empty());
    inside(|current| {
        assert_eq!(error.to_string(), "opened: false, swept: false");
        let mut stream = current.stream().unwrap().without_allocator();
        let operands = current.upload(&[0_u8; 4]).unwrap();
        let failed = stream.capture(current, CaptureMode::Relaxed, operands, |capture, mut buffer| {
            capture.set_bytes(&mut buffer, 1)?;
            Err(Extension::of(Opens).into())
        });
        assert_eq!(failed.unwrap_err().value.to_vec(current).unwrap(), [0; 4]);
        let mut build = current.build_graph(current.upload(&[0_u8; 4]).unwrap()).unwrap();
        let added = build.add(current, |tasks, mut buffer| {
            tasks.set_bytes(&mut buffer, 1)?;
            Err(Extension::of(Opens).into())
        });
        assert!(added.is_err());
        assert!(matches!(build.end(current).unwrap_err().error, Error::CaptureBroken { .. }));
    });
    assert!(PRINTED.load(Ordering::Relaxed) >= 3);
    alone.assert_nothing_lives();
}

/// Lanes of two runtimes with one name: the stream of one, and the workspace of the other.
#[proves(MODEL_04, STREAM_09, MEM_11)]
#[test]
fn a_lane_made_of_two_runtimes_loads_nothing_and_runs_nothing() {
    #[track_caller]
    fn is_refused<T>(told: Result<T, Error>) {
        let Err(error) = told else { panic!("two contexts were mixed") };
        assert!(matches!(error, Error::WrongContext { .. }), "{error}");
    }

    let alone = alone();
    let [one, other] = [(); 2].map(|()| Runtime::<Worker>::open(library()).unwrap());
    let file = data("digits-8.onnx");
    let source = ModelSource::file(&file);
    let pixels = [0.5_f32; 8 * 64];
    let image = || [Input::new(&[8, 64], &pixels).unwrap()];
    let stream = |of: &Runtime<Worker>| of.with(|current| current.stream().unwrap().without_allocator()).unwrap();
    let workspace = |of: &Runtime<Worker>| {
        let bytes = |current: &ascendcl::Current<Worker>| 2 * current.model_size(source).unwrap().workspace;
        of.with(|current| current.workspace(bytes(current)).unwrap()).unwrap()
    };
    let (mixed_stream, mixed_workspace) = (stream(&one), workspace(&other));
    let mut mixed =
        one.with(|current| current.stored_workspace_lane::<Lane, _>(mixed_stream, mixed_workspace)).unwrap();
    for runtime in [&one, &other] {
        runtime.with(|current| is_refused(mixed.load(current, source.into()))).unwrap();
    }
    let theirs = workspace(&other);
    let mutex = one.with(|current| current.stored_workspace_mutex::<Lane>(theirs)).unwrap();
    one.with(|current| is_refused(mutex.load(current, source.into()))).unwrap();
    let mut model = other.with(|current| mutex.load(current, source.into()).unwrap()).unwrap();
    one.with(|current| is_refused(mutex.run(current, &mut model, &image()))).unwrap();
    other
        .with(|current| {
            assert!(matches!(mixed.run(current, &mut model, &image()), Err(Error::OtherWorkspace)));
            assert!(mutex.run(current, &mut model, &image()).is_ok());
            model.unload(current).unwrap();
        })
        .unwrap();
    drop((mixed, mutex));
    one.close().unwrap();
    other.close().unwrap();
    drop((one, other));
    alone.assert_nothing_lives();
}
