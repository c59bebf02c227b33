use core::fmt;

/// An object of the library: its kind, and its handle, address or id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// Its handle, address or id.
    pub number: u64,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $make:ident $word:literal;)*) => {
        /// What an object is.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// All of them.
            #[doc(hidden)]
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }

        impl Object {
            $($(#[$doc])* pub const fn $make(number: u64) -> Self {
                Self { kind: Kind::$name, number }
            })*
        }

        impl fmt::Display for Kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$name => $word,)* })
            }
        }
    };
}
kinds! {
    /// The library in this process; its number is 0.
    Process process "process";
    /// A device, by its id.
    Device device "device";
    /// A context, by its handle.
    Context context "context";
    /// A stream that the program created, or the handle of a default stream that it asked for.
    Stream stream "stream";
    /// The default stream of the context with this handle.
    DefaultStream default_stream "default stream of context";
    /// An event.
    Event event "event";
    /// A notify.
    Notify notify "notify";
    /// Memory, by its address.
    Memory memory "memory";
    /// A loaded model, by its id.
    Model model "model";
    /// A graph that was captured.
    Graph graph "captured graph";
    /// A memory pool of the library.
    Pool pool "memory pool";
    /// Addresses that were reserved, by the first one.
    Range range "reserved range";
    /// Physical memory, by its handle.
    Physical physical "physical memory";
    /// A channel of media processing, by its description.
    Channel channel "channel of media processing";
    /// A dataset.
    Dataset dataset "dataset";
    /// A data buffer.
    DataBuffer data_buffer "data buffer";
    /// A description or configuration of anything else.
    Description description "description";
    /// A descriptor of an allocator of the caller.
    Descriptor descriptor "allocator descriptor";
    /// The caller's object behind an allocator.
    Allocator allocator "allocator object";
    /// A callback that was queued, by a number of the feed's choice.
    Callback callback "callback";
}

impl Object {
    /// The process.
    pub const PROCESS: Self = Self::process(0);
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Process => f.write_str("the library"),
            kind @ (Kind::Device | Kind::Model | Kind::Callback) => write!(f, "{kind} {}", self.number),
            kind => write!(f, "{kind} {:#x}", self.number),
        }
    }
}
