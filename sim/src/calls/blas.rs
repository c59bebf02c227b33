//! Products of matrices, and of a matrix and a vector: the operator `GEMM`, which has to be known as others have.

use super::data_buffer::{aclCreateDataBuffer, aclDestroyDataBuffer};
use super::operator::{known, run};
use super::wanted;
use crate::abi::{Address, Name, Out};
use crate::failure::{Answer, Failure};
use crate::machine::models::TensorDesc;
use crate::machine::operators::{Attribute, Plan, Request, create_handle};
use ascendcl_sys::types::*;

/// What is multiplied: m × k with k × n.
struct Product {
    flips: [aclTransType; 3],
    sizes: [i32; 3],
    types: [aclDataType; 3],
    precision: aclComputeType,
}

/// `alpha * a * b + beta * c` goes to `c`.
struct Operands {
    alpha: Address,
    a: Address,
    b: Address,
    beta: Address,
    c: Address,
    leading: [i32; 3],
}

const N: aclTransType = aclTransType::ACL_TRANS_N;
const HALVES: [aclDataType; 3] = [aclDataType::ACL_FLOAT16; 3];
const BYTES: [aclDataType; 3] = [aclDataType::ACL_INT8, aclDataType::ACL_INT8, aclDataType::ACL_INT32];

impl Product {
    fn check_sizes(&self) -> Answer {
        let [m, n, k] = self.sizes;
        if self.sizes.iter().any(|size| *size <= 0) {
            return Err(Failure::invalid(format!("m, n and k are {m}, {n} and {k}; they have to be positive")));
        }
        let [a, b, c] = self.flips;
        if [a, b].iter().any(|flip| *flip > aclTransType::ACL_TRANS_NZ) {
            return Err(Failure::invalid("factors are given as they are, transposed, or in the format NZ"));
        }
        if c != N && c != aclTransType::ACL_TRANS_NZ {
            return Err(Failure::invalid("the result is as it is, or in the format NZ"));
        }
        Ok(())
    }

    fn check_precision(&self) -> Answer {
        if self.precision == aclComputeType::ACL_COMPUTE_HIGH_PRECISION {
            return Ok(());
        }
        Err(Failure::invalid("high precision is the only one that there is"))
    }

    /// The operator that it is.
    fn plan(&self) -> Answer<Plan> {
        let [m, n, k] = self.sizes.map(i64::from);
        let [a, b, c] = self.types;
        let [flip_a, flip_b, of_result] = self.flips;
        let matrix = |element, flip, rows, columns| {
            let dims = if flip == aclTransType::ACL_TRANS_T { vec![columns, rows] } else { vec![rows, columns] };
            let in_blocks = flip == aclTransType::ACL_TRANS_NZ;
            let format = if in_blocks { aclFormat::ACL_FORMAT_FRACTAL_NZ } else { aclFormat::ACL_FORMAT_ND };
            TensorDesc::new(element, dims, format)
        };
        let number = || TensorDesc::new(c, Vec::new(), aclFormat::ACL_FORMAT_ND);
        let result = matrix(c, of_result, m, n);
        let inputs = vec![matrix(a, flip_a, m, k), matrix(b, flip_b, k, n), result.clone(), number(), number()];
        let flipped = |flip| Attribute::Bool(flip == aclTransType::ACL_TRANS_T);
        let attributes = [("transpose_a", flipped(flip_a)), ("transpose_b", flipped(flip_b))];
        let attributes = attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        known(&Request { name: "GEMM".to_owned(), inputs, outputs: vec![result], attributes })
    }

    fn run(&self, operands: &Operands, stream: aclrtStream) -> Answer {
        let Operands { alpha, a, b, beta, c, leading } = operands;
        if [alpha, beta, a, b, c].iter().any(|address| address.is_null()) {
            return Err(Failure::invalid("a matrix, a vector, or a factor is null"));
        }
        self.check_sizes()?;
        if *leading != [-1; 3] {
            return Err(Failure::invalid("distances of rows are -1, which stands for none between them"));
        }
        self.check_precision()?;
        let plan = self.plan()?;
        let buffers = plan.input_bytes().into_iter().zip([a, b, c, alpha, beta]);
        let buffers: Vec<_> = buffers.map(|(bytes, address)| Buffer::new(*address, bytes)).collect();
        let inputs: Vec<_> = buffers.iter().map(|buffer| buffer.0).collect();
        let output = inputs.get(2).copied().into_iter().collect::<Vec<_>>();
        run(&plan, &inputs, &output, stream)
    }

    fn create_handle(&self, mut handle: Out<'_, *mut aclopHandle>) -> Answer {
        wanted(&handle)?;
        self.check_sizes()?;
        self.check_precision()?;
        handle.set(create_handle(self.plan()?).pointer());
        Ok(())
    }
}

/// Names the memory of an operand as long as the call lasts.
struct Buffer(Name<aclDataBuffer>);

impl Buffer {
    fn new(address: Address, bytes: usize) -> Self {
        Self(aclCreateDataBuffer(address, bytes).unwrap_or(Name::new(0)))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // It was made here, so that it is there.
        let _ = aclDestroyDataBuffer(self.0);
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasGemmEx(
    trans_a: aclTransType,
    trans_b: aclTransType,
    trans_c: aclTransType,
    m: i32,
    n: i32,
    k: i32,
    alpha: Address,
    matrix_a: Address,
    lda: i32,
    data_type_a: aclDataType,
    matrix_b: Address,
    ldb: i32,
    data_type_b: aclDataType,
    beta: Address,
    matrix_c: Address,
    ldc: i32,
    data_type_c: aclDataType,
    precision: aclComputeType,
    stream: aclrtStream,
) -> Answer {
    let (flips, types) = ([trans_a, trans_b, trans_c], [data_type_a, data_type_b, data_type_c]);
    let operands = Operands { alpha, a: matrix_a, b: matrix_b, beta, c: matrix_c, leading: [lda, ldb, ldc] };
    Product { flips, sizes: [m, n, k], types, precision }.run(&operands, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasGemvEx(
    trans_a: aclTransType,
    m: i32,
    n: i32,
    alpha: Address,
    a: Address,
    lda: i32,
    data_type_a: aclDataType,
    x: Address,
    incx: i32,
    data_type_x: aclDataType,
    beta: Address,
    y: Address,
    incy: i32,
    data_type_y: aclDataType,
    precision: aclComputeType,
    stream: aclrtStream,
) -> Answer {
    let operands = Operands { alpha, a, b: x, beta, c: y, leading: [lda, incx, incy] };
    of_vector(trans_a, m, n, [data_type_a, data_type_x, data_type_y], precision).run(&operands, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasHgemm(
    trans_a: aclTransType,
    trans_b: aclTransType,
    trans_c: aclTransType,
    m: i32,
    n: i32,
    k: i32,
    alpha: Address,
    matrix_a: Address,
    lda: i32,
    matrix_b: Address,
    ldb: i32,
    beta: Address,
    matrix_c: Address,
    ldc: i32,
    precision: aclComputeType,
    stream: aclrtStream,
) -> Answer {
    let operands = Operands { alpha, a: matrix_a, b: matrix_b, beta, c: matrix_c, leading: [lda, ldb, ldc] };
    let product = Product { flips: [trans_a, trans_b, trans_c], sizes: [m, n, k], types: HALVES, precision };
    product.run(&operands, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasS8gemm(
    trans_a: aclTransType,
    trans_b: aclTransType,
    trans_c: aclTransType,
    m: i32,
    n: i32,
    k: i32,
    alpha: Address,
    matrix_a: Address,
    lda: i32,
    matrix_b: Address,
    ldb: i32,
    beta: Address,
    matrix_c: Address,
    ldc: i32,
    precision: aclComputeType,
    stream: aclrtStream,
) -> Answer {
    let operands = Operands { alpha, a: matrix_a, b: matrix_b, beta, c: matrix_c, leading: [lda, ldb, ldc] };
    let product = Product { flips: [trans_a, trans_b, trans_c], sizes: [m, n, k], types: BYTES, precision };
    product.run(&operands, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasHgemv(
    trans_a: aclTransType,
    m: i32,
    n: i32,
    alpha: Address,
    a: Address,
    lda: i32,
    x: Address,
    incx: i32,
    beta: Address,
    y: Address,
    incy: i32,
    precision: aclComputeType,
    stream: aclrtStream,
) -> Answer {
    let operands = Operands { alpha, a, b: x, beta, c: y, leading: [lda, incx, incy] };
    of_vector(trans_a, m, n, HALVES, precision).run(&operands, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasS8gemv(
    trans_a: aclTransType,
    m: i32,
    n: i32,
    alpha: Address,
    a: Address,
    lda: i32,
    x: Address,
    incx: i32,
    beta: Address,
    y: Address,
    incy: i32,
    precision: aclComputeType,
    stream: aclrtStream,
) -> Answer {
    let operands = Operands { alpha, a, b: x, beta, c: y, leading: [lda, incx, incy] };
    of_vector(trans_a, m, n, BYTES, precision).run(&operands, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasCreateHandleForGemmEx(
    trans_a: aclTransType,
    trans_b: aclTransType,
    trans_c: aclTransType,
    m: i32,
    n: i32,
    k: i32,
    data_type_a: aclDataType,
    data_type_b: aclDataType,
    data_type_c: aclDataType,
    precision: aclComputeType,
    handle: Out<'_, *mut aclopHandle>,
) -> Answer {
    let (flips, types) = ([trans_a, trans_b, trans_c], [data_type_a, data_type_b, data_type_c]);
    Product { flips, sizes: [m, n, k], types, precision }.create_handle(handle)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasCreateHandleForGemvEx(
    trans_a: aclTransType,
    m: i32,
    n: i32,
    data_type_a: aclDataType,
    data_type_x: aclDataType,
    data_type_y: aclDataType,
    precision: aclComputeType,
    handle: Out<'_, *mut aclopHandle>,
) -> Answer {
    of_vector(trans_a, m, n, [data_type_a, data_type_x, data_type_y], precision).create_handle(handle)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasCreateHandleForHgemm(
    trans_a: aclTransType,
    trans_b: aclTransType,
    trans_c: aclTransType,
    m: i32,
    n: i32,
    k: i32,
    precision: aclComputeType,
    handle: Out<'_, *mut aclopHandle>,
) -> Answer {
    let flips = [trans_a, trans_b, trans_c];
    Product { flips, sizes: [m, n, k], types: HALVES, precision }.create_handle(handle)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclblasCreateHandleForS8gemm(
    trans_a: aclTransType,
    trans_b: aclTransType,
    trans_c: aclTransType,
    m: i32,
    n: i32,
    k: i32,
    precision: aclComputeType,
    handle: Out<'_, *mut aclopHandle>,
) -> Answer {
    let flips = [trans_a, trans_b, trans_c];
    Product { flips, sizes: [m, n, k], types: BYTES, precision }.create_handle(handle)
}

pub(crate) fn aclblasCreateHandleForHgemv(
    trans_a: aclTransType,
    m: i32,
    n: i32,
    precision: aclComputeType,
    handle: Out<'_, *mut aclopHandle>,
) -> Answer {
    of_vector(trans_a, m, n, HALVES, precision).create_handle(handle)
}

pub(crate) fn aclblasCreateHandleForS8gemv(
    trans_a: aclTransType,
    m: i32,
    n: i32,
    precision: aclComputeType,
    handle: Out<'_, *mut aclopHandle>,
) -> Answer {
    of_vector(trans_a, m, n, BYTES, precision).create_handle(handle)
}

/// A matrix times a vector of n elements, which is a matrix of one column.
fn of_vector(flip: aclTransType, m: i32, n: i32, types: [aclDataType; 3], precision: aclComputeType) -> Product {
    Product { flips: [flip, N, N], sizes: [m, 1, n], types, precision }
}
