//! Events and notifies.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! event_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] event ["libacl_rt.so" "libascendcl.so"]

        [optional sim] fn aclrtCntNotifyCreate(cnt_notify: *mut aclrtCntNotify, flag: u64) -> aclError;
        [optional sim] fn aclrtCntNotifyDestroy(cnt_notify: aclrtCntNotify) -> aclError;
        [optional sim] fn aclrtCntNotifyGetId(cnt_notify: aclrtCntNotify, notify_id: *mut u32) -> aclError;
        [optional sim] fn aclrtCntNotifyRecord(
            cnt_notify: aclrtCntNotify, stream: aclrtStream, info: *mut aclrtCntNotifyRecordInfo
        ) -> aclError;
        [optional sim] fn aclrtCntNotifyReset(cnt_notify: aclrtCntNotify, stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtCntNotifyWaitWithTimeout(
            cnt_notify: aclrtCntNotify, stream: aclrtStream, info: *mut aclrtCntNotifyWaitInfo
        ) -> aclError;
        [required sim] fn aclrtCreateEvent(event: *mut aclrtEvent) -> aclError;
        [optional sim] fn aclrtCreateEventExWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError;
        [optional sim] fn aclrtCreateEventWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError;
        [optional sim] fn aclrtCreateNotify(notify: *mut aclrtNotify, flag: u64) -> aclError;
        [required sim] fn aclrtDestroyEvent(event: aclrtEvent) -> aclError;
        [optional sim] fn aclrtDestroyNotify(notify: aclrtNotify) -> aclError;
        [required sim] fn aclrtEventElapsedTime(ms: *mut f32, start_event: aclrtEvent, end_event: aclrtEvent) -> aclError;
        [optional sim] fn aclrtEventGetTimestamp(event: aclrtEvent, timestamp: *mut u64) -> aclError;
        [optional sim] fn aclrtGetEventAvailNum(event_count: *mut u32) -> aclError;
        [optional sim] fn aclrtGetEventId(event: aclrtEvent, event_id: *mut u32) -> aclError;
        [optional sim] fn aclrtGetNotifyId(notify: aclrtNotify, notify_id: *mut u32) -> aclError;
        [optional sim] fn aclrtNotifyBatchReset(notifies: *mut aclrtNotify, num: usize) -> aclError;
        [optional sim] fn aclrtNotifyGetExportKey(notify: aclrtNotify, key: *mut c_char, len: usize, flags: u64) -> aclError;
        [optional sim] fn aclrtNotifyImportByKey(notify: *mut aclrtNotify, key: *const c_char, flags: u64) -> aclError;
        [optional sim] fn aclrtNotifySetImportPid(notify: aclrtNotify, pid: *mut i32, num: usize) -> aclError;
        [optional] fn aclrtNotifySetImportPidInterServer(
            notify: aclrtNotify, server_pids: *mut aclrtServerPid, num: usize
        ) -> aclError;
        [optional sim] fn aclrtQueryEvent(event: aclrtEvent, status: *mut aclrtEventStatus) -> aclError;
        [required sim] fn aclrtQueryEventStatus(event: aclrtEvent, status: *mut aclrtEventRecordedStatus) -> aclError;
        [optional sim] fn aclrtQueryEventWaitStatus(event: aclrtEvent, status: *mut aclrtEventWaitStatus) -> aclError;
        [required sim] fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtRecordEventWithFlag(event: aclrtEvent, stream: aclrtStream, flag: u32) -> aclError;
        [optional sim] fn aclrtRecordNotify(notify: aclrtNotify, stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> aclError;
        [required sim] fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> aclError;
        [optional sim] fn aclrtStreamWaitEventWithFlag(
            stream: aclrtStream, event: aclrtEvent, timeout: u32, flag: u32
        ) -> aclError;
        [optional sim] fn aclrtStreamWaitEventWithTimeout(
            stream: aclrtStream, event: aclrtEvent, timeout: i32
        ) -> aclError;
        [required sim] fn aclrtSynchronizeEvent(event: aclrtEvent) -> aclError;
        [required sim] fn aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32) -> aclError;
        [optional sim] fn aclrtWaitAndResetNotify(notify: aclrtNotify, stream: aclrtStream, timeout: u32) -> aclError;
    } };
}
