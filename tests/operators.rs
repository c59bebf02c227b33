//! Single operators on the simulator: results, refusals, memory in flight.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::operator::{self, Absent, Attribute, Operator};
use ascendcl::{
    Current, ElementType, Error, Failed, Scoped, allocator::PoolAllocator, error::CodeKind, operator::DeviceTensor,
};
use ascendcl_macros::proves;
use ascendcl_sim::{Plan, control};
use common::{alone, scopes};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `program` in a context of the simulator, and gives everything back afterwards.
fn inside<R>(program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> R) -> R {
    let alone = alone();
    let result = scopes::inside(program);
    alone.assert_nothing_lives();
    result
}

/// Launches a bound operator on a stream of its own and gives its output.
macro_rules! output {
    ($current:expr, $operator:expr) => {{
        let stream = $current.stream().unwrap().without_allocator();
        let done = stream.launch($current, $operator.unwrap()).unwrap().wait($current).unwrap();
        let (_inputs, output) = done.into_tensors($current).unwrap();
        (output.shape().to_vec(), output.to_vec($current).unwrap())
    }};
}

#[proves(OP_02)]
#[test]
fn operators_on_two_tensors_broadcast_and_keep_their_type() {
    inside(|current| {
        let tensor = |shape: &[usize], elements: &[i32]| current.upload_tensor(shape, elements).unwrap();
        let (column, row) = (|| tensor(&[2, 1], &[10, 20]), || tensor(&[3], &[1, 2, 3]));
        let sum = output!(current, operator::add(current, column(), row()));
        assert_eq!(sum, (vec![2, 3], vec![11, 12, 13, 21, 22, 23]));
        let difference = output!(current, operator::sub(current, column(), row()));
        assert_eq!(difference, (vec![2, 3], vec![9, 8, 7, 19, 18, 17]));
        let product = output!(current, operator::mul(current, column(), row()));
        assert_eq!(product, (vec![2, 3], vec![10, 20, 30, 20, 40, 60]));
    });
}

#[test]
fn a_matrix_product_a_cast_and_a_softmax_give_what_they_should() {
    inside(|current| {
        let x = current.upload_tensor(&[2, 3], &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let y = current.upload_tensor(&[3, 1], &[1.0_f32, 0.0, -1.0]).unwrap();
        assert_eq!(output!(current, operator::mat_mul(current, x, y)), (vec![2, 1], vec![-2.0, -2.0]));

        let x = current.upload_tensor(&[3], &[1.75_f32, -2.0, 3.0]).unwrap();
        assert_eq!(output!(current, operator::cast::<i32, _, _>(current, x)), (vec![3], vec![1, -2, 3]));

        let x = current.upload_tensor(&[2, 2], &[0.0_f32, 0.0, 0.0, 3.0_f32.ln()]).unwrap();
        let (shape, shares) = output!(current, operator::softmax(current, x, 1));
        assert_eq!(shape, [2, 2]);
        for (share, expected) in shares.iter().zip([0.5_f32, 0.5, 0.25, 0.75]) {
            assert!((share - expected).abs() < 1e-6, "{shares:?}");
        }
        let x = current.upload_tensor(&[4], &[-1_i32, 0, 1, i32::MIN]).unwrap();
        assert_eq!(output!(current, operator::relu(current, x)), (vec![4], vec![0, 0, 1, 0]));
    });
}

#[test]
fn shapes_that_do_not_fit_are_told_before_the_library_is_called() {
    inside(|current| {
        let tensor = |shape: &[usize]| current.upload_tensor(shape, &vec![1.0_f32; shape.iter().product()]).unwrap();
        let failed = operator::mat_mul(current, tensor(&[2, 3]), tensor(&[2, 3])).unwrap_err();
        assert_eq!(failed.error.to_string(), "MatMul takes the shapes [m, k] and [k, n]; [2, 3] and [2, 3] were given");
        let (x, y) = failed.value;
        assert_eq!((x.shape(), y.to_vec(current).unwrap().len()), ([2, 3].as_slice(), 6), "given back as they were");

        let failed = operator::add(current, x, tensor(&[2])).unwrap_err();
        assert_eq!(
            failed.error.to_string(),
            "Add takes shapes in which each pair of sizes, counted from the last, is equal or has a 1; [2, 3] and [2] \
             were given"
        );
        let failed = operator::softmax(current, y, 2).unwrap_err();
        assert!(matches!(&failed.error, Error::OperatorShapes(shapes) if shapes.operator == "SoftmaxV2"));

        let failed = current.upload(&[1.0_f32; 6]).unwrap().into_tensor(&[2, 2]).unwrap_err();
        assert_eq!(failed.error.to_string(), "the shape [2, 2] has 4 elements, but the data has 6 [DATA-08]");
        assert_eq!(failed.value.into_tensor(&[3, 2]).unwrap().shape(), [3, 2]);
        let wrong = current.upload_tensor(&[usize::MAX, 2], &[1_u8]).unwrap_err();
        assert!(matches!(wrong, Error::Input(_)), "{wrong}");
    });
}

#[proves(OP_02)]
#[test]
fn outputs_come_in_tuples_arrays_and_vectors_as_inputs_do() {
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let sum = Operator::new("Add");
        let x = |number: i32| current.upload_tensor(&[2], &[number, 10]).unwrap();
        let y = || current.tensor::<i32>(&[2]).unwrap();
        let in_tuple = sum.bind(current, (x(1), x(2)), (y(),)).unwrap();
        let ((one, _), (y1,)) =
            stream.launch(current, in_tuple).unwrap().wait(current).unwrap().into_tensors(current).unwrap();
        let in_array = sum.bind(current, [x(3), x(4)], [y()]).unwrap();
        let (three, [y2]) =
            stream.launch(current, in_array).unwrap().wait(current).unwrap().into_tensors(current).unwrap();
        let in_vector = sum.bind(current, vec![x(5), x(6)], vec![y()]).unwrap();
        // In flight, too.
        let (five, y3) = stream.launch(current, in_vector).unwrap().split();
        let y3 = y3.wait(current).unwrap();
        drop(five);
        let read = |tensor: &DeviceTensor<_, i32>| tensor.to_vec(current).unwrap();
        assert_eq!((read(&y1), read(&y2), read(&y3[0])), (vec![3, 20], vec![7, 20], vec![11, 20]));
        assert_eq!((read(&one), read(&three[1])), (vec![1, 10], vec![4, 10]));
    });
}

#[proves(OP_09)]
#[test]
fn what_the_library_refuses_comes_back_with_its_tensors() {
    inside(|current| {
        let x = current.upload_tensor(&[2], &[1.0_f32, 2.0]).unwrap();
        let y = current.tensor::<f32>(&[2]).unwrap();
        let failed = Operator::new("Frobnicate").bind(current, x, y).unwrap_err();
        let code = failed.error.code().unwrap();
        // The compiler has one code for whatever it refuses.
        let refused = Some("ACL_ERROR_GE_FAILURE");
        assert_eq!((code.name(), code.kind()), (refused, CodeKind::Internal));
        let (x, y) = failed.value;
        let failed = Operator::new("Relu").with("slope", 0.5).bind(current, x, y).unwrap_err();
        assert_eq!(failed.error.code().unwrap().name(), refused);
        let (x, y) = failed.value;
        let failed = Operator::new("Re\0lu").bind(current, x, y).unwrap_err();
        assert!(matches!(failed.error, Error::NulInText { .. }));
        let (x, y) = failed.value;
        let failed = Operator::new("Relu").bind(current, (x, Absent), y).unwrap_err();
        assert_eq!(failed.error.code().unwrap().name(), refused);
        let ((x, Absent), y) = failed.value;
        let relu = Operator::new("Relu").bind(current, x, y).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        assert_eq!(stream.launch(current, relu).unwrap().wait(current).unwrap().tensors().1.shape(), [2]);
    });
}

#[test]
fn an_operator_that_was_not_compiled_or_loaded_is_not_found_at_its_launch() {
    inside(|current| {
        let (x, y) = (current.upload_tensor(&[7], &[1.0_f32; 7]).unwrap(), current.tensor::<f32>(&[7]).unwrap());
        let relu = Operator::new("Relu").precompiled().bind(current, x, y).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        let failed = stream.launch(current, relu).unwrap_err();
        assert_eq!(failed.error.code().unwrap().name(), Some("ACL_ERROR_OP_NOT_FOUND"));
        control::fail("aclopLoad=507899".parse().unwrap()).unwrap();
        let refused = current.load_operator(b"the simulator takes any image").unwrap_err();
        assert_eq!(refused.code().unwrap().number(), 507_899);
        control::fail(Plan::new()).unwrap();
        current.load_operator(b"the simulator takes any image").unwrap();
        assert!(stream.launch(current, failed.value).unwrap().wait(current).is_ok());
    });
}

#[proves(OP_05)]
#[test]
fn a_directory_of_compiled_operators_is_loaded_once_and_its_operators_are_found() {
    inside(|current| {
        let code = |error: &Error| error.code().and_then(ascendcl::error::Code::name);
        let missing = current.load_operators("no/such/directory").unwrap_err();
        assert_eq!(code(&missing), Some("ACL_ERROR_READ_MODEL_FAILURE"));
        let nul = current.load_operators("a\0b").unwrap_err();
        assert!(matches!(nul, Error::NulInPath { .. }), "{nul}");
        // What was refused is not the one directory of the process.
        let folder = common::scratch("compiled operators");
        current.load_operators(&folder).unwrap();
        let (x, y) = (current.upload_tensor(&[2], &[-1.0_f32, 2.0]).unwrap(), current.tensor::<f32>(&[2]).unwrap());
        assert_eq!(
            output!(current, Operator::new("Relu").precompiled().bind(current, x, y)),
            (vec![2], vec![0.0, 2.0])
        );
        let again = current.load_operators(&folder).unwrap_err();
        assert_eq!(code(&again), Some("ACL_ERROR_REPEAT_INITIALIZE"));
        assert_eq!(again.rules().first(), Some(&ascendcl_rules::OP_05), "{again}");
        assert!(
            control::take_findings().iter().all(|found| found.rule == ascendcl_rules::OP_05),
            "it was made to be refused"
        );
    });
}

#[proves(OP_03)]
#[test]
fn a_bound_operator_is_launched_again_with_what_it_wrote_before() {
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let one = current.upload_tensor(&[2], &[1_i32, 5]).unwrap();
        let two = current.upload_tensor(&[2], &[2_i32, 7]).unwrap();
        let mut add = stream.launch(current, operator::add(current, one, two).unwrap()).unwrap().wait(current).unwrap();
        for _ in 0..3 {
            add = stream.launch(current, add).unwrap().wait(current).unwrap();
        }
        let ((one, _), sum) = add.into_tensors(current).unwrap();
        let add = Operator::new("Add").bind(current, [one, sum], current.tensor(&[2]).unwrap()).unwrap();
        let (_, sum) = stream.launch(current, add).unwrap().wait(current).unwrap().into_tensors(current).unwrap();
        let sum: DeviceTensor<Scoped<'_>, i32> = sum;
        assert_eq!(sum.into_buffer().to_vec(current).unwrap(), [4, 17]);
    });
}

#[proves(OP_02)]
#[test]
fn every_kind_of_attribute_reaches_the_library() {
    inside(|current| {
        let values: [Attribute; 11] = [
            true.into(),
            7_i64.into(),
            0.5_f32.into(),
            "text".into(),
            ElementType::F16.into(),
            vec![true, false].into(),
            vec![1_i64, -1].into(),
            vec![1.0_f32].into(),
            vec!["a".to_owned(), "b".to_owned()].into(),
            vec![ElementType::I32].into(),
            vec![vec![1_i64, 2], Vec::new()].into(),
        ];
        for value in values {
            let x = current.upload_tensor(&[1], &[1.0_f32]).unwrap();
            let operator = Operator::new("Relu").with("surplus", value.clone());
            let error = operator.bind(current, x, current.tensor::<f32>(&[1]).unwrap()).unwrap_err().error;
            // It is set, and then refused by name: the operator takes no attributes.
            assert_eq!(error.code().unwrap().name(), Some("ACL_ERROR_GE_FAILURE"), "{value:?}: {error}");
            assert!(error.to_string().contains("`surplus`"), "{error}");
        }
    });
}

#[test]
fn a_tensor_is_written_again_read_into_a_slice_reshaped_and_freed() {
    inside(|current| {
        let mut table = current.zeros_tensor::<i32>(&[2, 3]).unwrap();
        assert_eq!(table.to_vec(current).unwrap(), [0; 6]);
        table.copy_from(current, &[1, 2, 3, 4, 5, 6]).unwrap();
        assert!(matches!(table.copy_from(current, &[1]), Err(Error::LengthMismatch { expected: 6, found: 1, .. })));
        let refused = table.reshape(&[4]).unwrap_err();
        assert!(matches!(refused.error, Error::Input(_)), "{:?}", refused.error);
        let row = refused.value.reshape(&[6, 1]).unwrap();
        let mut elements = [0; 6];
        row.copy_to(current, &mut elements).unwrap();
        assert_eq!((row.shape(), elements), (&[6, 1][..], [1, 2, 3, 4, 5, 6]));

        control::fail("aclrtFree#1=507899".parse().unwrap()).unwrap();
        let Failed { error, value: row } = row.free(current).unwrap_err();
        assert_eq!(error.code().map(|code| code.number()), Some(507_899));
        assert_eq!(row.shape(), [6, 1], "a tensor that is not freed keeps its shape");
        row.free(current).unwrap();
    });
}

#[test]
fn forgotten_dropped_and_panicking_launches_leave_nothing_behind() {
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let launch = || {
            let x = current.upload_tensor(&[64, 64], &[0.5_f32; 4096]).unwrap();
            let y = current.upload_tensor(&[64, 64], &[0.5_f32; 4096]).unwrap();
            stream.launch(current, operator::mat_mul(current, x, y).unwrap()).unwrap()
        };
        mem::forget(launch());
        drop(launch());
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _in_flight = launch();
            panic!("in flight");
        }));
        assert!(panicked.is_err());
        // What was dropped may still be running: collecting leaves it alone, or takes it when it is done.
        assert!(current.collect().is_empty());
        stream.synchronize(current).unwrap();
        assert!(current.collect().is_empty());
        let live = ascendcl_sim::control::live();
        assert_eq!(live.tensor_descriptions, 3, "those of the forgotten one");
    });
}

#[proves(ALLOC_13, ALLOC_14)]
#[test]
fn operators_take_their_memory_from_the_streams_pool() {
    inside(|current| {
        let pool = PoolAllocator::new(current, 1 << 20).unwrap();
        let stream = current.stream().unwrap().register(current, pool).unwrap();
        for _ in 0..3 {
            let x = current.upload_tensor(&[4], &[1_i32, -2, 3, -4]).unwrap();
            let relu = operator::relu(current, x).unwrap();
            let (_, y) = stream.launch(current, relu).unwrap().wait(current).unwrap().into_tensors(current).unwrap();
            assert_eq!(y.to_vec(current).unwrap(), [1, 0, 3, 0]);
        }
        let used = stream.pool_statistics().unwrap();
        assert_eq!((used.misses + used.hits, used.blocks_in_use, used.refused), (3, 0, 0), "{used:?}");
        assert!(used.hits >= 2 && used.peak_bytes > 0, "{used:?}");
    });
}

#[test]
fn a_pool_without_room_fails_the_launch_and_says_how_much_is_missing() {
    inside(|current| {
        let stream = current.stream().unwrap().register(current, PoolAllocator::new(current, 16).unwrap()).unwrap();
        let x = current.upload_tensor(&[1000], &[1.0_f32; 1000]).unwrap();
        let failed = stream.launch(current, operator::relu(current, x).unwrap()).unwrap_err();
        assert_eq!(failed.error.code().unwrap().kind(), CodeKind::Resource, "{}", failed.error);
        let missing = stream.pool_statistics().unwrap().largest_refused;
        assert!(missing >= 4000, "{missing}");
        stream.grow_pool(current, 2 * missing).unwrap();
        assert!(stream.launch(current, failed.value).unwrap().wait(current).is_ok());
    });
}
