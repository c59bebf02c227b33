//! Weights in files of their own.

use super::bytes_of;
use super::files::{File, node, port};
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataLocation, DataType, StringStringEntryProto};
use std::path::PathBuf;

/// `y = x + w`, whose weights are said to be elsewhere.
fn model(entries: &[(&str, &str)]) -> Vec<u8> {
    let float = DataType::FLOAT;
    let ports = (port("x", float, "2"), port("y", float, "2"));
    let mut file = File::new(&[ports.0], &[ports.1], vec![node("Add", &["x", "w"], &["y"])]);
    file = file.with_weights("w", &[2], &[]);
    let weights = &mut file.graph.initializer[0];
    let entry = |&(key, value): &(&str, &str)| StringStringEntryProto {
        key: Some(key.to_string()),
        value: Some(value.to_string()),
    };
    weights.raw_data = None;
    weights.data_location = Some(DataLocation::EXTERNAL);
    weights.external_data = entries.iter().map(entry).collect();
    file.bytes()
}

/// A folder with the file `model.onnx.data`: three numbers.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ascendcl-sim-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("model.onnx.data"), bytes_of!(f32: 1.0, 2.0, 3.0)).unwrap();
    folder
}

#[test]
fn weights_beside_the_file_are_found() {
    let folder = folder("found");
    for entries in [
        &[("location", "model.onnx.data"), ("offset", "4"), ("length", "8")][..],
        &[("location", "./model.onnx.data"), ("offset", "4")],
    ] {
        let model = Model::parse_in(Some(&folder), model(entries)).unwrap();
        assert_eq!(model.weight_bytes(), 8);
        let outputs = model.run(&[Input { dims: &[2], bytes: &bytes_of!(f32: 10.0, 10.0) }]).unwrap();
        assert_eq!(outputs[0].to_bytes().unwrap(), bytes_of!(f32: 12.0, 13.0));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn weights_that_are_not_there_are_named() {
    let folder = folder("missing");
    let why = |entries: &[(&str, &str)]| Model::parse_in(Some(&folder), model(entries)).unwrap_err().to_string();
    let here = ("location", "model.onnx.data");
    let text = why(&[("location", "other.data")]);
    assert!(
        text.starts_with("the model's `w` cannot be used: its data in the file") && text.contains("other.data"),
        "{text}"
    );
    assert!(
        why(&[here, ("offset", "8"), ("length", "8")])
            .contains("8 bytes at 8 of the file `model.onnx.data`, which has 12")
    );
    assert!(why(&[here, ("offset", "18446744073709551615")]).contains("of the file `model.onnx.data`, which has 12"));
    assert!(why(&[here, ("offset", "four")]).contains("`offset` of its data is \"four\""));
    let short = why(&[here, ("length", "4")]);
    assert!(short.contains("a constant with 4 bytes, and its dims [2] of type FLOAT need 8"), "{short}");
    for outside in ["../model.onnx.data", "/etc/hostname", "a/../../b"] {
        assert!(why(&[("location", outside)]).contains("which is not below the model's folder"), "{outside}");
    }
    for other in ["", "."] {
        let found = why(&[("location", other)]);
        assert!(found.contains("which is no ordinary file"), "{found}");
    }
    let memory = Model::parse(model(&[here])).unwrap_err().to_string();
    assert!(memory.contains("a model from memory has no folder to look in"), "{memory}");
    std::fs::remove_dir_all(&folder).unwrap();
}
