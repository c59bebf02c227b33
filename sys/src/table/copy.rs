//! Copies, sets and other memory tasks.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! copy_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] copy ["libacl_rt.so" "libascendcl.so"]

        [optional sim] fn aclrtCmoAsync(
            src: *mut c_void, size: usize, cmo_type: aclrtCmoType, stream: aclrtStream
        ) -> aclError;
        [optional] fn aclrtCmoAsyncWithBarrier(
            src: *mut c_void, size: usize, cmo_type: aclrtCmoType, barrier_id: u32, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtCmoAsyncWithDesc(
            cmo_desc: *mut c_void, cmo_type: aclrtCmoType, stream: aclrtStream, reserve: *const c_void
        ) -> aclError;
        [optional sim] fn aclrtCmoGetDescSize(size: *mut usize) -> aclError;
        [optional sim] fn aclrtCmoSetDesc(cmo_desc: *mut c_void, src: *mut c_void, size: usize) -> aclError;
        [optional] fn aclrtCmoWaitBarrier(
            task_info: *mut aclrtBarrierTaskInfo, stream: aclrtStream, flag: u32
        ) -> aclError;
        [optional sim] fn aclrtGetMemcpyDescSize(kind: aclrtMemcpyKind, desc_size: *mut usize) -> aclError;
        [required sim] fn aclrtMemcpy(
            dst: *mut c_void, dest_max: usize, src: *const c_void, count: usize, kind: aclrtMemcpyKind
        ) -> aclError;
        [optional sim] fn aclrtMemcpy2d(
            dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize,
            kind: aclrtMemcpyKind
        ) -> aclError;
        [optional sim] fn aclrtMemcpy2dAsync(
            dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize,
            kind: aclrtMemcpyKind, stream: aclrtStream
        ) -> aclError;
        [required sim] fn aclrtMemcpyAsync(
            dst: *mut c_void, dest_max: usize, src: *const c_void, count: usize, kind: aclrtMemcpyKind,
            stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtMemcpyAsyncWithCondition(
            dst: *mut c_void, dest_max: usize, src: *const c_void, count: usize, kind: aclrtMemcpyKind,
            stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtMemcpyAsyncWithDesc(desc: *mut c_void, kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtMemcpyAsyncWithOffset(
            dst: *mut *mut c_void, dest_max: usize, dst_data_offset: usize, src: *mut *const c_void, count: usize,
            src_data_offset: usize, kind: aclrtMemcpyKind, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtMemcpyBatch(
            dsts: *mut *mut c_void, dest_maxs: *mut usize, srcs: *mut *mut c_void, sizes: *mut usize, num_batches: usize,
            attrs: *mut aclrtMemcpyBatchAttr, attrs_indexes: *mut usize, num_attrs: usize, fail_index: *mut usize
        ) -> aclError;
        [optional sim] fn aclrtMemcpyBatchAsync(
            dsts: *mut *mut c_void, dest_maxs: *mut usize, srcs: *mut *mut c_void, sizes: *mut usize, num_batches: usize,
            attrs: *mut aclrtMemcpyBatchAttr, attrs_indexes: *mut usize, num_attrs: usize, fail_index: *mut usize,
            stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtMemcpyBatchAsyncV2(
            dsts: *mut *mut c_void, dest_maxs: *mut usize, srcs: *mut *mut c_void, sizes: *mut usize, num_batches: usize,
            attrs: *mut aclrtMemcpyBatchAttr, attrs_indexes: *mut usize, num_attrs: usize, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtMemcpyBatchV2(
            dsts: *mut *mut c_void, dest_maxs: *mut usize, srcs: *mut *mut c_void, sizes: *mut usize, num_batches: usize,
            attrs: *mut aclrtMemcpyBatchAttr, attrs_indexes: *mut usize, num_attrs: usize
        ) -> aclError;
        [required sim] fn aclrtMemset(dev_ptr: *mut c_void, max_count: usize, value: i32, count: usize) -> aclError;
        [required sim] fn aclrtMemsetAsync(
            dev_ptr: *mut c_void, max_count: usize, value: i32, count: usize, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtMemsetD32(ptr: *mut c_void, mem_size: usize, value: u32, n: usize) -> aclError;
        [optional sim] fn aclrtMemsetD32Async(
            ptr: *mut c_void, mem_size: usize, value: u32, n: usize, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtRandomNumAsync(
            task_info: *const aclrtRandomNumTaskInfo, stream: aclrtStream, reserve: *mut c_void
        ) -> aclError;
        [optional sim] fn aclrtReduceAsync(
            dst: *mut c_void, src: *const c_void, count: u64, kind: aclrtReduceKind, data_type: aclDataType,
            stream: aclrtStream, reserve: *mut c_void
        ) -> aclError;
        [optional sim] fn aclrtSetMemcpyDesc(
            desc: *mut c_void, kind: aclrtMemcpyKind, src_addr: *mut c_void, dst_addr: *mut c_void, count: usize,
            config: *mut c_void
        ) -> aclError;
        [optional] fn aclrtTaskUpdateAsync(
            task_stream: aclrtStream, task_id: u32, info: *mut aclrtTaskUpdateInfo, exec_stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtValueWait(dev_addr: *mut c_void, value: u64, flag: u32, stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtValueWrite(dev_addr: *mut c_void, value: u64, flag: u32, stream: aclrtStream) -> aclError;
    } };
}
