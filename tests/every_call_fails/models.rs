//! A model of 64 floats to 10, for any batch size. To the library it is like the digits model, but it loads much
//! faster.

use crate::common::onnx::{self, FLOAT};
use crate::common::scratch;
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
    [in_batches_of(None), onnx::metadata("ascendcl.dynamic_batch", batches)].concat()
}

/// The model with a fixed batch size, or with any.
pub(crate) fn in_batches_of(size: Option<u8>) -> Vec<u8> {
    let batch = size.map_or_else(|| "batch".to_owned(), |size| size.to_string());
    let [x, y] = [onnx::input("x", FLOAT, &[&batch, "64"]), onnx::output("y", FLOAT, &[&batch, "10"])];
    onnx::model(&[onnx::node("MatMul", &["x", "w"], "y"), onnx::zeros("w", 64, 10), x, y])
}
