//! Between findings and the vendor's codes.

use ascendcl_rules::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclError;

/// How a call ended that answered this code.
pub(super) fn outcome(event: &Event, code: aclError) -> Outcome {
    let refused = [
        ACL_ERROR_INVALID_PARAM,
        ACL_ERROR_RT_CONTEXT_NULL,
        ACL_ERROR_RT_STREAM_CONTEXT,
        ACL_ERROR_RT_INVALID_HANDLE,
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        // A stream that is captured or part of a model is neither waited for nor ended.
        ACL_ERROR_RT_STREAM_CAPTURED,
        ACL_ERROR_RT_STREAM_MODEL,
    ];
    match (code, event.op) {
        (ACL_SUCCESS, _) => Outcome::Success,
        // One more finalise is owed.
        (ACL_ERROR_REPEAT_INITIALIZE, Op::Initialise) => Outcome::Success,
        (ACL_ERROR_RT_STREAM_SYNC_TIMEOUT | ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, _) => Outcome::TimedOut,
        // A failure of the work is what a wait answers; the wait is over then.
        (code, Op::Synchronize) if !refused.contains(&code) => Outcome::WorkFailed,
        (code, Op::Destroy | Op::DestroyForce) if event.object.kind == Kind::Stream && !refused.contains(&code) => {
            Outcome::Success
        }
        _ => Outcome::Refused,
    }
}

/// The code that the vendor's library returns, or should return, for a call that breaks this rule.
pub(super) fn code_of(finding: &Finding) -> aclError {
    let rule = finding.rule;
    if rule == CTX_10 && finding.call.object.kind == Kind::Context {
        // The context is there; its streams are the mistake.
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    let by_rule = [
        (INIT_01, ACL_ERROR_UNINITIALIZE),
        (INIT_02, ACL_ERROR_UNINITIALIZE),
        (INIT_08, ACL_ERROR_REPEAT_FINALIZE),
        (DEV_01, ACL_ERROR_RT_CONTEXT_NULL),
        (DEV_04, ACL_ERROR_RT_CONTEXT_NULL),
        (DEV_05, ACL_ERROR_RT_INVALID_HANDLE),
        (DEV_07, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR),
        (CTX_02, ACL_ERROR_RT_CONTEXT_NULL),
        (CTX_09, ACL_ERROR_RT_CONTEXT_NULL),
        (CTX_10, ACL_ERROR_RT_INVALID_HANDLE),
        (CTX_11, ACL_ERROR_RT_CONTEXT_NULL),
        (THREAD_01, ACL_ERROR_RT_CONTEXT_NULL),
        (MEM_05, ACL_ERROR_INVALID_PARAM),
        (MEM_06, ACL_ERROR_RT_CONTEXT_NULL),
        (STREAM_02, ACL_ERROR_INVALID_PARAM),
        (STREAM_06, ACL_ERROR_RT_STREAM_CONTEXT),
        (STREAM_08, ACL_ERROR_RT_INVALID_HANDLE),
        (STREAM_09, ACL_ERROR_RT_STREAM_CONTEXT),
        (STREAM_10, ACL_ERROR_RT_STREAM_CONTEXT),
        (EVENT_06, ACL_ERROR_RT_INVALID_HANDLE),
        (EVENT_07, ACL_ERROR_RT_STREAM_CONTEXT),
        (CB_01, ACL_ERROR_RT_FEATURE_NOT_SUPPORT),
        (CB_02, ACL_ERROR_RT_STREAM_NO_CB_REG),
        (CB_04, ACL_ERROR_RT_STREAM_SUBSCRIBE),
        (MODEL_01, ACL_ERROR_RT_MODEL_CONTEXT),
        (MODEL_10, ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID),
        (MODEL_12, ACL_ERROR_GE_EXEC_MODEL_ID_INVALID),
        (MODEL_18, ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID),
    ];
    let found = by_rule.iter().find(|(listed, _)| *listed == rule).map(|(_, code)| *code);
    found.unwrap_or(match rule.rule().area {
        // Areas of the layer above the runtime.
        Area::INIT | Area::ALLOC | Area::DATA | Area::MODEL | Area::OP | Area::DVPP => ACL_ERROR_INVALID_PARAM,
        _ => ACL_ERROR_RT_PARAM_INVALID,
    })
}
