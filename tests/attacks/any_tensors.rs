//! Attacks on tensors whose element type is known at run time, and on truth values.

use super::*;
use crate::common::{assert_lives, library, library_at, null_library};
use ascendcl::operator::{Absent, AnyInput, AnyTensor, Operator, SharedAnyTensor};
use ascendcl::raw::tensors;
use ascendcl::{Bool, ElementType, Runtime, error::InputError, error::ObjectKind};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

ascendcl::names!(Worker);

fn floats<C: Brand>(current: &Current<C>, numbers: [f32; 4]) -> AnyTensor<C> {
    let bytes = numbers.map(f32::to_ne_bytes);
    current.upload_any_tensor(&[2, 2], ElementType::F32, bytes.as_flattened()).unwrap()
}

fn bytes_error(error: &Error) -> Option<(usize, usize)> {
    let Error::Input(reason) = error else { return None };
    let InputError::Bytes { expected, found, .. } = **reason else { return None };
    Some((expected, found))
}

/// Types, shapes and bytes as a program reads them from a file: what does not fit is refused before anything is called.
#[proves(DATA_08)]
#[test]
fn a_tensor_has_as_many_bytes_as_its_type_and_shape_say() {
    let alone = alone();
    inside(|current| {
        for (shape, element, bytes, need) in [
            (&[2, 2][..], ElementType::F32, 15, 16),
            (&[2, 2], ElementType::F32, 17, 16),
            (&[], ElementType::F64, 0, 8),
            (&[3, 0], ElementType::U8, 1, 0),
            (&[usize::MAX, 2], ElementType::U8, 0, usize::MAX),
            (&[usize::MAX], ElementType::I64, 8, usize::MAX),
        ] {
            must_not_call("aclrtMalloc=207001");
            let refused = current.upload_any_tensor(shape, element, &vec![0; bytes]).unwrap_err();
            assert_eq!(bytes_error(&refused), Some((need, bytes)), "{refused}");
            nothing_fails();
            let buffer = current.upload(&vec![0_u8; bytes]).unwrap();
            let refused = buffer.into_any_tensor(shape, element).unwrap_err();
            assert_eq!(bytes_error(&refused.error), Some((need, bytes)), "{refused}");
            assert_eq!(refused.value.len(), bytes);
        }
        let refused = current.upload_any_tensor(&[3], ElementType::F16, &[0; 5]).unwrap_err();
        assert_eq!(refused.to_string(), "the shape [3] of f16 has 6 bytes, but the data has 5 [DATA-08]");
        assert!(current.any_tensor(&[usize::MAX, 4], ElementType::F32).is_err());
        // An axis without a length counts before all others, wherever it is.
        for shape in [[0, usize::MAX, usize::MAX], [usize::MAX, usize::MAX, 0], [usize::MAX, 0, usize::MAX]] {
            assert!(current.any_tensor(&shape, ElementType::F32).unwrap().into_buffer().is_empty(), "{shape:?}");
            assert_eq!(current.tensor::<f32>(&shape).unwrap().shape(), shape);
            assert!(current.upload_any_tensor(&shape, ElementType::F64, &[]).is_ok(), "{shape:?}");
            assert!(ascendcl::Input::new::<f32>(&shape, &[]).is_ok(), "{shape:?}");
            assert!(ascendcl::Input::from_bytes(&shape, ElementType::F32, &[]).is_ok(), "{shape:?}");
        }
        let mut tensor = floats(current, [1.0; 4]);
        let short = tensor.copy_from_bytes(current, &[0; 12]).unwrap_err();
        assert_eq!(bytes_error(&short), Some((16, 12)));
        let refused = tensor.reshape(&[5]).unwrap_err();
        assert_eq!(bytes_error(&refused.error), Some((20, 16)));
        let tensor = refused.value.reshape(&[4]).unwrap();
        assert_eq!((tensor.shape(), tensor.to_vec::<f32>(current).unwrap()), (&[4][..], vec![1.0; 4]));
    });
    alone.assert_nothing_lives();
}

/// Only the library knows how many bytes such elements have, and an operator would write that many.
#[proves(DATA_08)]
#[test]
fn elements_of_unknown_size_become_no_tensor() {
    let alone = alone();
    inside(|current| {
        let unknown = ElementType::Other(29);
        let is_unknown = |error: &Error| matches!(error, Error::UnknownElement { element, .. } if *element == unknown);
        let refused = current.any_tensor(&[4], unknown).unwrap_err();
        assert!(is_unknown(&refused), "{refused}");
        let refused = current.upload_any_tensor(&[4], unknown, &[0; 2]).unwrap_err();
        assert!(is_unknown(&refused), "{refused}");
        let refused = current.upload(&[0_u8; 4]).unwrap().into_any_tensor(&[4], unknown).unwrap_err();
        assert!(is_unknown(&refused.error) && refused.value.len() == 4, "{refused}");
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_08)]
#[test]
fn a_tensor_is_read_as_its_own_type_only_and_a_refused_one_comes_back() {
    let alone = alone();
    inside(|current| {
        let tensor = floats(current, [1.0, -2.0, 3.0, -4.0]);
        let refused = tensor.to_vec::<i32>(current).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the tensor holds f32 and cannot be used as i32: ask for f32, or convert it by the operator `Cast` [DATA-08]"
        );
        assert!(matches!(refused, Error::OtherElement { found: ElementType::F32, asked: ElementType::I32 }));
        let refused = tensor.into_typed::<u32>().unwrap_err();
        assert!(matches!(refused.error, Error::OtherElement { .. }), "{refused}");
        let shared = refused.value.into_shared();
        let other = shared.clone();
        let refused = shared.into_typed::<f64>().unwrap_err();
        assert!(matches!(refused.error, Error::OtherElement { .. }), "{refused}");
        let shared = refused.value.try_unshare(current).unwrap_err();
        assert!(matches!(shared.error, Error::StillShared), "{shared}");
        drop(other);
        let tensor = shared.value.try_unshare(current).unwrap().into_typed::<f32>().unwrap();
        assert_eq!(tensor.to_vec(current).unwrap(), [1.0, -2.0, 3.0, -4.0]);
        // And back, through all forms.
        let shared = tensor.into_shared().into_any();
        assert_eq!((shared.element(), shared.shape()), (ElementType::F32, &[2, 2][..]));
        let typed = shared.into_typed::<f32>().unwrap().try_unshare(current).unwrap().into_any();
        assert_eq!(typed.to_bytes(current).unwrap().len(), 16);
        typed.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// A device, or a program by bytes, can write any byte. None of them becomes a `bool` that Rust does not have.
#[proves(MEM_07)]
#[test]
fn a_byte_that_is_no_truth_value_never_becomes_a_bool() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let mask = current.upload_tensor(&[3], &[true, false, true].map(Bool::from)).unwrap();
        let read = |bools: Vec<Bool>| bools.into_iter().map(bool::try_from).collect::<Result<Vec<_>, _>>();
        assert_eq!(read(mask.to_vec(current).unwrap()).unwrap(), [true, false, true]);
        let any = mask.into_any();
        assert_eq!((any.element(), any.to_bytes(current).unwrap()), (ElementType::Bool, vec![1, 0, 1]));
        assert_eq!(any.to_vec::<u8>(current).unwrap(), [1, 0, 1]);

        for byte in [2, 127, 128, 255] {
            let refused = current.upload_any_tensor(&[2], ElementType::Bool, &[1, byte]).unwrap_err();
            assert!(matches!(refused, Error::NoTruthValue { byte: found } if found == byte), "{refused}");
            // The stream writes it, as an operator of the device may.
            let memory = current.device_buffer::<Bool>(2).unwrap();
            let written = stream.set_bytes(current, memory, byte).unwrap().wait(current).unwrap();
            let refused = read(written.to_vec(current).unwrap()).unwrap_err();
            assert_eq!(
                refused.to_string(),
                format!(
                    "a truth value is a byte 0 or 1, but the byte is {byte}: correct what wrote it, or use the bytes as `u8` \
                     [MEM-07]"
                )
            );
            let mut any = written.into_tensor(&[2]).unwrap().into_any();
            assert_eq!(any.to_vec::<u8>(current).unwrap(), [byte; 2]);
            let refused = any.copy_from_bytes(current, &[byte, 0]).unwrap_err();
            assert!(matches!(refused, Error::NoTruthValue { .. }), "{refused}");
            any.copy_from_bytes(current, &[0, 1]).unwrap();
            assert_eq!(read(any.to_vec(current).unwrap()).unwrap(), [false, true]);
        }
    });
    alone.assert_nothing_lives();
}

/// A graph of a file: values by name, and operators that name them. Nothing of it is known when the program is compiled.
#[proves(OP_02, OP_03)]
#[test]
fn a_graph_is_run_whose_types_a_program_reads_from_a_file() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let mut values = std::collections::BTreeMap::new();
        let bytes = [1.0_f32, -2.0, 3.0, -4.0].map(f32::to_ne_bytes);
        let x = current.upload_any_tensor(&[2, 2], ElementType::F32, bytes.as_flattened()).unwrap();
        values.insert("x", stream.launch(current, relu(current, x)).unwrap().into_outputs().into_shared());
        for (output, name, inputs) in
            [("square", "Mul", ["x", "x"]), ("sum", "Add", ["square", "x"]), ("product", "MatMul", ["sum", "square"])]
        {
            let inputs: Vec<_> = inputs.iter().map(|input| values[input].clone()).collect();
            let y = current.any_tensor(inputs[0].shape(), inputs[0].element()).unwrap();
            let bound = Operator::new(name).bind(current, inputs, y).unwrap();
            values.insert(output, stream.launch(current, bound).unwrap().into_outputs().into_shared());
        }
        let product = values.remove("product").unwrap().wait(current).unwrap();
        assert_eq!((product.element(), product.shape()), (ElementType::F32, &[2, 2][..]));
        assert_eq!(product.to_vec::<f32>(current).unwrap(), [2.0, 0.0, 12.0, 0.0]);
    });
    alone.assert_nothing_lives();
}

/// Inputs that are idle, in flight here or elsewhere, or left out: in one list.
#[proves(OP_03, OP_04, STREAM_04)]
#[test]
fn a_list_has_inputs_of_all_kinds_and_one_in_flight_elsewhere_is_refused() {
    let alone = alone();
    inside(|current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let (stream, other) = (stream.without_allocator(), other.without_allocator());
        let release = hold(current, &other);
        let launched = |on: &Stream<_, _>| {
            on.launch(current, relu(current, floats(current, [1.0; 4]))).unwrap().into_outputs().into_shared()
        };
        let (here, elsewhere, idle) = (launched(&stream), launched(&other), floats(current, [2.0; 4]).into_shared());
        let y = || current.any_tensor(&[2, 2], ElementType::F32).unwrap();
        let inputs = vec![AnyInput::from(idle.clone()), AnyInput::from(elsewhere)];
        let bound = Operator::new("Add").bind(current, inputs, y()).unwrap();
        let refused = stream.launch(current, bound).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{refused}");
        let inputs = vec![AnyInput::from(idle), AnyInput::from(here)];
        let bound = Operator::new("Add").bind(current, inputs, y()).unwrap();
        let (inputs, sum) = stream.launch(current, bound).unwrap().split();
        assert_eq!(sum.wait(current).unwrap().to_vec::<f32>(current).unwrap(), [3.0; 4]);
        let mut inputs = inputs.wait(current).unwrap();
        assert!(inputs.iter().all(Option::is_some));
        // The list that comes back is a list of inputs. A third one is left out: this operator has none, and says so.
        let bound = Operator::new("Add").bind(current, inputs.clone(), y()).unwrap();
        let sum = stream.launch(current, bound).unwrap().into_outputs();
        drop(sum.wait(current).unwrap());
        inputs.push(None);
        let refused = Operator::new("Add").bind(current, inputs, y()).unwrap_err();
        assert!(matches!(refused.error, Error::Vendor(_)), "{refused}");
        let refused = Operator::new("Relu").bind(current, AnyInput::from(Absent), y()).unwrap_err();
        assert!(matches!(refused.value.0, AnyInput::Absent), "{refused}");
        // In flight elsewhere: it is forgotten there, and goes with its stream.
        mem::forget(launched(&other));
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

fn relu<C: Brand>(current: &Current<C>, x: AnyTensor<C>) -> Bound<C> {
    let y = current.any_tensor(x.shape(), x.element()).unwrap();
    Operator::new("Relu").bind(current, x, y).unwrap()
}

type Bound<C> = ascendcl::operator::BoundOperator<C, AnyTensor<C>, AnyTensor<C, mem::MaybeUninit<u8>>>;

#[proves(OP_03, MEM_02)]
#[test]
fn tensors_of_a_launch_that_is_forgotten_dropped_or_swapped_stay_until_the_work_is_done() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let other = current.stream().unwrap().without_allocator();
        let release = hold(current, &stream);
        mem::forget(stream.launch(current, relu(current, floats(current, [1.0; 4]))).unwrap());
        drop(stream.launch(current, relu(current, floats(current, [2.0; 4]))).unwrap().into_outputs().into_shared());
        let mut first = stream.launch(current, relu(current, floats(current, [3.0; 4]))).unwrap().into_outputs();
        let in_flight = control::live().device_blocks;
        collect(current);
        assert_lives!(device_blocks, in_flight);
        // Work of another stream takes the place of this one.
        let mut second = other.launch(current, relu(current, floats(current, [4.0; 4]))).unwrap().into_outputs();
        mem::swap(&mut first, &mut second);
        let y = current.any_tensor(&[2, 2], ElementType::F32).unwrap();
        let refused = Operator::new("Relu").bind(current, second, y).unwrap();
        let refused = other.launch(current, refused).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{refused}");
        let first = first.wait(current).unwrap();
        assert_eq!(first.to_vec::<f32>(current).unwrap(), [4.0; 4]);
        release.send(()).unwrap();
        let done = stream.launch(current, refused.value).unwrap().into_outputs().wait(current).unwrap();
        assert_eq!(done.to_vec::<f32>(current).unwrap(), [3.0; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03, MEM_02)]
#[test]
fn a_panic_and_threads_find_the_tensors_where_they_were() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _work = stream.launch(current, relu(current, floats(current, [1.0; 4]))).unwrap();
            panic!("with work in flight");
        }));
        assert!(caught.is_err());
        // Another thread takes a handle of a value apart, and drops it.
        let shared = floats(current, [5.0; 4]).into_shared();
        let far: SharedAnyTensor<_> = shared.clone();
        std::thread::scope(|scope| {
            scope.spawn(move || assert_eq!((far.shape(), far.element()), (&[2, 2][..], ElementType::F32)));
        });
        let tensor = shared.try_unshare(current).unwrap();
        assert_eq!(tensor.to_vec::<f32>(current).unwrap(), [5.0; 4]);
    });
    alone.assert_nothing_lives();
}

/// The library refuses: the tensors come back, and the next try succeeds.
#[proves(OP_03)]
#[test]
fn a_refused_call_gives_tensors_back_as_they_were() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        fail("aclrtMalloc=207001");
        assert!(current.any_tensor(&[2], ElementType::F32).is_err());
        nothing_fails();
        let (x, y) = (floats(current, [-1.0; 4]), current.any_tensor(&[2, 2], ElementType::F32).unwrap());
        fail("aclopCompile=500001");
        let (x, y) = Operator::new("Relu").bind(current, x, y).unwrap_err().value;
        nothing_fails();
        // Not of one type: the library says so, and nothing was written.
        let ints = current.upload_tensor(&[2, 2], &[1_i32; 4]).unwrap().into_any();
        let refused = Operator::new("Add").bind(current, [x, ints], y).unwrap_err();
        assert!(matches!(refused.error, Error::Vendor(_)), "{refused}");
        let ([x, _], y) = refused.value;
        let bound = Operator::new("Relu").bind(current, x, y).unwrap();
        fail("aclopExecuteV2=507018");
        let bound = stream.launch(current, bound).unwrap_err().value;
        nothing_fails();
        stream.synchronize(current).unwrap();
        let y = stream.launch(current, bound).unwrap().into_outputs().wait(current).unwrap();
        fail("aclrtFree=507899");
        let y = y.free(current).unwrap_err().value;
        nothing_fails();
        assert_eq!(y.to_vec::<f32>(current).unwrap(), [0.0; 4]);
    });
    alone.assert_nothing_lives();
}

/// Two runtimes with one name, and one of another library: the types cannot tell them apart.
#[proves(MEM_11, STREAM_09)]
#[test]
fn tensors_of_another_context_or_library_are_refused() {
    let alone = alone();
    let _books = books();
    let open = || Runtime::<Worker>::open(library()).unwrap();
    let (own, other, null) = (open(), open(), Runtime::<Worker>::open(library_at(null_library())).unwrap());
    let x = own.with(|current| floats(current, [6.0; 4])).unwrap();
    let mut x = x.into_shared();
    let is_wrong = |error: &Error| matches!(error, Error::WrongContext { what: ObjectKind::DEVICE_MEMORY, .. });
    for stranger in [&other, &null] {
        x = stranger
            .with(|current| {
                let refused = x.to_vec::<f32>(current).unwrap_err();
                assert!(is_wrong(&refused), "{refused}");
                assert!(is_wrong(&tensors(current, &x).unwrap_err()));
                let refused = x.try_unshare(current).unwrap_err();
                assert!(is_wrong(&refused.error), "{refused}");
                refused.value
            })
            .unwrap();
        own.with(|current| assert_eq!(x.to_vec::<f32>(current).unwrap(), [6.0; 4])).unwrap();
    }
    let mut tensor = own.with(|current| x.try_unshare(current).unwrap()).unwrap();
    tensor = other
        .with(|current| {
            let refused = tensor.copy_from_bytes(current, &[0; 16]).unwrap_err();
            assert!(is_wrong(&refused), "{refused}");
            let y = current.any_tensor(&[2, 2], ElementType::F32).unwrap();
            let refused = Operator::new("Relu").bind(current, tensor, y).unwrap_err();
            assert!(is_wrong(&refused.error), "{refused}");
            let refused = refused.value.0.free(current).unwrap_err();
            assert!(is_wrong(&refused.error), "{refused}");
            refused.value
        })
        .unwrap();
    own.with(|current| tensor.free(current).unwrap()).unwrap();
    [own, other, null].into_iter().for_each(|runtime| runtime.close().unwrap());
    alone.assert_nothing_lives();
}

/// A part that operators cannot use, and memory of other code that is not aligned for its elements.
#[proves(MEM_08)]
#[test]
fn misaligned_memory_becomes_no_tensor_of_any_type() {
    let alone = alone();
    inside(|current| {
        let whole = current.upload(&[0_u8; 128]).unwrap().into_shared();
        let part = whole.slice(8..24).unwrap();
        drop(whole);
        let refused = part.try_unshare(current).unwrap().into_any_tensor(&[4], ElementType::F32).unwrap_err();
        assert!(matches!(refused.error, Error::MisalignedPart { past: 8, alignment: 64 }), "{refused}");
        refused.value.free(current).unwrap();
        let block = current.upload(&[0_u8; 64]).unwrap();
        let start = NonNull::new(block.as_raw().wrapping_byte_add(2)).unwrap();
        // SAFETY: these bytes were written, and nobody writes them while both values exist.
        let adopted = unsafe { current.adopt_memory::<u8>(start, 16) }.unwrap();
        let refused = adopted.into_any_tensor(&[4], ElementType::F32).unwrap_err();
        assert!(matches!(refused.error, Error::CannotCast { size: 4, past: 2, alignment: 4, .. }), "{refused}");
        drop(refused);
        block.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}
