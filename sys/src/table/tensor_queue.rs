//! Queues of buffers between processes and devices, and the routes between queues.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! tensor_queue_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] tensor_queue ["libacl_tdt_queue.so"]

        [optional sim] fn acltdtAddQueueRoute(route_list: *mut acltdtQueueRouteList, route: *const acltdtQueueRoute) -> aclError;
        [optional sim] fn acltdtAllocBuf(size: usize, r#type: u32, buf: *mut acltdtBuf) -> aclError;
        [optional sim] fn acltdtAppendBufChain(head_buf: acltdtBuf, buf: acltdtBuf) -> aclError;
        [optional] fn acltdtAttachQueue(qid: u32, timeout: i32, permission: *mut u32) -> aclError;
        [optional sim] fn acltdtBindQueueRoutes(route_list: *mut acltdtQueueRouteList) -> aclError;
        [optional sim] fn acltdtCopyBufRef(buf: acltdtBuf, new_buf: *mut acltdtBuf) -> aclError;
        [optional sim] fn acltdtCreateQueue(attr: *const acltdtQueueAttr, qid: *mut u32) -> aclError;
        [optional sim] fn acltdtCreateQueueAttr() -> *mut acltdtQueueAttr;
        [optional sim] fn acltdtCreateQueueRoute(src_id: u32, dst_id: u32) -> *mut acltdtQueueRoute;
        [optional sim] fn acltdtCreateQueueRouteList() -> *mut acltdtQueueRouteList;
        [optional sim] fn acltdtCreateQueueRouteQueryInfo() -> *mut acltdtQueueRouteQueryInfo;
        [optional sim] fn acltdtDequeue(qid: u32, buf: *mut acltdtBuf, timeout: i32) -> aclError;
        [optional sim] fn acltdtDequeueData(
            qid: u32, data: *mut c_void, data_size: usize, ret_data_size: *mut usize, user_data: *mut c_void,
            user_data_size: usize, timeout: i32
        ) -> aclError;
        [optional sim] fn acltdtDestroyQueue(qid: u32) -> aclError;
        [optional sim] fn acltdtDestroyQueueAttr(attr: *const acltdtQueueAttr) -> aclError;
        [optional sim] fn acltdtDestroyQueueRoute(route: *const acltdtQueueRoute) -> aclError;
        [optional sim] fn acltdtDestroyQueueRouteList(route_list: *const acltdtQueueRouteList) -> aclError;
        [optional sim] fn acltdtDestroyQueueRouteQueryInfo(info: *const acltdtQueueRouteQueryInfo) -> aclError;
        [optional sim] fn acltdtEnqueue(qid: u32, buf: acltdtBuf, timeout: i32) -> aclError;
        [optional sim] fn acltdtEnqueueData(
            qid: u32, data: *const c_void, data_size: usize, user_data: *const c_void, user_data_size: usize,
            timeout: i32, rsv: u32
        ) -> aclError;
        [optional sim] fn acltdtFreeBuf(buf: acltdtBuf) -> aclError;
        [optional sim] fn acltdtGetBufChainNum(head_buf: acltdtBuf, num: *mut u32) -> aclError;
        [optional sim] fn acltdtGetBufData(buf: acltdtBuf, data_ptr: *mut *mut c_void, size: *mut usize) -> aclError;
        [optional sim] fn acltdtGetBufDataLen(buf: acltdtBuf, len: *mut usize) -> aclError;
        [optional sim] fn acltdtGetBufFromChain(head_buf: acltdtBuf, index: u32, buf: *mut acltdtBuf) -> aclError;
        [optional sim] fn acltdtGetBufUserData(buf: acltdtBuf, data_ptr: *mut c_void, size: usize, offset: usize) -> aclError;
        [optional sim] fn acltdtGetQueueAttr(
            attr: *const acltdtQueueAttr, r#type: acltdtQueueAttrType, len: usize, param_ret_size: *mut usize,
            param: *mut c_void
        ) -> aclError;
        [optional sim] fn acltdtGetQueueRoute(
            route_list: *const acltdtQueueRouteList, index: usize, route: *mut acltdtQueueRoute
        ) -> aclError;
        [optional sim] fn acltdtGetQueueRouteNum(route_list: *const acltdtQueueRouteList) -> usize;
        [optional sim] fn acltdtGetQueueRouteParam(
            route: *const acltdtQueueRoute, r#type: acltdtQueueRouteParamType, len: usize, param_ret_size: *mut usize,
            param: *mut c_void
        ) -> aclError;
        [optional] fn acltdtGrantQueue(qid: u32, pid: i32, permission: u32, timeout: i32) -> aclError;
        [optional sim] fn acltdtQueryQueueRoutes(
            query_info: *const acltdtQueueRouteQueryInfo, route_list: *mut acltdtQueueRouteList
        ) -> aclError;
        [optional sim] fn acltdtSetBufDataLen(buf: acltdtBuf, len: usize) -> aclError;
        [optional sim] fn acltdtSetBufUserData(buf: acltdtBuf, data_ptr: *const c_void, size: usize, offset: usize) -> aclError;
        [optional sim] fn acltdtSetQueueAttr(
            attr: *mut acltdtQueueAttr, r#type: acltdtQueueAttrType, len: usize, param: *const c_void
        ) -> aclError;
        [optional sim] fn acltdtSetQueueRouteQueryInfo(
            param: *mut acltdtQueueRouteQueryInfo, r#type: acltdtQueueRouteQueryInfoParamType, len: usize,
            value: *const c_void
        ) -> aclError;
        [optional sim] fn acltdtUnbindQueueRoutes(route_list: *mut acltdtQueueRouteList) -> aclError;
    } };
}
