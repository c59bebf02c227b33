//! Pools of device memory that is allocated and freed in stream order.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! memory_pool_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] memory_pool ["libacl_rt.so" "libascendcl.so"]

        [optional sim] fn aclrtMemPoolCreate(mem_pool: *mut aclrtMemPool, pool_props: *const aclrtMemPoolProps) -> aclError;
        [optional sim] fn aclrtMemPoolDestroy(mem_pool: aclrtMemPool) -> aclError;
        [optional sim] fn aclrtMemPoolFreeAsync(ptr: *mut c_void, stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtMemPoolGetAttr(mem_pool: aclrtMemPool, attr: aclrtMemPoolAttr, value: *mut c_void) -> aclError;
        [optional sim] fn aclrtMemPoolMallocAsync(
            ptr: *mut *mut c_void, size: usize, mem_pool: aclrtMemPool, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtMemPoolSetAttr(mem_pool: aclrtMemPool, attr: aclrtMemPoolAttr, value: *mut c_void) -> aclError;
        [optional sim] fn aclrtMemPoolTrimTo(mem_pool: aclrtMemPool, min_bytes_to_keep: usize) -> aclError;
    } };
}
