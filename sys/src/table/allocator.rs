//! The user's allocator.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! allocator_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] allocator ["libacl_rt.so" "libascendcl.so"]

        [optional sim] fn aclrtAllocatorCreateDesc() -> aclrtAllocatorDesc;
        [optional sim] fn aclrtAllocatorDestroyDesc(allocator_desc: aclrtAllocatorDesc) -> aclError;
        [optional sim] fn aclrtAllocatorGetByStream(
            stream: aclrtStream, allocator_desc: *mut aclrtAllocatorDesc, allocator: *mut aclrtAllocator,
            alloc_func: *mut aclrtAllocatorAllocFunc, free_func: *mut aclrtAllocatorFreeFunc,
            alloc_advise_func: *mut aclrtAllocatorAllocAdviseFunc,
            get_addr_from_block_func: *mut aclrtAllocatorGetAddrFromBlockFunc
        ) -> aclError;
        [optional sim] fn aclrtAllocatorRegister(stream: aclrtStream, allocator_desc: aclrtAllocatorDesc) -> aclError;
        [optional sim] fn aclrtAllocatorSetAllocAdviseFuncToDesc(
            allocator_desc: aclrtAllocatorDesc, func: aclrtAllocatorAllocAdviseFunc
        ) -> aclError;
        [optional sim] fn aclrtAllocatorSetAllocFuncToDesc(
            allocator_desc: aclrtAllocatorDesc, func: aclrtAllocatorAllocFunc
        ) -> aclError;
        [optional sim] fn aclrtAllocatorSetFreeFuncToDesc(
            allocator_desc: aclrtAllocatorDesc, func: aclrtAllocatorFreeFunc
        ) -> aclError;
        [optional sim] fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
            allocator_desc: aclrtAllocatorDesc, func: aclrtAllocatorGetAddrFromBlockFunc
        ) -> aclError;
        [optional sim] fn aclrtAllocatorSetObjToDesc(
            allocator_desc: aclrtAllocatorDesc, allocator: aclrtAllocator
        ) -> aclError;
        [optional sim] fn aclrtAllocatorUnregister(stream: aclrtStream) -> aclError;
    } };
}
