//! The vendor's return codes.

use ascendcl_macros::rule;
use ascendcl_rules::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclError;
use core::fmt;

/// A return code of the vendor's library. It prints as number and name: `107002 (ACL_ERROR_RT_CONTEXT_NULL)`.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// use ascendcl::error::CodeKind;
///
/// // No device has so much memory.
/// let error = current.device_buffer::<u8>(1 << 50).map(drop).unwrap_err();
/// let code = error.code().unwrap();
/// assert_eq!((code.number(), code.kind()), (207001, CodeKind::Resource));
/// assert!(code.is_out_of_memory());
/// assert_eq!(i32::from(code), 207001);
/// assert_eq!(code.to_string(), "207001 (ACL_ERROR_RT_MEMORY_ALLOCATION)");
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(aclError);

/// The kind of a failure, by the vendor's classes of codes (ERR-05).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum CodeKind {
    /// 1xxxxx: the library does not allow this use of the call. Trying again does not help.
    Usage,
    /// 2xxxxx: a resource is exhausted, or the product or release does not support the call.
    Resource,
    /// 3xxxxx: the state of a service does not allow the call.
    Service,
    /// 5xxxxx: the library or the device failed.
    Internal,
    /// A number outside the documented classes.
    Unknown,
}

impl Code {
    /// The number.
    pub fn number(self) -> i32 {
        self.0
    }

    /// The name in the vendor's headers, if there is one.
    pub fn name(self) -> Option<&'static str> {
        error_name(self.0)
    }

    /// The vendor's class of the code.
    #[rule(ERR_05)]
    pub fn kind(self) -> CodeKind {
        match self.0 / 100_000 {
            1 => CodeKind::Usage,
            2 => CodeKind::Resource,
            3 => CodeKind::Service,
            5 => CodeKind::Internal,
            _ => CodeKind::Unknown,
        }
    }

    /// The rules that the code is about, if its number identifies them.
    pub fn rules(self) -> &'static [RuleId] {
        match self.0 {
            ACL_ERROR_UNINITIALIZE => &[INIT_01],
            // `aclInit` succeeds with it; a second directory of operators is refused with it.
            ACL_ERROR_REPEAT_INITIALIZE => &[OP_05, INIT_05],
            ACL_ERROR_REPEAT_FINALIZE => &[INIT_08],
            ACL_ERROR_DUMP_ALREADY_RUN | ACL_ERROR_DUMP_NOT_RUN => &[INIT_12],
            ACL_ERROR_PROF_ALREADY_RUN | ACL_ERROR_PROF_NOT_RUN | ACL_ERROR_PROF_API_CONFLICT => &[INIT_13],
            ACL_ERROR_RT_INVALID_DEVICEID => &[DEV_11],
            ACL_ERROR_RT_CONTEXT_RELEASE_ERROR => &[DEV_07],
            ACL_ERROR_RT_CONTEXT_NULL => &[THREAD_01],
            ACL_ERROR_RT_SYSPARAMOPT_NOT_SET => &[CTX_13],
            ACL_ERROR_RT_STREAM_CONTEXT => &[STREAM_09],
            ACL_ERROR_INVALID_RESOURCE_HANDLE => &[STREAM_07],
            ACL_ERROR_RT_INVALID_HANDLE => &[STREAM_08, EVENT_06],
            ACL_ERROR_RT_STREAM_SYNC_TIMEOUT | ACL_ERROR_RT_TASK_TIMEOUT => &[STREAM_16],
            ACL_ERROR_RT_EVENT_SYNC_TIMEOUT => &[EVENT_11],
            ACL_ERROR_RT_NO_STREAM_RESOURCE => &[CTX_12, STREAM_11],
            ACL_ERROR_RT_NO_EVENT_RESOURCE => &[EVENT_08],
            ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID
            | ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL
            | ACL_ERROR_RT_EVENT_NOT_COMPLETE => &[EVENT_04],
            ACL_ERROR_RT_STREAM_NO_CB_REG => &[CB_02],
            ACL_ERROR_RT_STREAM_SUBSCRIBE | ACL_ERROR_RT_THREAD_SUBSCRIBE | ACL_ERROR_REPEAT_SUBSCRIBE => &[CB_04],
            ACL_ERROR_RT_REPORT_TIMEOUT => &[CB_05],
            ACL_ERROR_RT_STREAM_CAPTURED => &[STREAM_18, GRAPH_04],
            ACL_ERROR_RT_STREAM_NOT_CAPTURED | ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED => &[GRAPH_01],
            ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD => &[GRAPH_02],
            ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT => &[GRAPH_03],
            ACL_ERROR_RT_EVENT_CAPTURED
            | ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT
            | ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC
            | ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED => &[GRAPH_04],
            ACL_ERROR_RT_CAPTURE_DEPENDENCY | ACL_ERROR_RT_STREAM_UNJOINED | ACL_ERROR_STREAM_CAPTURE_CONFLICT => {
                &[GRAPH_06]
            }
            ACL_ERROR_RT_MODEL_RUNNING => &[GRAPH_07],
            ACL_ERROR_STREAM_TASK_GROUP_STATUS | ACL_ERROR_STREAM_TASK_GROUP_INTR => &[GRAPH_09],
            ACL_ERROR_RT_STREAM_ABORT => &[STREAM_17],
            ACL_ERROR_RT_DEVICE_TASK_ABORT => &[ERR_07],
            ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED | ACL_ERROR_HOST_MEMORY_NOT_REGISTERED => &[MEM_14],
            ACL_ERROR_RT_MODEL_CONTEXT => &[MODEL_01],
            ACL_ERROR_INVALID_MODEL_ID | ACL_ERROR_GE_EXEC_MODEL_ID_INVALID => &[MODEL_12],
            ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID => &[MODEL_10],
            ACL_ERROR_MODEL_SIZE_INVALID | ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID => &[MODEL_11],
            ACL_ERROR_MODEL_INPUT_NOT_MATCH | ACL_ERROR_MODEL_OUTPUT_NOT_MATCH => &[DATA_07],
            ACL_ERROR_MODEL_NOT_DYNAMIC
            | ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID
            | ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID
            | ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID => &[MODEL_20],
            ACL_ERROR_INVALID_BUNDLE_MODEL_ID => &[MODEL_23],
            ACL_ERROR_DESERIALIZE_MODEL | ACL_ERROR_RT_NO_MODEL_RESOURCE => &[MODEL_27],
            ACL_ERROR_OP_INPUT_NOT_MATCH | ACL_ERROR_OP_OUTPUT_NOT_MATCH => &[OP_02],
            ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED
            | ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED
            | ACL_ERROR_KERNEL_ALREADY_REGISTERED => &[OP_08],
            ACL_ERROR_OP_NOT_FOUND | ACL_ERROR_OP_LOAD_FAILED => &[OP_09],
            ACL_ERROR_RT_KERNEL_UNREGISTERING => &[KERNEL_01],
            ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED => &[DVPP_02],
            ACL_ERROR_SNAPSHOT_LOCK_FAILED..=ACL_ERROR_SNAPSHOT_RESTORE_FAILED => &[ERR_08],
            _ => &[],
        }
    }

    /// Whether this is the code of a wait that timed out. The work is still in flight (STREAM-16).
    ///
    /// There are three such codes: 507046 for streams and contexts, 507047 for events, and 107020 in some releases.
    pub fn is_timeout(self) -> bool {
        matches!(self.0, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT | ACL_ERROR_RT_EVENT_SYNC_TIMEOUT | ACL_ERROR_RT_TASK_TIMEOUT)
    }

    /// Whether the device is lost: 507010 when it gives no sign of life any more, 507901 when the connection to it is
    /// broken. Work that was queued there is lost, and further calls on the device fail.
    ///
    /// A program ends what it has on the device by [`Device::recover`](crate::Device::recover) or
    /// [`Runtime::close_by_force`](crate::Runtime::close_by_force), and tries to take the device again from time to time.
    /// Neither a device that hangs ([`is_timeout`](Self::is_timeout)) nor one that reports faults of its memory (507053,
    /// 507054) is lost: it still answers calls.
    ///
    /// ```
    /// use ascendcl::error::Code;
    ///
    /// assert!(Code::from(507010).is_device_lost() && !Code::from(507046).is_device_lost());
    /// ```
    pub fn is_device_lost(self) -> bool {
        matches!(self.0, ACL_ERROR_RT_LOST_HEARTBEAT | ACL_ERROR_RT_SOCKET_CLOSE)
    }

    /// Whether memory was missing: 207001 and 207018 from the runtime, 200000 and 245000 from the parts above it. The
    /// call did nothing, and it can succeed when memory has been freed.
    ///
    /// When the crate allocates for a buffer, it has freed dropped buffers and tried again before it returns the error.
    pub fn is_out_of_memory(self) -> bool {
        matches!(
            self.0,
            ACL_ERROR_RT_MEMORY_ALLOCATION
                | ACL_ERROR_RT_DEVICE_OOM
                | ACL_ERROR_BAD_ALLOC
                | ACL_ERROR_GE_MEMORY_ALLOCATION
        )
    }
}

impl Code {
    /// Whether a wait that answered with this code reported failed work. Neither a wait whose time is up nor one that was
    /// refused because a stream is being captured reports anything (GRAPH-04).
    pub(crate) fn reports_work(self) -> bool {
        !self.is_timeout() && !matches!(self.0, ACL_ERROR_RT_STREAM_CAPTURED | ACL_ERROR_RT_EVENT_CAPTURED)
    }
}

impl From<aclError> for Code {
    fn from(number: aclError) -> Self {
        Self(number)
    }
}

impl From<Code> for aclError {
    fn from(code: Code) -> Self {
        code.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.0, self.name().unwrap_or("a code without a name in the headers"))
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of situations for which the manual names another code, or a range of codes.
    const KIN: [aclError; 7] = [
        ACL_ERROR_RT_TASK_TIMEOUT,
        ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
        ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID,
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
        ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
        ACL_ERROR_SNAPSHOT_UNLOCK_FAILED,
        ACL_ERROR_SNAPSHOT_BACKUP_FAILED,
    ];

    fn known() -> impl Iterator<Item = Code> {
        (100_000..600_000).map(Code).filter(|code| code.name().is_some())
    }

    fn names(id: RuleId, code: Code) -> bool {
        let (rule, number) = (id.rule(), code.number().to_string());
        [rule.text, rule.consequence, rule.source, rule.means].iter().any(|text| text.contains(&number))
    }

    #[test]
    fn a_code_that_has_rules_is_named_by_one_of_them() {
        let with_rules = known().filter(|code| !code.rules().is_empty());
        let unnamed: Vec<_> =
            with_rules.filter(|code| !code.rules().iter().any(|rule| names(*rule, *code))).map(Code::number).collect();
        assert_eq!(unnamed, KIN);
    }

    #[test]
    fn a_code_that_one_rule_names_has_rules() {
        let of_one = known().filter(|code| RuleId::all().filter(|rule| names(*rule, *code)).count() == 1);
        let without: Vec<_> = of_one.filter(|code| code.rules().is_empty()).map(Code::number).collect();
        // Any failure inside the library has this code.
        assert_eq!(without, [ACL_ERROR_RT_INTERNAL_ERROR]);
    }
}
