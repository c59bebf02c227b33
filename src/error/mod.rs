//! What can go wrong, in values.

#[cfg(feature = "ge")]
mod engine;
mod input;
mod object;
mod outcome;
mod rules;
mod vendor;

use crate::code::{Code, CodeKind};
use crate::device_allocator::ContextId;
use crate::element::ElementType;
use ascendcl_macros::rule;
#[cfg(feature = "ge")]
pub use engine::{EngineError, FailedCall, Status};
pub use input::InputError;
pub use object::ObjectKind;
use object::context_in_words;
pub use outcome::{OrDrop, ScopeError, Undone};
pub(crate) use rules::Cited;
use std::path::PathBuf;
use std::time::Duration;
pub use vendor::{MissingFunction, VendorError};

/// The result of an operation of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why an operation failed.
///
/// A value of this type is small; the parts that only matter when it is printed are boxed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[rule(ERR_01)]
pub enum Error {
    /// A vendor call answered with an error code.
    #[error(transparent)]
    Vendor(Box<VendorError>),
    /// The loaded library does not have a function that was needed.
    #[error(transparent)]
    MissingFunction(Box<MissingFunction>),
    /// The graph engine failed, or cannot be used so.
    #[cfg(feature = "ge")]
    #[error(transparent)]
    Engine(#[from] Box<EngineError>),
    /// No library could be loaded.
    #[error("{0}\nset ASCENDCL_LIBRARY to the file of the library, or to `sim` for the simulator inside this program")]
    Load(#[from] ascendcl_sys::LoadError),
    /// The simulator was asked for in a program that was built without it.
    #[error(
        "ASCENDCL_LIBRARY asks for the simulator, and this program was built without the feature `sim` of `ascendcl`"
    )]
    SimulatorNotBuiltIn,
    /// The process is a child (by `fork`) of the one that loaded the library.
    #[error(
        "process {here} is a fork of process {loaded_in}, which loaded the library: AscendCL cannot be used here; start a \
         new program instead, or fork before the library is initialised{}",
        Cited(rules::FORKED)
    )]
    Forked {
        /// The process that loaded the library.
        loaded_in: u32,
        /// This process.
        here: u32,
    },
    /// Code outside this crate made another context current on this thread than the one that was entered, and did not
    /// put it back. Told when [each call is verified](crate::Acl::verify_current).
    #[error(
        "another context is current on this thread than the one that was entered: expected {expected}, found {found}; \
         code outside this crate has changed it; run such code inside `current.foreign(|| …)`, which puts it back{}",
        Cited(rules::CURRENT_CHANGED)
    )]
    CurrentChanged {
        /// The context that was entered.
        expected: String,
        /// The context that is current.
        found: String,
    },
    /// A context could not be destroyed: it is current on other threads, on which the library refused to make another
    /// one current when they left it.
    #[error(
        "the context is still current on {threads} other thread(s), where the library refused to make another one \
         current; it can be destroyed when those threads have entered another context{}",
        Cited(rules::CURRENT_ELSEWHERE)
    )]
    CurrentElsewhere {
        /// How many.
        threads: usize,
    },
    /// The product does not support the function.
    #[error("{product} does not support {what}{}", Cited(rules::UNSUPPORTED_PRODUCT))]
    UnsupportedProduct {
        /// The system on chip, as the library names it.
        product: String,
        /// What it does not support.
        what: &'static str,
    },
    /// A permit was to be spent on a stream of another group.
    #[error(
        "this stream shares another allocator than the permit's: it is a member of another group{}",
        Cited(rules::OTHER_GROUP)
    )]
    OtherGroup,
    /// An allocator was to be registered, or a pool to grow, in another context than the one that its memory is of.
    #[error(
        "this allocator's memory is of another context: it cannot serve context {context}; \
         make one with this context current, or register it on a stream of its own context{}",
        Cited(rules::OTHER_CONTEXT)
    )]
    OtherContext {
        /// The context that it was to serve.
        context: ContextId,
    },
    /// A value of one context was to be used while another one is current. Only contexts of [runtimes](crate::Runtime) that
    /// share a name can be mixed up like this: others do not compile.
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
    /// Work that this wait was for may have failed. The library tells a failure to one wait only, and that was another one;
    /// everybody else who waits for the work is told by this error, once.
    #[error(
        "work that was queued here failed with {code}, which another wait was told: what the work was to write cannot be \
         relied on; a second wait gives the buffers back{}",
        Cited(rules::WORK_FAILED)
    )]
    WorkFailed {
        /// What the library told the other wait.
        code: Code,
    },
    /// The library has not given back all blocks of an allocator.
    #[error(
        "{count} block(s) of the allocator are still with the library, although its stream is synchronised; \
         what holds them, a loaded model say, has to go first{}",
        Cited(rules::BLOCKS_IN_USE)
    )]
    BlocksInUse {
        /// How many.
        count: usize,
    },
    /// A path that C cannot spell.
    #[error("the path {} has a NUL byte in it", path.display())]
    NulInPath {
        /// The path.
        path: PathBuf,
    },
    /// A name or text that C cannot spell.
    #[error("the text {text:?} has a NUL byte in it")]
    NulInText {
        /// The text.
        text: String,
    },
    /// The shapes of tensors do not fit the operator.
    #[error("{operator} takes {expected}; {found} were given")]
    OperatorShapes {
        /// The vendor's name of the operator.
        operator: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What it was given.
        found: String,
    },
    /// A function that answers with a pointer answered with null.
    #[error("{call} answered with a null pointer, which is how it says that it failed{}", Cited(rules::NULL_ANSWER))]
    NullAnswer {
        /// The C function.
        call: &'static str,
    },
    /// The library gave out host memory that does not begin where the largest element may be.
    #[error("{call} answered with success, and with memory at an address that is not a multiple of {alignment}")]
    MisalignedAnswer {
        /// The C function.
        call: &'static str,
        /// What the address has to be a multiple of.
        alignment: usize,
    },
    /// This OS thread already has its [`Thread`](crate::Thread) token.
    #[error(
        "this thread already has its `Thread` token; pass that one on instead of making a second{}",
        Cited(rules::THREAD_TAKEN)
    )]
    ThreadTaken,
    /// The library was called from code that the library itself called: a callback, or an allocator.
    #[error(
        "the library cannot be called from inside a callback or an allocator: it is waiting for it to return{}",
        Cited(rules::INSIDE_CALLBACK)
    )]
    InsideCallback,
    /// There is no such device.
    #[error("there is no device {id}: this machine has {count}, numbered from 0{}", Cited(rules::NO_SUCH_DEVICE))]
    NoSuchDevice {
        /// The number that was asked for.
        id: i32,
        /// How many there are.
        count: u32,
    },
    /// [`run`](crate::run) was not told which device to take, and this process uses another one than device 0.
    #[error(
        "this process uses device {in_use}, and nothing was said about the device that `run` is to take: say \
         `Setup::builder().device({in_use})`, or which other one is meant{}",
        Cited(rules::DEVICE_NOT_SAID)
    )]
    DeviceNotSaid {
        /// A device that is in use.
        in_use: i32,
    },
    /// The device still has work that could not be waited for.
    #[error("device {device} cannot be given back: it is still working on {stuck}{}", Cited(rules::POISONED))]
    Poisoned {
        /// The device.
        device: i32,
        /// What is in flight, in words.
        stuck: String,
    },
    /// A device was to be recovered that other parts of this process have taken, too; or taken while that was under way.
    #[error(
        "device {device} is taken {takes} time(s) in this process: it can be recovered when one part alone has it, and \
         taken when that is over{}",
        Cited(rules::DEVICE_SHARED)
    )]
    DeviceShared {
        /// The device.
        device: i32,
        /// How often it is taken.
        takes: usize,
    },
    /// Work in flight was to be continued on another stream than its own.
    #[error(
        "this {what} is in flight on another stream, and between streams there is no order: record an event there and \
         take it over, `stream.take_over(current, pending, &event)`, or wait for it first{}",
        Cited(rules::OTHER_STREAM)
    )]
    OtherStream {
        /// What is in flight.
        what: ObjectKind,
    },
    /// An event does not come after the work that it was to stand for.
    #[error(
        "the event does not come after this work: it was recorded on another stream, or before the work was queued; \
         record it on the work's own stream once the work is queued{}",
        Cited(rules::NOT_COVERED)
    )]
    NotCovered,
    /// The time between two events was asked for that mark points of different streams, or of which a later record was
    /// refused, which may have moved them.
    #[error(
        "the two events were recorded on different streams, or a refused record may have moved one: the time between them \
         means nothing; record both on one stream{}",
        Cited(rules::EVENTS_OF_TWO_STREAMS)
    )]
    EventsOfTwoStreams,
    /// An object of one device was to be used on another.
    #[error(
        "the {what} is of device {found}, the stream of device {expected}: they have to be of one device{}",
        Cited(rules::OTHER_DEVICE)
    )]
    OtherDevice {
        /// The kind of object.
        what: ObjectKind,
        /// The stream's device.
        expected: i32,
        /// The object's device.
        found: i32,
    },
    /// An object of one library was to be used in another.
    #[error("the {what} was made by another library than the one that is to use it")]
    OtherLibrary {
        /// The kind of object.
        what: ObjectKind,
    },
    /// A part of a buffer that the buffer does not have.
    #[error("elements {start}..{end} are not all there: the {what} has {length}{}", Cited(rules::NO_SUCH_PART))]
    NoSuchPart {
        /// Which buffer.
        what: ObjectKind,
        /// The first element.
        start: usize,
        /// Behind the last element.
        end: usize,
        /// The elements of the buffer.
        length: usize,
    },
    /// A copy on the device that does not begin where one may.
    #[error(
        "a copy on the device cannot begin {past} bytes after a multiple of {alignment}: both its ends have to be at \
         addresses that are multiples of {alignment}{}",
        Cited(rules::MISALIGNED)
    )]
    Misaligned {
        /// By how many bytes its beginning is past the last address where it may be.
        past: usize,
        /// What that address is a multiple of.
        alignment: usize,
    },
    /// A callback panicked.
    #[error("the callback panicked: {message}{}", Cited(rules::CALLBACK_PANICKED))]
    CallbackPanicked {
        /// What it said.
        message: String,
    },
    /// The stream is done with a callback that never ran.
    #[error(
        "the callback never ran, though its stream is done: the stream's work was discarded{}",
        Cited(rules::CALLBACK_LOST)
    )]
    CallbackLost,
    /// Queued work may still use the object.
    #[error(
        "the {what} may still be in use by queued work; synchronise its stream first{}",
        Cited(what.rules_of_use())
    )]
    StillRunning {
        /// The kind of object.
        what: ObjectKind,
    },
    /// Memory that a call which failed may have queued work for, and no wait could tell. Nothing looks into it any more, and it
    /// takes no work.
    #[error(
        "a call that failed may have left work behind that uses the {what}, and no wait could tell: it cannot be used any \
         more; free it when its stream is synchronised, and use another{}",
        Cited(rules::IN_DOUBT)
    )]
    InDoubt {
        /// The kind of memory.
        what: ObjectKind,
    },
    /// A model was to be loaded alone into a workspace in which a load that failed has left one.
    #[error(
        "a load that failed has left a model in this workspace: unload it by `current.collect()`, or use another \
         workspace{}",
        Cited(rules::WORKSPACE_TAKEN)
    )]
    WorkspaceTaken,
    /// Two calls in a row that change a stream's allocator have failed, the second of them to take the first back.
    #[error(
        "the library refused to change this stream's allocator, and to take that back: which one it calls is not known; \
         register or unregister again, or use another stream{}",
        Cited(rules::ALLOCATOR_IN_DOUBT)
    )]
    AllocatorInDoubt,
    /// The system has no thread for an [`Actor`](crate::runtime::Actor).
    #[error("the system has no thread for an actor: {reason}")]
    NoThread {
        /// What the system said.
        reason: std::io::ErrorKind,
    },
    /// The thread of an [`Actor`](crate::runtime::Actor) has ended.
    #[error("the actor's thread has ended")]
    ActorEnded,
    /// The object was destroyed.
    #[error("the {what} was destroyed before{}", Cited(what.rules_of_life()))]
    Gone {
        /// The kind of object.
        what: ObjectKind,
    },
    /// A buffer is too short for what it has to hold.
    #[error("the {what} is too short: {need} bytes are needed, it has {have}{}", Cited(what.rules_of_size()))]
    TooShort {
        /// Which buffer.
        what: ObjectKind,
        /// Bytes needed.
        need: usize,
        /// Bytes there.
        have: usize,
    },
    /// Two lengths that have to agree do not.
    #[error("{what}: expected {expected} elements, found {found}{}", Cited(what.rules_of_size()))]
    LengthMismatch {
        /// What was compared.
        what: ObjectKind,
        /// The length it has to have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// Weights were given to another model than the one that they were allocated for, or its file has changed since.
    #[error(
        "these weights are those of {expected} as it was, they cannot be shared by {found} as it is; allocate others with \
         `current.weights(source)`{}",
        Cited(rules::OTHER_MODEL)
    )]
    OtherModel {
        /// The model that they were allocated for.
        expected: String,
        /// The model that was to be loaded on them.
        found: String,
    },
    /// A model file could not be read, to be compared with the model whose weights it is to share.
    #[error("the model {} cannot be read: {reason}", path.display())]
    UnreadableModel {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        reason: std::io::Error,
    },
    /// The inputs do not fit the model.
    #[error(transparent)]
    Input(Box<InputError>),
    /// An output was read as another type than it has.
    #[error("output `{name}` holds {found}, it cannot be read as {asked}")]
    OutputType {
        /// The output.
        name: String,
        /// What it holds.
        found: ElementType,
        /// What it was read as.
        asked: ElementType,
    },
    /// The outputs of a prepared model were read before it was executed.
    #[error("the model has not been executed yet: its outputs hold nothing{}", Cited(rules::NOT_EXECUTED))]
    NotExecuted,
    /// The library did not say what shape an output has.
    #[error("the library did not say what shape output `{name}` has")]
    UnknownShape {
        /// The output.
        name: String,
    },
    /// The library was to allocate an output, and left it without memory.
    #[error(
        "the library allocated no memory for output `{name}`: what runs on a stream need not have its outputs allocated; \
         prepare the model with room for it, `Room::AtMost(elements)`{}",
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
    #[error("`{name}` is made of {element}, whose size this crate does not know")]
    UnknownElement {
        /// The input or output.
        name: String,
        /// What it is made of.
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
    #[error("the model has no output `{name}`: it gives {names}")]
    NoOutputNamed {
        /// The name that was asked for.
        name: String,
        /// The names that the outputs have, in order.
        names: String,
    },
    /// The turn did not come in time.
    #[error(
        "the lane was busy for {} ms, which is all that was to be waited: another model was running in its workspace, \
         and nothing ran{}",
        waited.as_millis(),
        Cited(rules::BUSY)
    )]
    Busy {
        /// How long the turn was waited for.
        waited: Duration,
    },
}

impl Error {
    /// Whether a call that was to queue work and failed so has certainly queued nothing: it never reached the library. An
    /// answer of the library proves nothing, whatever its code (`docs/failed-calls.md`).
    pub(crate) fn rules_out_that_work_was_queued(&self) -> bool {
        !matches!(self, Self::Vendor(_))
    }

    /// Whether the library says by the family of its code that it refused the call. No memory may be given back for that.
    pub(crate) fn is_a_refusal(&self) -> bool {
        match self {
            Self::Vendor(error) => matches!(error.code.kind(), CodeKind::Usage | CodeKind::Resource),
            _ => true,
        }
    }

    /// The vendor's code, when a vendor call failed.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Vendor(error) => Some(error.code),
            Self::WorkFailed { code } => Some(*code),
            _ => None,
        }
    }
}
