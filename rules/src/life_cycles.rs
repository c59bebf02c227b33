//! The life cycles of AscendCL's objects.
//!
//! Each line is a line of a Mermaid `stateDiagram-v2`. The macro generates from the lines the typestates of `ascendcl`,
//! the page of each module, and the monitors. The compiler checks the methods of `ascendcl` against the typestates, and
//! tests compare the monitors with the [`Checker`](crate::Checker). A failed vendor call keeps the state of its object,
//! unless a line says otherwise.

use ascendcl_macros::protocol;

protocol! {
    /// The library in a process.
    pub mod acl;

    /// INIT-01: no call is legal before this one. INIT-05: a second initialisation counts as one more.
    [*] --> Initialised : init;
    /// INIT-02: comes last, after every device is reset and every object is released.
    Initialised --> [*] : finalize;
}

protocol! {
    /// A device, from the first set to the last reset by the process.
    pub mod device;

    /// DEV-01: the device comes first. DEV-03: its default context and default stream come with it.
    [*] --> Set : set;
    /// DEV-06: each set is paired with one reset.
    Set --> Set : set_again;
    /// DEV-06: one of several resets.
    Set --> Set : reset_once;
    /// DEV-02: release streams and other objects first. DEV-04: the default context and stream end with the device.
    Set --> [*] : reset;
}

protocol! {
    /// A context that a program creates.
    pub mod context;

    /// CTX-04: creating a context makes it current on the thread that creates it.
    [*] --> Live : create;
    /// CTX-05: a thread has one current context; the last set wins.
    Live --> Live : make_current;
    /// CTX-10: release its streams and models first. CTX-11: it must not be current on another thread.
    Live --> [*] : destroy;
}

protocol! {
    /// An explicit stream, by its allocator: who provides memory for work that allocates.
    pub mod stream;

    /// STREAM-01: the program that creates a stream destroys it.
    [*] --> Undecided : create;
    /// ALLOC-04, ALLOC-05: registering comes before the first execution.
    Undecided --> CustomAllocator : register;
    /// ALLOC-06, ALLOC-07: the same, with a descriptor made of C functions.
    Undecided --> RawAllocator : register_descriptor;
    /// ALLOC-15: the library's own memory, for the rest of the stream's life. C programs choose it by executing first.
    Undecided --> DefaultAllocator : decline;
    /// ALLOC-09: the last registration wins.
    CustomAllocator --> CustomAllocator : replace;
    /// ALLOC-12: before the allocator is destroyed. Afterwards another allocator can be registered.
    CustomAllocator --> Undecided : unregister;
    /// ALLOC-12: the same.
    RawAllocator --> Undecided : unregister;
    /// ALLOC-03: single operators and models of dynamic shapes take their memory from the library.
    DefaultAllocator --> DefaultAllocator : execute;
    /// ALLOC-03: they take their memory from the allocator.
    CustomAllocator --> CustomAllocator : execute;
    /// ALLOC-03: they take their memory from the descriptor's functions.
    RawAllocator --> RawAllocator : execute;
    /// STREAM-05: destroying waits for the stream's work.
    Undecided --> [*] : destroy;
    /// STREAM-05: destroying waits for the stream's work.
    DefaultAllocator --> [*] : destroy;
    /// ALLOC-16: the registration ends first, because destroying the stream does not end it.
    CustomAllocator --> [*] : destroy;
    /// ALLOC-16: the registration ends first.
    RawAllocator --> [*] : destroy;

    state CustomAllocator<A>;

    on register {
        message: "an allocator cannot be registered on a stream in state `{Self}`",
        label: "expected a stream in state `Undecided`, as `current.stream()` returns it",
        note: "ALLOC-04, ALLOC-09, ALLOC-15: the library ignores a registration after the stream's allocator is decided",
        note: "create a new stream; to replace an allocator by another, use `stream.replace(current, allocator)`",
        note: "see `ascendcl-explain ALLOC-04`",
    }
    on register_descriptor {
        message: "an allocator cannot be registered on a stream in state `{Self}`",
        label: "expected a stream in state `Undecided`, as `current.stream()` returns it",
        note: "ALLOC-04, ALLOC-09, ALLOC-15: the library ignores a registration after the stream's allocator is decided",
        note: "create a new stream, or end the present registration: `stream.unregister(current)`",
        note: "see `ascendcl-explain ALLOC-04`",
    }
    on decline {
        message: "the allocator of a stream in state `{Self}` is already decided",
        label: "expected a stream in state `Undecided`, as `current.stream()` returns it",
        note: "ALLOC-15: a stream's allocator is decided once",
        note: "use the stream as it is, or create a new one",
        note: "see `ascendcl-explain ALLOC-15`",
    }
    on execute {
        message: "a stream in state `{Self}` cannot run work that allocates memory yet",
        label: "the allocator of this stream is not decided yet",
        note: "ALLOC-04, ALLOC-05, ALLOC-13: register before the first execution; the library ignores a later registration",
        note: "first call `stream.register(current, allocator)` or `stream.without_allocator()`",
        note: "see `ascendcl-explain ALLOC-04`",
    }
}

protocol! {
    /// An event: a point in a stream's work.
    pub mod event;

    /// EVENT-06: the program that creates an event destroys it.
    [*] --> Unrecorded : create;
    /// EVENT-05: only a recorded event can be waited for.
    Unrecorded --> Recorded : record;
    /// EVENT-09: recording again moves the event; earlier waits still wait for the earlier point.
    Recorded --> Recorded : record;
    /// EVENT-05: a wait is for the latest recorded point.
    Recorded --> Recorded : wait;
    /// EVENT-04: the time between two recorded points.
    Recorded --> Recorded : measure;
    /// EVENT-10: removes the recorded point, after all waits for it. Only built graphs do this; a program records it again.
    Recorded --> Unrecorded : reset;
    /// EVENT-06: once, and on the device that it belongs to.
    Unrecorded --> [*] : destroy;
    /// EVENT-06: pending waits continue to wait for the recorded point.
    Recorded --> [*] : destroy;

    on wait {
        message: "an event in state `{Self}` cannot be waited for",
        label: "this event has not been recorded",
        note: "EVENT-05: the library refuses a stream's wait for an event that was never recorded, and the host's wait returns at once",
        note: "record it first: `let event = stream.record(current, event)?`",
        note: "see `ascendcl-explain EVENT-05`",
    }
    on measure {
        message: "an event in state `{Self}` has no time",
        label: "this event has not been recorded",
        note: "EVENT-04: the time between two events is the time between two recorded points",
        note: "record it first: `let event = stream.record(current, event)?`",
        note: "see `ascendcl-explain EVENT-04`",
    }
}

protocol! {
    /// An allocator descriptor, by its object.
    pub mod descriptor_object;

    /// ALLOC-06: a descriptor is created without members.
    [*] --> NoObject : create;
    /// ALLOC-07: set before registering.
    NoObject --> Object : object;
    /// ALLOC-06: a registration copies what was set.
    Object --> Object : register;
    /// ALLOC-08: destroyed after use.
    NoObject --> [*] : destroy;
    /// ALLOC-08: destroyed after use.
    Object --> [*] : destroy;

    on object {
        message: "this descriptor already has its object",
        label: "each member is set once",
        note: "ALLOC-07: each mandatory member is set once; for other values make another: `Descriptor::new()`",
        note: "see `ascendcl-explain ALLOC-07`",
    }
    on register {
        message: "this descriptor has no object",
        label: "expected a descriptor with all four mandatory members",
        note: "set it: `descriptor.object(pointer)`",
        note: "ALLOC-07: object, allocate, free and address function are set before registering",
        note: "see `ascendcl-explain ALLOC-07`",
    }
}

protocol! {
    /// An allocator descriptor, by its allocate function.
    pub mod descriptor_allocate;

    /// ALLOC-06: a descriptor is created without members.
    [*] --> NoAllocate : create;
    /// ALLOC-07: set before registering.
    NoAllocate --> Allocate : allocate;
    /// ALLOC-06: a registration copies what was set.
    Allocate --> Allocate : register;
    /// ALLOC-08: destroyed after use.
    NoAllocate --> [*] : destroy;
    /// ALLOC-08: destroyed after use.
    Allocate --> [*] : destroy;

    on allocate {
        message: "this descriptor already has its allocate function",
        label: "each member is set once",
        note: "ALLOC-07: each mandatory member is set once; for other values make another: `Descriptor::new()`",
        note: "see `ascendcl-explain ALLOC-07`",
    }
    on register {
        message: "this descriptor has no allocate function",
        label: "expected a descriptor with all four mandatory members",
        note: "set it: `descriptor.allocate(function)`",
        note: "ALLOC-07: object, allocate, free and address function are set before registering",
        note: "see `ascendcl-explain ALLOC-07`",
    }
}

protocol! {
    /// An allocator descriptor, by its free function.
    pub mod descriptor_free;

    /// ALLOC-06: a descriptor is created without members.
    [*] --> NoFree : create;
    /// ALLOC-07: set before registering.
    NoFree --> Free : free;
    /// ALLOC-06: a registration copies what was set.
    Free --> Free : register;
    /// ALLOC-08: destroyed after use.
    NoFree --> [*] : destroy;
    /// ALLOC-08: destroyed after use.
    Free --> [*] : destroy;

    on free {
        message: "this descriptor already has its free function",
        label: "each member is set once",
        note: "ALLOC-07: each mandatory member is set once; for other values make another: `Descriptor::new()`",
        note: "see `ascendcl-explain ALLOC-07`",
    }
    on register {
        message: "this descriptor has no free function",
        label: "expected a descriptor with all four mandatory members",
        note: "set it: `descriptor.free(function)`",
        note: "ALLOC-07: object, allocate, free and address function are set before registering",
        note: "see `ascendcl-explain ALLOC-07`",
    }
}

protocol! {
    /// An allocator descriptor, by the function that returns a block's address.
    pub mod descriptor_address;

    /// ALLOC-06: a descriptor is created without members.
    [*] --> NoAddress : create;
    /// ALLOC-07: set before registering.
    NoAddress --> Address : address;
    /// ALLOC-06: a registration copies what was set.
    Address --> Address : register;
    /// ALLOC-08: destroyed after use.
    NoAddress --> [*] : destroy;
    /// ALLOC-08: destroyed after use.
    Address --> [*] : destroy;

    on address {
        message: "this descriptor already has its address function",
        label: "each member is set once",
        note: "ALLOC-07: each mandatory member is set once; for other values make another: `Descriptor::new()`",
        note: "see `ascendcl-explain ALLOC-07`",
    }
    on register {
        message: "this descriptor has no address function",
        label: "expected a descriptor with all four mandatory members",
        note: "set it: `descriptor.address(function)`",
        note: "ALLOC-07: object, allocate, free and address function are set before registering",
        note: "see `ascendcl-explain ALLOC-07`",
    }
}

protocol! {
    /// A model, from load to unload.
    pub mod model;

    /// MODEL-12: loading gives the model its id. MODEL-01: everything that follows happens in the same context.
    [*] --> Loaded : load;
    /// MODEL-15: a run that is waited for.
    Loaded --> Loaded : run;
    /// MODEL-17: inputs and outputs belong to the run until its stream was synchronised.
    Loaded --> Running : execute;
    /// MODEL-15: again, behind the first run on the same stream.
    Running --> Running : execute;
    /// MODEL-17: outputs are read after the wait.
    Running --> Loaded : wait;
    /// MODEL-14: once, when no run is in flight.
    Loaded --> [*] : unload;

    on unload {
        message: "a model in state `{Self}` cannot be unloaded",
        label: "the model is still running",
        note: "MODEL-14: a model is unloaded after its work is complete",
        note: "wait for it first: `let model = pending.wait(current)?`",
        note: "see `ascendcl-explain MODEL-14`",
    }
}

protocol! {
    /// A dataset: the buffers of one run. It stays with their memory until the run is over. In C, it may be changed or
    /// destroyed when the call has returned, unless an output has no memory: the library enters that at the end of the run.
    pub mod dataset;

    /// DATA-04: a dataset is created without buffers, and destroyed with them by its creator.
    [*] --> Idle : create;
    /// DATA-10: buffers are added and changed while no run has them.
    Idle --> Idle : add;
    /// DATA-10, MODEL-17: a run reads the dataset in the call, and uses the memory until its stream was synchronised.
    Idle --> InUse : execute;
    /// DATA-10: the same dataset again, behind the first run.
    InUse --> InUse : execute;
    /// MODEL-17: the wait returns the buffers.
    InUse --> Idle : wait;
    /// DATA-04: buffers first, then the dataset.
    Idle --> [*] : destroy;

    on add {
        message: "a dataset in state `{Self}` cannot be changed",
        label: "a run uses this dataset",
        note: "DATA-10, MODEL-17: a dataset stays as it is, with the memory of its buffers, until its run was waited for",
        note: "see `ascendcl-explain DATA-10`",
    }
    on destroy {
        message: "a dataset in state `{Self}` cannot be destroyed",
        label: "a run uses this dataset",
        note: "DATA-10, MODEL-17: a dataset stays as it is, with the memory of its buffers, until its run was waited for",
        note: "see `ascendcl-explain DATA-10`",
    }
}

protocol! {
    /// A graph in a session of the graph engine.
    pub mod graph;

    /// GE-24: a graph is added once, under an id that is new in the session.
    [*] --> Added : add;
    /// GE-14: compiled graphs are run on streams.
    Added --> Compiled : compile;
    /// GE-01: an allocator is registered before the graph is loaded.
    Compiled --> WithAllocator : register;
    /// GE-03: the last registration wins.
    WithAllocator --> WithAllocator : replace;
    /// GE-09: before the allocator is destroyed.
    WithAllocator --> Compiled : unregister;
    /// GE-22, GE-23: memory of the caller, which excludes an allocator.
    Compiled --> WithMemory : set_memory;
    /// GE-17: without an allocator the engine allocates.
    Compiled --> Loaded : load;
    /// GE-01, GE-02: the load takes its memory from the allocator.
    WithAllocator --> Loaded : load;
    /// GE-22: the load uses the memory that was set.
    WithMemory --> Loaded : load;
    /// GE-17: execution needs a finished compile and load.
    Loaded --> Loaded : execute;
    /// GE-24: the id is free again.
    Added --> [*] : remove;
    /// GE-24: the id is free again.
    Compiled --> [*] : remove;
    /// GE-24: the id is free again.
    WithAllocator --> [*] : remove;
    /// GE-24: the id is free again.
    WithMemory --> [*] : remove;
    /// GE-24: the id is free again.
    Loaded --> [*] : remove;

    state WithAllocator<A>;
    state Loaded<Before>;

    on compile {
        message: "a graph in state `{Self}` cannot be compiled",
        label: "expected a graph in state `Added`, as `session.add(current, source)` returns it",
        note: "GE-25: a graph is compiled once; to compile it again, remove it and add it again",
        note: "see `ascendcl-explain GE-25`",
    }
    on register {
        message: "an allocator cannot be registered for a graph in state `{Self}`",
        label: "expected a graph in state `Compiled`, before it is loaded",
        note: "GE-01: the allocator is registered before the graph is loaded",
        note: "GE-03: to replace an allocator by another, use `graph.replace(session, current, allocator)`",
        note: "GE-22: memory that was set makes an allocator ineffective",
        note: "see `ascendcl-explain GE-01`",
    }
    on set_memory {
        message: "the memory of a graph in state `{Self}` cannot be set",
        label: "expected a graph in state `Compiled`",
        note: "GE-22: memory that is set makes an allocator ineffective; use one of the two",
        note: "GE-23: memory is set once, between compile and load; then `graph.load_on(session, current, stream)?`",
        note: "see `ascendcl-explain GE-22`",
    }
    on load {
        message: "a graph in state `{Self}` cannot be loaded",
        label: "expected a graph that is compiled and not loaded yet",
        note: "GE-17: compile, then load, then execute; a loaded graph is executed as often as wanted: `graph.execute(session, current, inputs)?`",
        note: "see `ascendcl-explain GE-17`",
    }
    on execute {
        message: "a graph in state `{Self}` cannot be executed",
        label: "this graph has not been loaded",
        note: "GE-17: compile, then load, then execute: `graph.load_on(session, current, stream)?`",
        note: "see `ascendcl-explain GE-17`",
    }
}
