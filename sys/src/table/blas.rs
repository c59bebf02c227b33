//! Products of matrices and vectors.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! blas_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] blas ["libacl_cblas.so"]

        [optional sim] fn aclblasCreateHandleForGemmEx(
            trans_a: aclTransType, trans_b: aclTransType, trans_c: aclTransType, m: c_int, n: c_int, k: c_int,
            data_type_a: aclDataType, data_type_b: aclDataType, data_type_c: aclDataType, r#type: aclComputeType,
            handle: *mut *mut aclopHandle
        ) -> aclError;
        [optional sim] fn aclblasCreateHandleForGemvEx(
            trans_a: aclTransType, m: c_int, n: c_int, data_type_a: aclDataType, data_type_x: aclDataType,
            data_type_y: aclDataType, r#type: aclComputeType, handle: *mut *mut aclopHandle
        ) -> aclError;
        [optional sim] fn aclblasCreateHandleForHgemm(
            trans_a: aclTransType, trans_b: aclTransType, trans_c: aclTransType, m: c_int, n: c_int, k: c_int,
            r#type: aclComputeType, handle: *mut *mut aclopHandle
        ) -> aclError;
        [optional sim] fn aclblasCreateHandleForHgemv(
            trans_a: aclTransType, m: c_int, n: c_int, r#type: aclComputeType, handle: *mut *mut aclopHandle
        ) -> aclError;
        [optional sim] fn aclblasCreateHandleForS8gemm(
            trans_a: aclTransType, trans_b: aclTransType, trans_c: aclTransType, m: c_int, n: c_int, k: c_int,
            r#type: aclComputeType, handle: *mut *mut aclopHandle
        ) -> aclError;
        [optional sim] fn aclblasCreateHandleForS8gemv(
            trans_a: aclTransType, m: c_int, n: c_int, r#type: aclComputeType, handle: *mut *mut aclopHandle
        ) -> aclError;
        [optional sim] fn aclblasGemmEx(
            trans_a: aclTransType, trans_b: aclTransType, trans_c: aclTransType, m: c_int, n: c_int, k: c_int,
            alpha: *const c_void, matrix_a: *const c_void, lda: c_int, data_type_a: aclDataType,
            matrix_b: *const c_void, ldb: c_int, data_type_b: aclDataType, beta: *const c_void, matrix_c: *mut c_void,
            ldc: c_int, data_type_c: aclDataType, r#type: aclComputeType, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclblasGemvEx(
            trans_a: aclTransType, m: c_int, n: c_int, alpha: *const c_void, a: *const c_void, lda: c_int,
            data_type_a: aclDataType, x: *const c_void, incx: c_int, data_type_x: aclDataType, beta: *const c_void,
            y: *mut c_void, incy: c_int, data_type_y: aclDataType, r#type: aclComputeType, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclblasHgemm(
            trans_a: aclTransType, trans_b: aclTransType, trans_c: aclTransType, m: c_int, n: c_int, k: c_int,
            alpha: *const aclFloat16, matrix_a: *const aclFloat16, lda: c_int, matrix_b: *const aclFloat16, ldb: c_int, beta: *const aclFloat16,
            matrix_c: *mut aclFloat16, ldc: c_int, r#type: aclComputeType, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclblasHgemv(
            trans_a: aclTransType, m: c_int, n: c_int, alpha: *const aclFloat16, a: *const aclFloat16, lda: c_int, x: *const aclFloat16,
            incx: c_int, beta: *const aclFloat16, y: *mut aclFloat16, incy: c_int, r#type: aclComputeType, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclblasS8gemm(
            trans_a: aclTransType, trans_b: aclTransType, trans_c: aclTransType, m: c_int, n: c_int, k: c_int,
            alpha: *const i32, matrix_a: *const i8, lda: c_int, matrix_b: *const i8, ldb: c_int, beta: *const i32,
            matrix_c: *mut i32, ldc: c_int, r#type: aclComputeType, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclblasS8gemv(
            trans_a: aclTransType, m: c_int, n: c_int, alpha: *const i32, a: *const i8, lda: c_int, x: *const i8,
            incx: c_int, beta: *const i32, y: *mut i32, incy: c_int, r#type: aclComputeType, stream: aclrtStream
        ) -> aclError;
    } };
}
