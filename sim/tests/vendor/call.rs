//! How a call of the simulator is written.

/// `group::function(arguments)`: calls a function of the simulator.
macro_rules! call {
    ($group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: a case passes null, addresses of memory that outlives their use and has the size it says, or handles;
        // the simulator looks handles up and never follows one, live or not.
        unsafe { ascendcl_sim::exports::$group::$function($($argument),*) }
    };
}

/// What a call answered, and what else it gave.
#[derive(Clone, Default, Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    /// As the table writes it, without the parentheses.
    pub(crate) seen: String,
    /// The handle or the address of what it made.
    pub(crate) made: usize,
}

impl From<i32> for Outcome {
    fn from(code: i32) -> Self {
        Self { code, ..Self::default() }
    }
}

impl Outcome {
    pub(crate) fn saw(code: i32, seen: impl Into<String>) -> Self {
        Self { code, seen: seen.into(), made: 0 }
    }

    pub(crate) fn made(code: i32, made: usize) -> Self {
        Self { code, seen: String::new(), made }
    }

    pub(crate) fn with(self, made: usize) -> Self {
        Self { made, ..self }
    }
}
