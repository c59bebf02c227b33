//! Tensors of any element type in flight, and as operands of each kind.

use super::*;
use crate::common::{assert_lives, c_library, library_at};
use ascendcl::operator::{Absent, AnyInput, AnyTensor, Operator};
use ascendcl::{Acl, ElementType, error::InputError, stream::DefaultAllocator};
use ascendcl_macros::proves;
use ascendcl_sim::control;

const MOMENT: Duration = Duration::from_millis(20);

/// A tensor that `Relu` writes on this stream.
fn launched<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    numbers: [f32; 4],
) -> Pending<C, AnyTensor<C>> {
    let (x, y) = (floats(current, numbers), current.any_tensor(&[2, 2], ElementType::F32).unwrap());
    stream.launch(current, Operator::new("Relu").bind(current, x, y).unwrap()).unwrap().into_outputs()
}

fn floats<C: Brand>(current: &Current<C>, numbers: [f32; 4]) -> AnyTensor<C> {
    current.upload_any_tensor(&[2, 2], ElementType::F32, &bytes_of(numbers)).unwrap()
}

fn bytes_of(numbers: [f32; 4]) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_ne_bytes).collect()
}

/// The next operator of a graph needs them before the work is done.
#[proves(DATA_08)]
#[test]
fn a_tensor_in_flight_tells_its_shape_and_type_and_takes_another_shape_of_as_many_bytes() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let release = hold(current, &stream);
        let y = launched(current, &stream, [1.0, -2.0, 3.0, -4.0]);
        assert_eq!((y.shape(), y.element()), (&[2, 2][..], ElementType::F32));
        let refused = y.reshape(&[3]).unwrap_err();
        let Error::Input(reason) = &refused.error else { panic!("{refused}") };
        assert!(matches!(**reason, InputError::Bytes { expected: 12, found: 16, .. }), "{refused}");
        assert_eq!(refused.value.shape(), [2, 2], "it comes back as it was");
        let y = refused.value.reshape(&[4, 1]).unwrap();
        let y = y.wait_within(current, MOMENT).unwrap_err();
        assert!(y.error.code().is_some_and(|code| code.is_timeout()), "it is still in flight: {y}");
        release.send(()).unwrap();
        let y = y.value.wait(current).unwrap();
        assert_eq!((y.shape(), y.to_bytes(current).unwrap()), (&[4, 1][..], bytes_of([1.0, 0.0, 3.0, 0.0])));
    });
    alone.assert_nothing_lives();
}

/// Without its shape, or as one of several handles, a tensor is in flight as before.
#[proves(MEM_02, OP_03)]
#[test]
fn the_bytes_of_a_tensor_in_flight_stay_until_its_work_is_done() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let release = hold(current, &stream);
        let own = launched(current, &stream, [1.0; 4]).into_buffer();
        let shared = launched(current, &stream, [2.0; 4]).into_shared();
        let (other, shared) = (shared.clone(), shared.into_buffer());
        drop(launched(current, &stream, [3.0; 4]).into_buffer());
        drop(launched(current, &stream, [4.0; 4]).into_shared().into_buffer());
        let in_flight = control::live().device_blocks;
        collect(current);
        assert_lives!(device_blocks, in_flight);
        let own = own.wait_within(current, MOMENT).unwrap_err().value;
        let shared = shared.wait_within(current, MOMENT).unwrap_err().value;
        release.send(()).unwrap();
        assert_eq!(own.wait(current).unwrap().to_vec(current).unwrap(), bytes_of([1.0; 4]));
        assert_eq!(shared.wait(current).unwrap().to_vec(current).unwrap(), bytes_of([2.0; 4]));
        let other = other.wait(current).unwrap();
        assert_eq!(other.to_bytes(current).unwrap(), bytes_of([2.0; 4]));
        assert_eq!(other.into_buffer().to_vec(current).unwrap(), bytes_of([2.0; 4]));
    });
    alone.assert_nothing_lives();
}

/// Another stream waits for the work by an event, and then has the tensor.
#[proves(STREAM_04, MEM_02)]
#[test]
fn a_tensor_that_another_stream_adopts_stays_until_the_work_of_that_stream_is_done() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let (first, second) = (first.without_allocator(), second.without_allocator());
        let y = launched(current, &first, [5.0; 4]);
        let event = first.record(current, current.event().unwrap()).unwrap();
        first.synchronize(current).unwrap();
        collect(current);
        let release = hold(current, &second);
        let y = second.adopt_after(current, y, &event).unwrap();
        assert_lives!(device_blocks, 1);
        drop(y);
        collect(current);
        assert_lives!(device_blocks, 1);
        release.send(()).unwrap();
        second.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

/// The second operator writes into memory that holds the result of the first one, in flight or not.
#[proves(OP_03, OP_04, STREAM_04)]
#[test]
fn a_written_tensor_is_an_output_and_one_in_flight_elsewhere_is_refused() {
    let alone = alone();
    inside(|current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let (stream, other) = (stream.without_allocator(), other.without_allocator());
        let written = floats(current, [9.0; 4]);
        let bound = Operator::new("Relu").bind(current, floats(current, [1.0; 4]), written).unwrap();
        let (x, y) = stream.launch(current, bound).unwrap().wait(current).unwrap().into_tensors(current).unwrap();
        assert_eq!(x.to_vec::<f32>(current).unwrap(), [1.0; 4]);
        assert_eq!(y.to_vec::<f32>(current).unwrap(), [1.0; 4], "it was overwritten");
        let shared = [floats(current, [2.0; 4]).into_shared(), floats(current, [3.0; 4]).into_shared()];
        let in_flight = launched(current, &stream, [7.0; 4]);
        let bound = Operator::new("Add").bind(current, shared, in_flight).unwrap();
        let refused = other.launch(current, bound).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{refused}");
        let done = stream.launch(current, refused.value).unwrap().wait(current).unwrap();
        let ([two, three], sum) = done.into_tensors(current).unwrap();
        assert_eq!(sum.to_vec::<f32>(current).unwrap(), [5.0; 4]);
        assert_eq!((two.to_vec::<f32>(current).unwrap()[0], three.to_vec::<f32>(current).unwrap()[0]), (2.0, 3.0));
    });
    alone.assert_nothing_lives();
}

/// Bytes become a tensor, and are bytes again, without a copy.
#[proves(DATA_08)]
#[test]
fn a_buffer_of_as_many_bytes_becomes_a_tensor_in_its_place() {
    let alone = alone();
    inside(|current| {
        let buffer = current.upload(&bytes_of([1.0, 2.0, 3.0, 4.0])).unwrap();
        let place = buffer.as_raw();
        let tensor = buffer.into_any_tensor(&[4, 1], ElementType::F32).unwrap();
        assert_eq!((tensor.shape(), tensor.element()), (&[4, 1][..], ElementType::F32));
        assert_eq!(tensor.to_vec::<f32>(current).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        let buffer = tensor.into_buffer();
        assert_eq!(buffer.as_raw(), place);
    });
    alone.assert_nothing_lives();
}

/// Operators of a library that computes nothing. It accepts three inputs of which the second is left out.
const OPERATORS: &str = r#"
    static char no_memory;
    handle aclopCreateAttr(void) { return fresh(); }
    void aclopDestroyAttr(handle attr) { (void)attr; }
    handle aclCreateTensorDesc(int type, int count, const int64_t *sizes, int format) {
        (void)type; (void)count; (void)sizes; (void)format;
        return fresh();
    }
    void aclDestroyTensorDesc(handle desc) { (void)desc; }
    handle aclCreateDataBuffer(void *start, size_t bytes) { (void)bytes; return start ? fresh() : &no_memory; }
    aclError aclDestroyDataBuffer(handle buffer) { (void)buffer; return 0; }
    aclError aclopExecuteV2(const char *name, int inputs, handle *descs, handle *buffers, int outputs, handle *output_descs,
                            handle *output_buffers, handle attr, handle stream) {
        (void)name; (void)descs; (void)outputs; (void)output_descs; (void)output_buffers; (void)attr; (void)stream;
        if (inputs != 3) return 100000;
        return buffers[0] != &no_memory && buffers[1] == &no_memory && buffers[2] != &no_memory ? 0 : 500001;
    }
"#;

/// It stays in its place in the list, for the library and for the program that gets the list back.
#[proves(OP_02)]
#[test]
fn an_input_that_is_left_out_of_a_list_comes_back_as_none() {
    let _books = super::null::books();
    let library = library_at(c_library("operators", &(include_str!("../null/library.c").to_owned() + OPERATORS)));
    let ran = with_device(Acl::init(library).unwrap(), |device, thread| {
        device.with_current(thread, |current| {
            let stream = current.stream().unwrap().without_allocator();
            let clip = Operator::new("Clip").precompiled();
            let [x, high] = [1.0, 3.0].map(|number| floats(current, [number; 4]).into_shared());
            let y = || current.any_tensor(&[2, 2], ElementType::F32).unwrap();
            let inputs = vec![AnyInput::from(x.clone()), AnyInput::from(Absent), AnyInput::from(high.clone())];
            let launched = stream.launch(current, clip.bind(current, inputs, y()).unwrap()).unwrap();
            let (inputs, _) = launched.wait(current).unwrap().into_tensors(current).unwrap();
            let shapes: Vec<_> =
                inputs.iter().map(|input| input.as_ref().map(|input| input.shape().to_vec())).collect();
            assert_eq!(shapes, [Some(vec![2, 2]), None, Some(vec![2, 2])]);
            // That list is one of inputs.
            drop(stream.launch(current, clip.bind(current, inputs, y()).unwrap()).unwrap().wait(current).unwrap());
            let launched = stream.launch(current, clip.bind(current, (x, Absent, high), y()).unwrap()).unwrap();
            let ((x, Absent, _), _) = launched.wait(current).unwrap().into_tensors(current).unwrap();
            assert_eq!(x.shape(), [2, 2]);
        })
    });
    ran.unwrap();
}
