//! Compiler messages for `clone`, which handles do not have.
//!
//! Programs call `clone` to give a handle to a second thread or task. For a method with an unmet bound, the compiler
//! prints the message of the bound. Without such a method, it would only say that there is no method of that name.

macro_rules! one_owner {
    ($($(#[$page:meta])* $bound:ident: $message:literal, $label:literal, $($note:literal),+;)+) => { $(
        $(#[$page])*
        ///
        /// No type implements it.
        #[diagnostic::on_unimplemented(message = $message, label = $label $(, note = $note)+)]
        pub trait $bound {
            /// The compiler's message needs a method. No type has it, so its result may have any type.
            #[doc(hidden)]
            fn never<R>(&self) -> R;
        }
    )+ };
}

one_owner! {
    /// A stream with two handles.
    StreamOfTwo:
        "a stream has one handle, which is not cloned",
        "this would be a second handle of the stream",
        "THREAD-02, THREAD-03: one thread at a time uses a stream: give each a stream of its own: `current.stream()?`, or move \
         this one: `move || ...`",
        "STREAM-08: a stream is destroyed once: tasks of one thread borrow it: `&stream`",
        "see `ascendcl-explain THREAD-03`";

    /// A model with two handles.
    ModelOfTwo:
        "a model has one handle, which is not cloned",
        "this would be a second handle of the model",
        "MODEL-15, MODEL-16: one thread at a time runs a model, and executes it once at a time: put it behind a lock, \
         `Arc<Mutex<Model<Vision>>>`, or load one for each thread",
        "MODEL-09: models of several threads share their weights: `current.weights(...)`",
        "see `ascendcl-explain MODEL-16`";

    /// Memory with two handles.
    MemoryOfTwo:
        "memory has one handle, which is not cloned",
        "this would be a second handle of the same memory",
        "MEM-01, MEM-02: memory is freed once, and not while work uses it: several readers of device memory share it: \
         `buffer.into_shared()`",
        "to copy the elements: `stream.copy_on_device(current, buffer, current.device_buffer(length)?)?`",
        "see `ascendcl-explain MEM-01`";
}
