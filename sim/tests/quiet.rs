//! A panic of the engine that is caught says nothing on the standard error of the program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use ascendcl_sim::exports::{device::aclrtSetDevice, model::aclmdlLoadFromMem, process::aclInit};
use rten_onnx::onnx::*;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};

static PANICS: AtomicUsize = AtomicUsize::new(0);

#[test]
fn a_shape_that_the_engine_stumbles_over_prints_nothing() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        usual(panic);
    }));
    // A shape of fewer axes than the value has: the engine's inference does not expect it.
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let expand = NodeProto {
        op_type: Some("Expand".to_string()),
        input: names(&["x", "shape"]),
        output: names(&["y"]),
        ..Default::default()
    };
    let graph = GraphProto {
        node: vec![expand],
        input: vec![port("x", DataType::FLOAT, &[2, 3, 4]), port("shape", DataType::INT64, &[1])],
        output: vec![port("y", DataType::FLOAT, &[2, 3, 4])],
        ..Default::default()
    };
    let file = ModelProto {
        ir_version: Some(8),
        graph: Some(graph),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(17) }],
        ..Default::default()
    };
    let file = file.write_buf().unwrap();
    let mut id = 0;
    // SAFETY: the simulator reads the file, which outlives the call and is as long as said, and writes the id.
    unsafe {
        assert_eq!((aclInit(core::ptr::null()), aclrtSetDevice(0)), (0, 0));
        assert_eq!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id), 0);
    }
    assert_eq!(PANICS.load(Ordering::SeqCst), 0, "the engine's panic is told to the program");

    let own = std::thread::spawn(|| panic!("the program's own")).join();
    assert!(own.is_err());
    assert_eq!(PANICS.load(Ordering::SeqCst), 1, "the program's own panics are its own business");
}

fn port(name: &str, element: DataType, dims: &[i64]) -> ValueInfoProto {
    let dim = dims.iter().map(|&size| Dimension { dim_value: Some(size), dim_param: None }).collect();
    let tensor_type = Some(TypeProtoTensor { elem_type: Some(element), shape: Some(TensorShapeProto { dim }) });
    ValueInfoProto { name: Some(name.to_string()), r#type: Some(TypeProto { tensor_type, sequence: None }) }
}
