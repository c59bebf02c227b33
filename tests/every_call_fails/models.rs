//! A model of 64 floats to 10, for any batch size. To the library it is like the digits model, but it loads much
//! faster.

use crate::common::{field, scratch};
use std::path::PathBuf;
use std::sync::LazyLock;

/// Where the model is.
pub(crate) fn file() -> PathBuf {
    static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
        let path = scratch("every-call-fails").join("small.onnx");
        std::fs::write(&path, in_batches_of(None)).unwrap();
        path
    });
    FILE.clone()
}

/// The model, compiled for these batch sizes only.
pub(crate) fn compiled_for(batches: &str) -> Vec<u8> {
    let entry = [field(1, b"ascendcl.dynamic_batch"), field(2, batches.as_bytes())].concat();
    [in_batches_of(None), field(14, &entry)].concat()
}

/// The model with a fixed batch size, or with any: ONNX, written by hand.
pub(crate) fn in_batches_of(size: Option<u8>) -> Vec<u8> {
    let number = |field: u8, value: u8| vec![field << 3, value];
    let batch = size.map_or_else(|| field(2, b"batch"), |size| number(1, size));
    let port = |name: &[u8], columns: u8| {
        let shape = [field(1, &batch), field(1, &number(1, columns))].concat();
        let tensor = [number(1, 1), field(2, &shape)].concat();
        [field(1, name), field(2, &field(1, &tensor))].concat()
    };
    let weights = [number(1, 64), number(1, 10), number(2, 1), field(8, b"w"), field(9, &[0; 64 * 10 * 4])].concat();
    let node = [field(1, b"x"), field(1, b"w"), field(2, b"y"), field(4, b"MatMul")].concat();
    let ports = [field(11, &port(b"x", 64)), field(12, &port(b"y", 10))].concat();
    let graph = [field(1, &node), field(2, b"small"), field(5, &weights), ports].concat();
    [number(1, 8), field(7, &graph), field(8, &number(2, 17))].concat()
}
