//! A call that failed: the code for the caller, and the text that `aclGetRecentErrMsg` gives to the same thread.

use ascendcl_rules::{Kind, Object, RuleId};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclError;
use std::borrow::Cow;

/// The answer of a call that returns an `aclError`.
pub(crate) type Answer<T = ()> = Result<T, Failure>;

/// Why a call failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) code: aclError,
    pub(crate) text: Cow<'static, str>,
    /// The rule that the program breaks with the call, where the code says that it does.
    pub(crate) breach: Option<Box<Breach>>,
}

/// A rule that a call breaks which the library refuses for that. The text of the failure says what was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Breach {
    pub(crate) rule: RuleId,
    pub(crate) expected: &'static str,
    pub(crate) fix: &'static str,
    /// The first one is what the call is about.
    pub(crate) objects: Vec<Object>,
    /// When that began which is not complete.
    pub(crate) since: Option<u64>,
}

/// Whether it stands for null where a call needs memory, a graph or a description. That the program has none may follow from
/// a call that was to make one.
pub(crate) fn is_given_as_null(object: Object) -> bool {
    object.number == 0 && matches!(object.kind, Kind::Memory | Kind::Graph | Kind::Description)
}

impl Failure {
    pub(crate) fn new(code: aclError, text: impl Into<Cow<'static, str>>) -> Self {
        Self { code, text: text.into(), breach: None }
    }

    /// With the rule that the call breaks, unless it is known by now.
    pub(crate) fn breaks(mut self, rule: RuleId, expected: &'static str, fix: &'static str) -> Self {
        self.breach.get_or_insert_with(|| Box::new(Breach { rule, expected, fix, objects: Vec::new(), since: None }));
        self
    }

    /// The text says first what it is about.
    pub(crate) fn of(self, what: &str) -> Self {
        Self { text: format!("{what}: {}", self.text).into(), ..self }
    }

    /// The same failure, as calls that know no more than that they fail report it.
    pub(crate) fn coded(self, code: aclError) -> Self {
        Self { code, ..self }
    }

    /// The rule is a more particular one.
    pub(crate) fn instead(mut self, rule: RuleId) -> Self {
        self.breach.iter_mut().for_each(|breach| breach.rule = rule);
        self
    }

    /// With an object that the broken rule is about. A null handle is none, but for [what a call is given as
    /// null](is_given_as_null).
    pub(crate) fn about(mut self, object: Object) -> Self {
        if let Some(breach) = &mut self.breach
            && (object.number != 0 || object == Object::PROCESS || is_given_as_null(object))
        {
            breach.objects.push(object);
        }
        self
    }

    /// With the moment at which that began which is not complete. A call that has failed since may be the reason.
    pub(crate) fn since(mut self, begun: u64) -> Self {
        self.breach.iter_mut().for_each(|breach| breach.since = Some(begun));
        self
    }

    /// An argument that the AscendCL layer itself refuses (100000).
    pub(crate) fn invalid(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ACL_ERROR_INVALID_PARAM, text)
    }

    /// An argument that the runtime below it refuses (107000).
    pub(crate) fn refused(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ACL_ERROR_RT_PARAM_INVALID, text)
    }

    /// The thread has no current context (107002).
    pub(crate) fn no_context() -> Self {
        Self::new(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no current context; set a device or a context first")
    }

    /// A handle that was destroyed, or never issued (107017).
    pub(crate) fn unknown(what: &'static str) -> Self {
        Self::new(ACL_ERROR_RT_INVALID_HANDLE, format!("this is not the handle of a live {what}"))
    }

    /// The object belongs to a context that is not the current one (107003).
    pub(crate) fn other_context(what: &'static str) -> Self {
        Self::new(ACL_ERROR_RT_STREAM_CONTEXT, format!("the {what} belongs to a context that is not current here"))
    }

    /// The system starts no thread for work of this kind (207005).
    pub(crate) fn no_thread(work: &str) -> Self {
        let text = format!(
            "the system starts no thread for {work}; it limits the threads of a user, of a group, or of the whole machine \
             (`ulimit -u`, `pids.max`), or has no memory for one"
        );
        Self::new(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, text)
    }

    /// Something this library does not do (207000).
    pub(crate) fn unsupported(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, text)
    }
}
