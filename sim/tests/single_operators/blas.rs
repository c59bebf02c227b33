//! Products of matrices and vectors, with what is added to them.

use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::exports::{blas::*, operator::*};
use half::f16;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

const N: aclTransType = aclTransType::ACL_TRANS_N;
const T: aclTransType = aclTransType::ACL_TRANS_T;
const NZ: aclTransType = aclTransType::ACL_TRANS_NZ;
const NZ_T: aclTransType = aclTransType::ACL_TRANS_NZ_T;
const HIGH: aclComputeType = aclComputeType::ACL_COMPUTE_HIGH_PRECISION;
const LOW: aclComputeType = aclComputeType::ACL_COMPUTE_LOW_PRECISION;
const DEFAULT: aclrtStream = aclrtStream::NULL;

/// Elements on the device.
fn on_device<E: Scalar>(elements: &[E]) -> *mut c_void {
    input(&[elements.len() as i64], elements).address
}

fn elements<E: Scalar>(address: *mut c_void, count: usize) -> Vec<E> {
    ok!(aclrtSynchronizeStream(DEFAULT));
    read(address, count * size_of::<E>()).chunks(size_of::<E>()).map(E::of).collect()
}

/// Makes every compiled operator known.
fn load_operators() {
    ok!(aclopLoad([1_u8].as_ptr().cast(), 1));
}

/// What a call is given, to be changed in one place.
#[derive(Clone, Copy)]
struct Call {
    flips: [aclTransType; 3],
    sizes: [c_int; 3],
    leading: [c_int; 3],
    types: [aclDataType; 3],
    operands: [*mut c_void; 5],
    precision: aclComputeType,
}

impl Call {
    /// `[1 2 3; 4 5 6] * [1 0; 0 1; 1 1]`, twice, and half of `[10 20; 30 40]`.
    fn of_floats() -> Self {
        let (a, b) = (on_device(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]), on_device(&[1.0_f32, 0.0, 0.0, 1.0, 1.0, 1.0]));
        let (c, alpha, beta) = (on_device(&[10.0_f32, 20.0, 30.0, 40.0]), on_device(&[2.0_f32]), on_device(&[0.5_f32]));
        let types = [aclDataType::ACL_FLOAT; 3];
        let operands = [alpha, a, b, beta, c];
        Self { flips: [N; 3], sizes: [2, 2, 3], leading: [-1; 3], types, operands, precision: HIGH }
    }

    fn run(self) -> aclError {
        let Self { flips: [fa, fb, fc], sizes: [m, n, k], leading: [la, lb, lc], types: [ta, tb, tc], .. } = self;
        let [alpha, a, b, beta, c] = self.operands;
        let kind = self.precision;
        acl!(aclblasGemmEx(fa, fb, fc, m, n, k, alpha, a, la, ta, b, lb, tb, beta, c, lc, tc, kind, DEFAULT))
    }

    fn handle(self) -> (aclError, *mut aclopHandle) {
        let Self { flips: [fa, fb, fc], sizes: [m, n, k], types: [ta, tb, tc], precision, .. } = self;
        let mut handle = null_mut();
        let code = acl!(aclblasCreateHandleForGemmEx(fa, fb, fc, m, n, k, ta, tb, tc, precision, &mut handle));
        (code, handle)
    }

    fn free(self) {
        for address in self.operands {
            ok!(aclrtFree(address));
        }
    }
}

#[test]
fn a_product_is_scaled_and_added_to_what_was_there() {
    let _machine = device();
    let call = Call::of_floats();
    fails!(ACL_ERROR_OP_NOT_FOUND, "GEMM: no model", call.run());
    fails!(ACL_ERROR_OP_NOT_FOUND, "GEMM: no model", call.handle().0);
    load_operators();
    assert_eq!(call.run(), ACL_SUCCESS, "{}", message());
    assert_eq!(elements::<f32>(call.operands[4], 4), [13.0, 20.0, 35.0, 42.0]);
    // Transposed, the same numbers are [1 4 2; 5 3 6] and [1 0; 0 1; 1 1].
    let flipped = Call { flips: [T, T, N], ..call };
    ok!(aclrtMemset(call.operands[4], 16, 0, 16));
    assert_eq!(flipped.run(), ACL_SUCCESS, "{}", message());
    // Rows of the first: [1 3 5] and [2 4 6]; columns of the second: [1 0 0] and [1 1 1].
    assert_eq!(elements::<f32>(call.operands[4], 4), [2.0, 18.0, 4.0, 24.0]);
    call.free();
}

#[test]
fn halves_and_bytes_have_calls_of_their_own() {
    let _machine = device();
    load_operators();
    let half = |numbers: &[f32]| on_device(&numbers.iter().map(|number| f16::from_f32(*number)).collect::<Vec<_>>());
    let (a, x, y) = (half(&[1.0, 2.0, 3.0, 4.0]), half(&[1.0, 10.0]), half(&[100.0, 200.0]));
    let (one, two) = (half(&[1.0]), half(&[2.0]));
    let stream = DEFAULT;
    ok!(aclblasHgemv(N, 2, 2, two.cast(), a.cast(), -1, x.cast(), -1, one.cast(), y.cast(), -1, HIGH, stream));
    assert_eq!(elements::<f16>(y, 2).map_floats(), [142.0, 286.0]);
    ok!(aclblasHgemm(N, N, N, 2, 1, 2, one.cast(), a.cast(), -1, x.cast(), -1, one.cast(), y.cast(), -1, HIGH, stream));
    assert_eq!(elements::<f16>(y, 2).map_floats(), [163.0, 329.0]);
    let bytes = |bytes: [i8; 4]| on_device(&bytes.map(i8::cast_unsigned));
    let (a, x, y) = (bytes([-1, 2, 3, 127]), bytes([1, -10, 0, 0]), on_device(&[5_i32, 7]));
    let (one, three) = (on_device(&[1_i32]), on_device(&[3_i32]));
    ok!(aclblasS8gemv(N, 2, 2, one.cast(), a.cast(), -1, x.cast(), -1, three.cast(), y.cast(), -1, HIGH, stream));
    assert_eq!(elements::<i32>(y, 2), [-21 + 15, 3 - 1270 + 21]);
    ok!(aclblasS8gemm(
        N,
        N,
        N,
        2,
        1,
        2,
        one.cast(),
        a.cast(),
        -1,
        x.cast(),
        -1,
        one.cast(),
        y.cast(),
        -1,
        HIGH,
        stream
    ));
    assert_eq!(elements::<i32>(y, 2), [-6 - 21, -1246 - 1267]);
}

trait Floats {
    fn map_floats(&self) -> Vec<f32>;
}

impl Floats for Vec<f16> {
    fn map_floats(&self) -> Vec<f32> {
        self.iter().map(|half| half.to_f32()).collect()
    }
}

#[test]
fn a_handle_multiplies_other_buffers() {
    let _machine = device();
    load_operators();
    let call = Call::of_floats();
    let (code, handle) = call.handle();
    assert_eq!(code, ACL_SUCCESS, "{}", message());
    acl!(aclopDestroyHandle(handle));
    let create = |of: &dyn Fn(*mut *mut aclopHandle) -> aclError| {
        let mut handle = null_mut();
        assert_eq!(of(&mut handle), ACL_SUCCESS, "{}", message());
        assert!(!handle.is_null());
        acl!(aclopDestroyHandle(handle));
        fails!(ACL_ERROR_INVALID_PARAM, "null", of(null_mut()));
    };
    let float = aclDataType::ACL_FLOAT;
    create(&|handle| acl!(aclblasCreateHandleForGemvEx(T, 2, 3, float, float, float, HIGH, handle)));
    create(&|handle| acl!(aclblasCreateHandleForHgemm(N, T, N, 2, 3, 4, HIGH, handle)));
    create(&|handle| acl!(aclblasCreateHandleForHgemv(N, 2, 3, HIGH, handle)));
    create(&|handle| acl!(aclblasCreateHandleForS8gemm(N, T, N, 2, 3, 4, HIGH, handle)));
    create(&|handle| acl!(aclblasCreateHandleForS8gemv(N, 2, 3, HIGH, handle)));
    call.free();
}

/// What is wrong of two things shows which of them is looked at first.
#[test]
fn a_product_looks_at_null_sizes_flips_distances_and_precision() {
    let _machine = device();
    let good = Call::of_floats();
    let low = Call { precision: LOW, ..good };
    let wrong = ACL_ERROR_INVALID_PARAM;
    for place in 0..5 {
        let mut call = Call { sizes: [0, 2, 3], ..low };
        call.operands[place] = null_mut();
        fails!(wrong, "is null", call.run());
    }
    for sizes in [[0, 2, 3], [2, -1, 3], [2, 2, 0]] {
        fails!(wrong, "m, n and k", Call { sizes, flips: [NZ_T; 3], ..low }.run());
        fails!(wrong, "m, n and k", Call { sizes, flips: [NZ_T; 3], ..low }.handle().0);
    }
    for flips in [[NZ_T, N, T], [N, NZ_T, T], [aclTransType(9), N, T]] {
        fails!(wrong, "factors", Call { flips, leading: [0; 3], ..low }.run());
    }
    for flip in [T, NZ_T] {
        fails!(wrong, "the result", Call { flips: [N, N, flip], leading: [0; 3], ..low }.run());
        fails!(wrong, "the result", Call { flips: [N, N, flip], ..low }.handle().0);
    }
    for place in 0..3 {
        let mut call = low;
        call.leading[place] = 3;
        fails!(wrong, "distances", call.run());
    }
    fails!(wrong, "precision", low.run());
    fails!(wrong, "precision", low.handle().0);
    // The operator comes behind.
    for flips in [[NZ, N, N], [N, NZ, N], [N, N, NZ]] {
        fails!(ACL_ERROR_OP_NOT_FOUND, "format", Call { flips, ..good }.run());
    }
    let mixed = [aclDataType::ACL_FLOAT, aclDataType::ACL_FLOAT16, aclDataType::ACL_FLOAT];
    fails!(ACL_ERROR_OP_NOT_FOUND, "expected one of", Call { types: mixed, ..good }.run());
    good.free();
}
