//! What can fail, and what a failure leaves.
//!
//! Each call returns a `Result`. [`Error`] has the library's function, its [`Code`] and its text, and the
//! [rules](Error::rules) that the program broke. A step that takes an object by value gives it back in [`Failed`]: `?` drops
//! the object and keeps the error, and [`OrDrop::or_drop`] does so for other error types. [`ScopeError`] and
//! [`RunError`](crate::RunError) have the errors of a whole scope.

// This file is longer than others because it has one enum. It lists each variant with its message.
mod boxed;
pub(crate) mod close;
mod extension;
mod foreign_kind;
mod input;
mod object;
mod outcome;
mod rules;
mod shapes;
mod truth;
mod vendor;

pub use crate::code::{Code, CodeKind};
use crate::device_allocator::ContextId;
use crate::element::ElementType;
use crate::library_user::LibraryUser;
use ascendcl_macros::{DebugAsText, rule};
pub(crate) use boxed::Boxed;
pub(crate) use close::CloseError;
pub use extension::{Extension, ExtensionError};
pub use foreign_kind::ForeignKind;
pub use input::InputError;
pub use object::ObjectKind;
use object::context_in_words;
pub(crate) use outcome::Lines;
pub use outcome::{Failed, OrDrop, ScopeError};
pub use rules::Cited;
pub use shapes::ShapesError;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
pub(crate) use truth::check_truth_values;
pub use vendor::{MissingFunction, VendorError};

/// The result of an operation of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// What [`Error::Load`] says of the simulator.
const OR_TO_SIM: &str = if cfg!(feature = "sim") { ", or to `sim` for the simulator inside this program" } else { "" };

/// Why an operation failed.
///
/// A value of this type is small; the parts that only matter when it is printed are boxed. `{:?}` prints the name of the
/// variant and the same text as `{}`, because that is what `unwrap` and a failed `main` print.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let error = current.device_buffer::<u8>(1 << 50).map(drop).unwrap_err();
/// println!("{error}"); // what was tried, the function, its code, the text of the library, and the rules
/// assert!(error.code().is_some());
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(DebugAsText, thiserror::Error)]
#[non_exhaustive]
#[rule(ERR_01)]
pub enum Error {
    /// A vendor call returned an error code.
    #[error(transparent)]
    Vendor(Box<VendorError>),
    /// The loaded library lacks a function that was needed.
    #[error(transparent)]
    MissingFunction(Box<MissingFunction>),
    /// A crate that extends this one failed or refused a call. [`extension`](Self::extension) returns its error.
    #[error(transparent)]
    Extension(#[from] Extension),
    /// Another library uses this one, so this one cannot be finalised before it.
    #[error("{}{}", user.why, Cited(user.rules))]
    LibraryInUse {
        /// The other library.
        user: &'static LibraryUser,
    },
    /// No library could be loaded.
    #[error(
        "{0}\nset ASCENDCL_LIBRARY to the path of the library{OR_TO_SIM}, or correct the path that was given to \
         `Library::at`, which does not read the variable"
    )]
    Load(Box<ascendcl_sys::LoadError>),
    /// `ASCENDCL_LIBRARY` asks for the simulator, but the program was built without it.
    #[error(
        "ASCENDCL_LIBRARY asks for the simulator, but this program was built without the feature `sim` of `ascendcl`"
    )]
    SimulatorNotBuiltIn,
    /// This process was forked from the process that loaded the library.
    #[error(
        "process {here} is a fork of process {loaded_in}, which loaded the library: AscendCL cannot be used here; \
         start a new program instead, or fork before the library is initialised{}",
        Cited(rules::FORKED)
    )]
    Forked {
        /// The number of the process that loaded the library.
        loaded_in: u32,
        /// The number of this process.
        here: u32,
    },
    /// Code outside this crate changed the current context of this thread and did not restore it. The crate detects
    /// this when [each call is verified](crate::Acl::verify_current).
    #[error(
        "the current context of this thread was changed by code outside this crate: expected {expected}, found \
         {found}; run such code inside `current.foreign(|| …)`, which restores the context{}",
        Cited(rules::CURRENT_CHANGED)
    )]
    CurrentChanged {
        /// The context that was entered.
        expected: Box<str>,
        /// The context that is current.
        found: Box<str>,
    },
    /// A context could not be destroyed because it is current on other threads. When those threads left it, the library
    /// refused to make another context current.
    #[error(
        "the context is still current on {threads} other thread(s), because the library refused to make another one \
         current; it can be destroyed after those threads have entered another context{}",
        Cited(rules::CURRENT_ELSEWHERE)
    )]
    CurrentElsewhere {
        /// How many.
        threads: usize,
    },
    /// The product does not support the function.
    #[error("{product} does not support {what}{}", Cited(rules::UNSUPPORTED_PRODUCT))]
    UnsupportedProduct {
        /// The library's name for the system on chip.
        product: Box<str>,
        /// The unsupported feature.
        what: &'static str,
    },
    /// An allocator group was used with a stream of another one.
    #[error(
        "this stream belongs to another allocator group: begin its turn in the group that it was attached to, or detach it \
         and attach it to this one{}",
        Cited(rules::OTHER_GROUP)
    )]
    OtherGroup,
    /// An allocator was registered, or a pool grown, in a context that its memory does not belong to.
    #[error(
        "this allocator's memory belongs to another context, so it cannot serve context {context}; \
         create an allocator while this context is current, or register it on a stream of its own context{}",
        Cited(rules::ALLOCATOR_OF_OTHER_CONTEXT)
    )]
    AllocatorOfOtherContext {
        /// The context that it cannot serve.
        context: ContextId,
    },
    /// A value of one context was used while another context is current. Only contexts of [runtimes](crate::Runtime)
    /// with the same name can be confused like this; for others the program does not compile.
    #[error(
        "the {what} belongs to {}, and {} is current: enter the runtime that it was made in{}",
        context_in_words(*owner),
        context_in_words(*current),
        Cited(what.rules_of_context())
    )]
    WrongContext {
        /// The kind of object.
        what: ObjectKind,
        /// The context that it was made in.
        owner: Option<ContextId>,
        /// The context that is current on this thread.
        current: Option<ContextId>,
    },
    /// The work that this wait was for may have failed. The library reports a failure to one wait only, and another
    /// wait got the report. Every other waiter for the work gets this error, once.
    #[error(
        "work that was queued here failed with {code}, as reported to another wait: the data that the work wrote is \
         not valid; a second wait returns the buffers{}",
        Cited(rules::WORK_FAILED)
    )]
    WorkFailed {
        /// The code that the other wait got.
        code: Code,
    },
    /// The library has not returned all blocks of an allocator.
    #[error(
        "the library still has {count} block(s) of the allocator, although its stream is synchronised; \
         first release the object that holds them, for example a loaded model{}",
        Cited(rules::BLOCKS_IN_USE)
    )]
    BlocksInUse {
        /// How many.
        count: usize,
    },
    /// A path that contains a NUL byte.
    #[error("the path {} contains a NUL byte", path.display())]
    NulInPath {
        /// The path.
        path: PathBuf,
    },
    /// A name or text that contains a NUL byte.
    #[error("the text {text:?} contains a NUL byte")]
    NulInText {
        /// The text.
        text: String,
    },
    /// The shapes of the tensors do not match the operator.
    #[error(transparent)]
    OperatorShapes(Box<ShapesError>),
    /// A function that returns a pointer returned null.
    #[error("{call} failed: it returned a null pointer{}", Cited(rules::NULL_ANSWER))]
    NullAnswer {
        /// The C function.
        call: &'static str,
    },
    /// The library allocated host memory whose address is not aligned for the largest element type.
    #[error("{call} succeeded, but the address of the memory is not a multiple of {alignment}")]
    MisalignedAnswer {
        /// The C function.
        call: &'static str,
        /// The required alignment of the address.
        alignment: usize,
    },
    /// The library reported a size of a model's axis that no axis can have: a negative one, or one beyond `usize`.
    #[error(
        "{call} succeeded, but the model that it describes has an axis of size {found}: compile the model anew, or \
         report this to the vendor"
    )]
    NoSizeAnswer {
        /// The C function.
        call: &'static str,
        /// The number.
        found: Box<str>,
    },
    /// This OS thread already has its [`Thread`](crate::Thread), or is inside a context.
    #[error(
        "this thread already has its `Thread`, or is inside a context: pass that `Thread` or that `current` on instead \
         of asking for another; `runtime.enter(current, ...)` enters one runtime inside another; open, close and sweep \
         runtimes outside of it, or on another thread{}",
        Cited(rules::THREAD_TAKEN)
    )]
    ThreadTaken,
    /// A job of an actor called or closed that actor, whose thread runs one job at a time.
    #[error(
        "this is a job of the same actor, and cannot wait for another one or for the end: do the work in this job, and \
         call or close the actor on another thread"
    )]
    OwnJob,
    /// The library was called from inside a callback or an allocator that the library itself had called.
    #[error(
        "the library cannot be called from inside a callback or an allocator, because it waits for that code to \
         return{}",
        Cited(rules::INSIDE_CALLBACK)
    )]
    InsideCallback,
    /// There is no such device.
    #[error("there is no device {id}: this machine has {count}, numbered from 0{}", Cited(rules::NO_SUCH_DEVICE))]
    NoSuchDevice {
        /// The number that was asked for.
        id: i32,
        /// How many there are.
        count: i32,
    },
    /// The [`Setup`](crate::Setup) names no device, and this process uses other devices and not device 0.
    #[error(
        "this process uses device {in_use} and not device 0, and the `Setup` names no device: pass \
         `Setup::builder().device({in_use})`, or the number of another device{}",
        Cited(rules::NO_DEVICE_NAMED)
    )]
    NoDeviceNamed {
        /// The number of the device in use.
        in_use: i32,
    },
    /// Objects of a context on the device, or the context itself, could not be released: their work was not waited for, or the
    /// library refuses to release them, or the library is closed inside of another context.
    #[error(
        "device {device} cannot be reset, because {stuck} could not be released: try again, or recover the device{}",
        Cited(rules::OBJECTS_LEFT)
    )]
    ObjectsLeft {
        /// The number of the device.
        device: i32,
        /// A description of what could not be released.
        stuck: String,
    },
    /// A device cannot be recovered while other parts of this process have taken it and not given it up, and cannot be
    /// taken or used while it is being recovered.
    #[error(
        "device {device} is taken {takes} time(s) in this process{}: it can be recovered when every other runtime on it \
         was closed, dropped, or has tried to close by force, and every other `Device` was reset, dropped, or has tried to \
         recover; it can be taken again after the recovery{}",
        outcome::TakenAt(held),
        Cited(rules::DEVICE_SHARED)
    )]
    DeviceShared {
        /// The number of the device.
        device: i32,
        /// How many parts have taken it.
        takes: usize,
        /// Where the program has made those other takes that were not given up: files, lines and columns. Empty while
        /// the device is being recovered.
        held: Box<str>,
    },
    /// Work in flight was used on a stream other than its own.
    #[error(
        "this {what} is in flight on another stream, and streams are not ordered: record an event on that stream and \
         call `stream.adopt_after(current, pending, &event)`, or wait for it first{}",
        Cited(rules::OTHER_STREAM)
    )]
    OtherStream {
        /// The kind of object in flight.
        what: ObjectKind,
    },
    /// An event does not come after the work that it should cover.
    #[error(
        "the event does not come after this work: it was recorded on another stream, or before the work was queued; \
         record it on the work's own stream after the work is queued{}",
        Cited(rules::NOT_COVERED)
    )]
    NotCovered,
    /// The time between two events is undefined: they were recorded on different streams, or a later record of one
    /// failed and may have moved it.
    #[error(
        "the two events were recorded on different streams, or a failed record may have moved one: the time between \
         them is undefined; record both on one stream{}",
        Cited(rules::EVENTS_OF_TWO_STREAMS)
    )]
    EventsOfTwoStreams,
    /// An object of one device was used on another.
    #[error(
        "the {what} belongs to device {found}, but the stream belongs to device {expected}; use an object of the \
         stream's device{}",
        Cited(rules::OTHER_DEVICE)
    )]
    OtherDevice {
        /// The kind of object.
        what: ObjectKind,
        /// The number of the stream's device.
        expected: i32,
        /// The number of the object's device.
        found: i32,
    },
    /// An object of one library was used with another.
    #[error(
        "the {what} was created by another library than the one that it is used with: use objects of one library, and \
         copy memory from one to the other through the host"
    )]
    OtherLibrary {
        /// The kind of object.
        what: ObjectKind,
    },
    /// A range that exceeds the buffer.
    #[error("elements {start}..{end} are out of range: the {what} has {length} elements{}", Cited(rules::NO_SUCH_PART))]
    NoSuchPart {
        /// Which buffer.
        what: ObjectKind,
        /// The first element.
        start: usize,
        /// One past the last element.
        end: usize,
        /// The elements of the buffer.
        length: usize,
    },
    /// A copy on the device that starts at a misaligned address.
    #[error(
        "a copy on the device cannot start {past} bytes after a multiple of {alignment}: source and destination must \
         start at multiples of {alignment} bytes; begin parts at such places, or copy this one by the host: `copy_to`, \
         `copy_from`{}",
        Cited(rules::MISALIGNED)
    )]
    Misaligned {
        /// How many bytes the start is past the last aligned address.
        past: usize,
        /// The required alignment.
        alignment: usize,
    },
    /// The program tried to unregister host memory that is not registered: memory of the library or of a vector.
    #[error(
        "this host memory is not registered: only a buffer that `current.register(pages)` made is unregistered{}",
        Cited(rules::NOT_REGISTERED)
    )]
    NotRegistered,
    /// Rows that overlap, or that are more or longer than the library copies.
    #[error(
        "{height} rows of {width} elements at a pitch of {pitch} elements cannot be copied: a row is at most as long as \
         the pitch and 5,000,000 bytes, and there are at most 5,242,880 rows{}",
        Cited(rules::NO_SUCH_ROWS)
    )]
    NoSuchRows {
        /// The elements of a row.
        width: usize,
        /// How many rows.
        height: usize,
        /// The smaller of the two pitches, in elements.
        pitch: usize,
    },
    /// A program on the device tried to copy rows.
    #[error(
        "a program that runs on the device cannot copy rows in one call: copy each row by itself{}",
        Cited(rules::NO_SUCH_ROWS)
    )]
    RowsOnDevice,
    /// Work of one device cannot access the memory of another device.
    #[error(
        "device {device} cannot access the memory of device {peer}: they are one device, or the library says that they \
         cannot reach each other; copy through host memory instead{}",
        Cited(rules::NO_PEER_ACCESS)
    )]
    NoPeerAccess {
        /// The number of the device whose work it is.
        device: i32,
        /// The number of the device that has the memory.
        peer: i32,
    },
    /// A callback panicked.
    #[error("the callback panicked: {message}{}", Cited(rules::CALLBACK_PANICKED))]
    CallbackPanicked {
        /// The message of the panic.
        message: String,
    },
    /// The stream completed without running the callback.
    #[error(
        "the callback never ran, although its stream is complete: the stream's work was discarded{}",
        Cited(rules::CALLBACK_LOST)
    )]
    CallbackLost,
    /// Queued work may still use the object. For an event, at the end of its context: a thread of another context is inside
    /// a call that uses the event, because a queue is full (STREAM-22). The event stays, and the next end tries again.
    #[error("the {what} may still be in use by {}{}", what.user(), Cited(what.rules_of_use()))]
    StillRunning {
        /// The kind of object.
        what: ObjectKind,
    },
    /// Shared memory has other handles: clones, parts, work in flight, or models and operators that read it. Or an arena
    /// has buffers.
    #[error(
        "this memory is still shared: clones, parts or buffers of it, work in flight, models or operators still use it; \
         drop them or wait for them first{}",
        Cited(rules::STILL_SHARED)
    )]
    StillShared,
    /// An input of a model reads shared memory, so it cannot be written or returned as a buffer.
    #[error(
        "the input `{name}` reads shared memory, which nobody writes: give the input memory of its own with \
         `unshare_input` first{}",
        Cited(rules::STILL_SHARED)
    )]
    InputIsShared {
        /// The input's name.
        name: String,
    },
    /// An input of a model has memory of its own, where shared memory was expected.
    #[error("the input `{name}` has memory of its own: exchange it with `exchange_input`")]
    NotShared {
        /// The input's name.
        name: String,
    },
    /// A part of a buffer begins at an address where memory of models and operators must not begin.
    #[error(
        "this part of a buffer begins {past} bytes after a multiple of {alignment} bytes, but memory that a model or an \
         operator uses has to begin at a multiple: begin parts at such places, or copy this one to a buffer of its own{}",
        Cited(rules::MISALIGNED_PART)
    )]
    MisalignedPart {
        /// How many bytes the start is past the last aligned address.
        past: usize,
        /// The required alignment.
        alignment: usize,
    },
    /// Memory cannot be seen as elements of another type.
    #[error(
        "{bytes} bytes that begin {past} bytes after a multiple of {alignment} cannot be read as elements of {size} \
         bytes with that alignment: take a part that begins at a multiple and has whole elements, or copy the bytes to a \
         buffer of their own"
    )]
    CannotCast {
        /// How many bytes there are.
        bytes: usize,
        /// The size of an element in bytes.
        size: usize,
        /// How many bytes the first one is past the last aligned address.
        past: usize,
        /// The alignment of an element.
        alignment: usize,
    },
    /// Memory that was kept before it was written was to become a buffer of written elements.
    #[error(
        "the {what} was not written when it was kept: take it as `MaybeUninit` elements, and write it first{}",
        Cited(rules::NOT_WRITTEN)
    )]
    NotWritten {
        /// The memory.
        what: ObjectKind,
    },
    /// A failed call may have queued work that uses the memory, and the wait for that work failed too. The memory can
    /// no longer be read and takes no work.
    #[error(
        "a failed call may have queued work that uses the {what}, and the wait for that work failed too: it cannot be \
         used any more; free it after its stream is synchronised, and use another{}",
        Cited(rules::IN_DOUBT)
    )]
    InDoubt {
        /// The kind of memory.
        what: ObjectKind,
    },
    /// A failed load has left a model in the workspace, and the new model needs the whole workspace.
    #[error(
        "a failed load has left a model in this workspace: unload it with `current.collect()`, or use another \
         workspace{}",
        Cited(rules::WORKSPACE_TAKEN)
    )]
    WorkspaceTaken,
    /// A model was used with another lane than the one that loaded it. Both lanes have the same name.
    #[error(
        "this model works in the workspace of another lane: a model runs through the lane that loaded it{}",
        Cited(rules::OTHER_WORKSPACE)
    )]
    OtherWorkspace,
    /// A call that changes a stream's allocator failed, and so did the call that undoes it.
    #[error(
        "the library failed to change this stream's allocator and failed to undo the change, so the allocator that it \
         calls is unknown; register or unregister again, or use another stream{}",
        Cited(rules::ALLOCATOR_IN_DOUBT)
    )]
    AllocatorInDoubt,
    /// A stream that is being captured was waited for, or given work that is not part of the capture. Nothing was
    /// called.
    #[error(
        "this stream is being captured: until the capture ends, it takes work through the `Capture` only and cannot be \
         waited for; use another stream, or wait after the capture{}",
        Cited(rules::CAPTURING)
    )]
    Capturing,
    /// The library cannot capture streams: it lacks a function, or reports that it does not support capturing. Nothing
    /// has changed.
    #[error("this library cannot capture streams, so queue the work on the stream itself: {0}")]
    CaptureUnsupported(Box<Error>),
    /// A call inside a capture or a build failed, and the program ignored the failure.
    #[error(
        "a call of the capture or of the build had failed, so the graph is not complete: {reason}; begin a new one, and \
         return the errors of its tasks with `?`"
    )]
    CaptureBroken {
        /// What had failed.
        reason: String,
    },
    /// Ordinary host memory was given to a capture.
    #[error(
        "a graph takes pinned host memory only, because each replay copies from there or to there: use \
         `current.host_buffer(length)`{}",
        Cited(rules::NOT_PINNED)
    )]
    NotPinned,
    /// A part of one capture was used in another, or in a branch that may run at the same time.
    #[error(
        "this is part of another capture, or of a branch that may run at the same time: name operands and groups of this \
         graph, and hand an operand over from its branch by `adopt_after`{}",
        Cited(rules::OTHER_CAPTURE)
    )]
    OtherCapture,
    /// An update of a graph names an operator of another kind than the group's, or with tensors of other types. The library was
    /// not called.
    #[error(
        "an update replaces each operator of a group by one of the same kind and types: the group has `{expected}` there, the update \
         has `{found}`{}",
        Cited(rules::UPDATES)
    )]
    OtherOperator {
        /// The operator of the group.
        expected: Box<str>,
        /// The operator of the update.
        found: Box<str>,
    },
    /// A graph was used after a failed update that may have changed only some of its tasks.
    #[error(
        "an update of this graph failed half-way, so it is not replayed any more: `into_operands` destroys it and gives \
         the operands back{}",
        Cited(rules::UPDATES)
    )]
    HalfUpdated,
    /// A graph that was captured on a stream with an allocator of the caller was replayed on another stream, or a graph was
    /// updated on a stream with an allocator on which it was not captured.
    #[error(
        "an allocator serves one stream alone: if a {what} was captured on a stream with an allocator, replay it on that \
         stream, and update it there or on a stream without an allocator{}",
        Cited(rules::NOT_ITS_STREAM)
    )]
    NotItsStream {
        /// The kind of object.
        what: ObjectKind,
    },
    /// The library has no conditions in captured graphs: it lacks a function, or reports that it does not support them.
    /// Nothing was captured.
    #[error(
        "this library has no conditions in captured graphs, so capture a graph for each case, or build a switch: {0}"
    )]
    ConditionsUnsupported(Box<Error>),
    /// A branch or a group of tasks in a body of a condition or a case of a switch, or memory that changes its branch
    /// there. Nothing was captured.
    #[error(
        "a body of a condition and a case of a switch have no branches and no groups of tasks, because they do not run in \
         each replay: put these before or after{}",
        Cited(rules::IN_A_BODY)
    )]
    InABody,
    /// The system could not start a thread for an [`Actor`](crate::runtime::Actor).
    #[error(
        "the system could not start a thread for an actor: {reason}; end other threads, or use a `Runtime` on a thread \
         that exists"
    )]
    NoThread {
        /// The system's error.
        reason: std::io::ErrorKind,
    },
    /// The thread of an [`Actor`](crate::runtime::Actor) has ended: by itself, or because the actor was closed by force.
    #[error("the actor's thread has ended: open another actor{}", outcome::Because(cause.as_deref()))]
    ActorEnded {
        /// Why it could not go on by itself. Its [code](Self::code) and [rules](Self::rules) are those of this error, too.
        cause: Option<Arc<Error>>,
    },
    /// A runtime could not be closed.
    #[error("{0}")]
    NotClosed(Box<CloseError>),
    /// An object of other code could not be taken down.
    #[error("could not take down the {what}: {reason}")]
    NotTakenDown {
        /// The kind of object: [`Attach::NAME`](crate::raw::Attach::NAME).
        what: &'static str,
        /// The error of its own code.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The object was destroyed.
    #[error("the {what} was already {}{}", what.end_in_words(), Cited(what.rules_of_life()))]
    Gone {
        /// The kind of object.
        what: ObjectKind,
    },
    /// A buffer is too short for what it has to hold.
    #[error(
        "the {what} is too short: it has {have} bytes, but {need} are needed{}{}",
        what.needed_for(),
        Cited(what.rules_of_size())
    )]
    TooShort {
        /// Which buffer.
        what: ObjectKind,
        /// Bytes needed. Of working memory, those of all models that were loaded onto it, and of the new one.
        need: usize,
        /// Bytes present.
        have: usize,
    },
    /// Two lengths differ that have to be equal.
    #[error("{what}: expected {expected} elements, found {found}{}", Cited(what.rules_of_size()))]
    LengthMismatch {
        /// The compared objects.
        what: ObjectKind,
        /// The required length.
        expected: usize,
        /// The actual length.
        found: usize,
    },
    /// Weights were allocated for another model, or the model's file has changed since.
    #[error(
        "these weights belong to {expected} as it was when they were allocated; {found} cannot share them; allocate \
         new ones with `current.weights(source)`{}",
        Cited(rules::WEIGHTS_OF_OTHER_MODEL)
    )]
    WeightsOfOtherModel {
        /// The model that they were allocated for.
        expected: Box<str>,
        /// The model to load with them.
        found: Box<str>,
    },
    /// A model file could not be read. It is read to compare it with the model whose weights it shares.
    #[error("the model {} cannot be read: {reason}", path.display())]
    UnreadableModel {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// The inputs do not match the model.
    #[error(transparent)]
    Input(Box<InputError>),
    /// An output was read as a type other than its own.
    #[error(
        "output `{name}` holds {found} and cannot be read as {asked}: ask for {found}, or for its bytes{}",
        Cited(InputError::FIT)
    )]
    OutputType {
        /// The output.
        name: Box<str>,
        /// The output's element type.
        found: ElementType,
        /// The requested type.
        asked: ElementType,
    },
    /// A tensor whose element type is known at run time was used as one of another type.
    #[error(
        "the tensor holds {found} and cannot be used as {asked}: ask for {found}, or convert it by the operator `Cast`{}",
        Cited(InputError::FIT)
    )]
    OtherElement {
        /// The tensor's element type.
        found: ElementType,
        /// The requested type.
        asked: ElementType,
    },
    /// A byte was used as a truth value, and is none.
    #[error(
        "a truth value is a byte 0 or 1, but the byte is {byte}: correct what wrote it, or use the bytes as `u8`{}",
        Cited(rules::NOT_WRITTEN)
    )]
    NoTruthValue {
        /// The byte.
        byte: u8,
    },
    /// An output was used before an execution had written it. A failure that may concern the last execution, a
    /// [`reshape`](crate::BoundModel::reshape) of a model with gears, and new memory for the output need another execution.
    #[error(
        "no execution has written this output yet, or none since the last failure, reshape or replacement of its memory: \
         execute first{}",
        Cited(rules::NOT_EXECUTED)
    )]
    NotExecuted,
    /// The library did not report the shape of an output.
    #[error("the library did not report the shape of output `{name}`")]
    UnknownShape {
        /// The output.
        name: String,
    },
    /// The library allocated no memory for an output that it should allocate.
    #[error(
        "the library allocated no memory for output `{name}`: it does not have to for executions on a stream; \
         bind the model with memory for the output, `OutputBuffer::AtMost(elements)`{}",
        Cited(rules::OUTPUT_NOT_ALLOCATED)
    )]
    OutputNotAllocated {
        /// The output.
        name: String,
    },
    /// An input that does not exist.
    #[error("there is no input {index}: the model has {count}{}", Cited(InputError::COUNT))]
    NoSuchInput {
        /// The index that was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A tensor of an element type that this crate does not know.
    #[error(
        "`{name}` has elements of type {element}, whose size neither this crate nor the model's description \
         knows: give it a fixed shape in the model, or convert it there to a type of this crate"
    )]
    UnknownElement {
        /// The input or output.
        name: String,
        /// Its element type.
        element: ElementType,
    },
    /// An output that does not exist.
    #[error("there is no output {index}: the model has {count}")]
    NoSuchOutput {
        /// The index that was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A name that no output has.
    #[error("the model has no output `{name}`; its outputs are {names}")]
    NoOutputNamed {
        /// The name that was asked for.
        name: Box<str>,
        /// The names that the outputs have, in order.
        names: Box<str>,
    },
    /// The wait for the lane timed out.
    #[error(
        "timed out after {} ms: another model was running in this workspace; the model was not run: try again, or wait \
         longer{}",
        waited.as_millis(),
        Cited(rules::WORKSPACE_BUSY)
    )]
    WorkspaceBusy {
        /// How long it waited at most.
        waited: Duration,
    },
}

impl Error {
    /// Whether a failed call certainly queued no work, because it never reached the library. A return code of the
    /// library proves nothing, whatever its value (`docs/failed-calls.md`).
    pub(crate) fn rules_out_that_work_was_queued(&self) -> bool {
        !matches!(self, Self::Vendor(_))
    }

    /// Whether the code's class says that the library refused the call. That alone is no reason to free memory.
    pub(crate) fn is_a_refusal(&self) -> bool {
        match self {
            Self::Vendor(error) => matches!(error.code.kind(), CodeKind::Usage | CodeKind::Resource),
            _ => true,
        }
    }

    /// Whether the time of a wait with a limit was up. Work that was queued is still in flight. After
    /// [`WorkspaceBusy`](Self::WorkspaceBusy) there is none, because the model was not run.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// use std::time::Duration;
    ///
    /// let stream = current.stream()?;
    /// let work = stream.launch_host_fn(current, || std::thread::sleep(Duration::from_millis(200)))?;
    /// let failed = work.wait_within(current, Duration::from_millis(1)).unwrap_err();
    /// assert!(failed.error.is_timeout());
    /// failed.value.wait(current)?.into_result()?;
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::WorkspaceBusy { .. }) || self.code().is_some_and(Code::is_timeout)
    }

    /// Whether the device is lost: [`Code::is_device_lost`] of the error's [code](Self::code).
    pub fn is_device_lost(&self) -> bool {
        self.code().is_some_and(Code::is_device_lost)
    }

    /// Whether memory was missing: [`Code::is_out_of_memory`] of the error's [code](Self::code).
    pub fn is_out_of_memory(&self) -> bool {
        self.code().is_some_and(Code::is_out_of_memory)
    }

    /// The vendor's code, when a vendor call failed.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Vendor(error) => Some(error.code),
            Self::WorkFailed { code } => Some(*code),
            Self::CaptureUnsupported(error) | Self::ConditionsUnsupported(error) => error.code(),
            Self::NotClosed(error) => error.code(),
            Self::ActorEnded { cause } => cause.as_ref().and_then(|cause| cause.code()),
            Self::NotTakenDown { reason, .. } => reason.downcast_ref::<Self>().and_then(Self::code),
            _ => None,
        }
    }
}
