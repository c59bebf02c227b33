listed! {
    /// What a call does to its object.
    ///
    /// The names are those of the life cycles. An operation has the same name for all kinds of objects.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    #[non_exhaustive]
    pub enum Op {
        /// The library is initialised, or counts one more initialisation.
        Initialise,
        /// The library counts one initialisation less.
        Release,
        /// The library is finalised, whatever the count.
        Finalise,
        /// A device is set: its default context becomes current on the thread.
        Set,
        /// A set of a device is undone, or an event loses its record.
        Reset,
        /// A device is reset whatever the count.
        ResetForce,
        /// The current device may reach this device's memory from now on.
        EnablePeer,
        /// The current device may no longer reach this device's memory.
        DisablePeer,
        /// An object is created.
        Create,
        /// A model is loaded.
        Load,
        /// Memory is allocated.
        Allocate,
        /// A context becomes current on the thread.
        MakeCurrent,
        /// The handle of the context's default stream is asked for; the outcome names it.
        AskDefaultStream,
        /// A query that needs a current context.
        Ask,
        /// An object is destroyed.
        Destroy,
        /// A stream is destroyed, and its work that has not begun is discarded.
        DestroyForce,
        /// Work of a stream that has not begun is discarded.
        Abort,
        /// A model is unloaded.
        Unload,
        /// Device memory is given back by `aclrtFree`.
        Free,
        /// Pinned host memory is given back by `aclrtFreeHost`.
        FreeHost,
        /// Device memory is given back after a wait for the current context's streams.
        FreeSynced,
        /// Pinned host memory is given back after such a wait.
        FreeHostSynced,
        /// A stream gets work; or memory is used by the call itself.
        Use,
        /// Memory is filled: at once, or by a stream.
        Fill,
        /// A stream records an event.
        Record,
        /// A stream waits for an event.
        Await,
        /// A stream waits for a notify, or for a value in memory. The events do not tell which work sets it. So from here
        /// on the stream's work may come after any other work, and the checker reports no missing order for it.
        Fence,
        /// The thread waits for a stream, an event, or (the process as the object) all streams of the current context.
        Synchronize,
        /// The thread asks whether a stream or event is complete.
        Query,
        /// The time between two events is asked for.
        Elapsed,
        /// A model runs: at once, or queued.
        Execute,
        /// A captured graph runs on a stream. It uses the memory that it was made with.
        Replay,
        /// An object's contents are changed, or what may be done with it.
        Change,
        /// Memory is offered to other processes.
        Offer,
        /// Memory is offered no more.
        Withdraw,
        /// One more handle of physical memory is asked for, which must be freed, too.
        Retain,
        /// A data buffer becomes part of a dataset.
        Add,
        /// A member of a descriptor is set.
        SetMember(Member),
        /// A stream gets an allocator of the caller.
        Register,
        /// A stream's allocator of the caller is unregistered.
        Unregister,
        /// A stream gets a thread for its callbacks.
        Subscribe,
        /// A stream's thread for callbacks is unsubscribed.
        Unsubscribe,
        /// A stream gets a callback for its reporting thread.
        LaunchCallback,
        /// A stream gets a host function.
        LaunchHostFunction,
        /// A queued callback begins: everything before it on its stream is over.
        Begin,
        /// The library has asked an allocator of the caller for a block, for work of the stream that the event names.
        Take,
        /// The library gives a block back to the caller's allocator.
        GiveBack,
        /// A callback of the caller's allocator calls for an execution or a registration.
        Reenter,
        /// A wait for a stream is given up, because it could never have ended.
        GiveUp,
        /// Memory that queued work reads is found to have changed since the work was queued.
        Alter,
        /// The program itself reads or writes memory, by an instruction.
        Touch,
        /// The thread ends.
        EndThread,
    }
}

/// A member of an allocator descriptor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Member {
    /// The caller's object.
    Object,
    /// The function that allocates.
    Allocate,
    /// The function that frees.
    Free,
    /// The function that allocates near an address.
    AllocateNear,
    /// The function that tells a block's address.
    Address,
}

impl Member {
    /// All of them, in the order of the C interface.
    pub const ALL: [Self; 5] = [Self::Object, Self::Allocate, Self::Free, Self::AllocateNear, Self::Address];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Allocate => "allocate function",
            Self::Free => "free function",
            Self::AllocateNear => "allocate-with-advice function",
            Self::Address => "get-address function",
        }
    }
}

listed! {
    /// A property of a call, or of what it creates.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    #[non_exhaustive]
    pub enum Flag {
        /// The stream only runs as part of a model.
        Persistent,
        /// The event is from plain `aclrtCreateEvent`.
        Plain,
        /// The event is from `aclrtCreateEventExWithFlag`.
        Ex,
        /// Streams may wait for the event.
        Waitable,
        /// The event keeps the time.
        Timed,
        /// The event links captured work with the work of other streams, at each replay.
        External,
        /// The model's shapes are open: its runs take memory from the stream's allocator.
        Dynamic,
        /// The queued work takes memory from the stream's allocator.
        Allocates,
        /// The queued work is over when the call returns.
        Blocks,
        /// The program runs on the device itself, where host and device memory are one.
        OnDevice,
        /// The stream goes on while the queued callback runs.
        StreamGoesOn,
        /// The allocator had no block.
        NoBlock,
        /// The bytes that are read still have the values that they had when the library allocated them.
        Untouched,
        /// The work that the call waits for needs a callback that only the waiting thread runs.
        OwnCallback,
        /// The memory is the program's own: the call registers it, or ends its registration.
        Registered,
        /// The call maps physical memory to reserved addresses, or ends such a mapping.
        Mapped,
        /// Nothing may use the mapping that the call makes, or whose access it sets.
        NoAccess,
        /// The mapping begins behind the start of the physical memory.
        Inside,
        /// The replays of the captured work run one after the other, also on different streams.
        InTurn,
        /// The object is of another process: the call imports it, or ends that.
        Imported,
        /// The queued work also writes memory that the call does not name: the device finds the address in its memory.
        Elsewhere,
        /// Other processes use the event, too: what they do with it is not known.
        Shared,
        /// The query is for the waits of streams for the event, and not for its record.
        OfWaits,
        /// The call takes memory from a pool of the library, or gives it back.
        Pooled,
        /// The call returns the address by which a device reaches the host memory.
        Reachable,
        /// The call is one of media processing: it allocates or frees its memory, or works on pictures.
        Media,
        /// The function of the callback is not there any more: the shared object that it was in has been unloaded.
        Gone,
    }
}
