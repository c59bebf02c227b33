//! Kinds of objects that other crates have.

use ascendcl_rules::RuleId;

/// A kind of object of another crate, for the errors that name objects.
///
/// ```
/// use ascendcl::Error;
/// use ascendcl::error::{ForeignKind, ObjectKind};
///
/// const COMMUNICATOR: ObjectKind = ObjectKind::foreign(&ForeignKind {
///     name: "communicator",
///     rules_of_use: &[],
///     rules_of_life: &[],
///     rules_of_context: &[],
/// });
///
/// assert_eq!(Error::Gone { what: COMMUNICATOR }.to_string(), "the communicator was already destroyed");
/// ```
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct ForeignKind {
    /// The name of the kind, for messages.
    pub name: &'static str,
    /// The rules that forbid ending or changing an object while queued work may use it
    /// ([`StillRunning`](crate::Error::StillRunning)).
    pub rules_of_use: &'static [RuleId],
    /// The rules that forbid using an object after its end ([`Gone`](crate::Error::Gone)).
    pub rules_of_life: &'static [RuleId],
    /// The rules that forbid using an object while another context is current
    /// ([`WrongContext`](crate::Error::WrongContext)).
    pub rules_of_context: &'static [RuleId],
}
