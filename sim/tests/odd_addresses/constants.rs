//! Models with constants of each type that the engine looks at where it is.

use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::exports::model::*;
use half::f16;
use rten_onnx::onnx::*;
use std::cell::RefCell;

/// `y = x + c` for two elements of a type. The constant is one of the graph, or the output of a node.
fn sum<T: Scalar>(kind: DataType, constant: [T; 2], of_a_node: bool) -> Vec<u8> {
    let tensor = TensorProto {
        dims: vec![2],
        data_type: Some(kind),
        raw_data: Some(RefCell::new(constant.iter().flat_map(|element| element.bytes()).collect())),
        name: Some("c".to_string()),
        ..Default::default()
    };
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let node = |operator: &str, inputs: &[&str], output: &str| NodeProto {
        op_type: Some(operator.to_string()),
        input: names(inputs),
        output: names(&[output]),
        ..Default::default()
    };
    let mut graph = GraphProto {
        input: vec![port("x", kind)],
        output: vec![port("y", kind)],
        node: vec![node("Add", &["x", "c"], "y")],
        ..Default::default()
    };
    if of_a_node {
        let mut constant = node("Constant", &[], "c");
        constant.attribute.push(AttributeProto {
            name: Some("value".to_string()),
            r#type: Some(AttributeType::TENSOR),
            t: Some(tensor),
            ..Default::default()
        });
        graph.node.insert(0, constant);
    } else {
        graph.initializer.push(tensor);
    }
    let model = ModelProto {
        ir_version: Some(8),
        graph: Some(graph),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(17) }],
        ..Default::default()
    };
    model.write_buf().unwrap()
}

fn port(name: &str, kind: DataType) -> ValueInfoProto {
    let dim = vec![Dimension { dim_value: Some(2), dim_param: None }];
    let tensor_type = Some(TypeProtoTensor { elem_type: Some(kind), shape: Some(TensorShapeProto { dim }) });
    ValueInfoProto { name: Some(name.to_string()), r#type: Some(TypeProto { tensor_type, sequence: None }) }
}

/// The output of a model with one input of two elements.
fn run<T: Scalar>(file: &[u8], elements: [T; 2]) -> Vec<T> {
    let mut id = 0;
    ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
    let (x, y) = (input(&[2], &elements), output::<T>(&[2], 2));
    let [inputs, outputs] = [x, y].map(|tensor| {
        let dataset = acl!(aclmdlCreateDataset());
        ok!(aclmdlAddDatasetBuffer(dataset, tensor.buffer));
        dataset
    });
    ok!(aclmdlExecute(id, inputs, outputs));
    let found = y.elements();
    ok!(aclmdlDestroyDataset(inputs));
    ok!(aclmdlDestroyDataset(outputs));
    ok!(aclmdlUnload(id));
    x.destroy();
    y.destroy();
    found
}

#[test]
fn constants_of_each_type_are_added() {
    let _machine = device();
    for of_a_node in [false, true] {
        assert_eq!(run(&sum(DataType::FLOAT, [1.5_f32, -2.0], of_a_node), [1.0, 2.0]), [2.5, 0.0]);
        assert_eq!(run(&sum(DataType::INT32, [7_i32, -9], of_a_node), [1, 2]), [8, -7]);
        assert_eq!(run(&sum(DataType::INT64, [1_i64 << 20, -9], of_a_node), [1_i64, 2]), [(1 << 20) + 1, -7]);
        let half = |values: [f32; 2]| values.map(f16::from_f32);
        assert_eq!(run(&sum(DataType::FLOAT16, half([0.5, -2.0]), of_a_node), half([1.0, 3.0])), half([1.5, 1.0]));
    }
}
