//! What the steps of the programs use of `tests/common`.

#[path = "../../../tests/common/futures.rs"]
mod futures;
#[allow(dead_code, reason = "the tests use more models")]
#[path = "../../../tests/common/onnx.rs"]
mod onnx;

pub(crate) use futures::block_on;
pub(crate) use onnx::difference;
