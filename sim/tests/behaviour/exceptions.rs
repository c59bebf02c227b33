//! The rows in which the simulator does not answer as measured, each with the reason and with what it owes instead.
//!
//! A row in which the vendor's library crashes needs no entry: there every simulator owes an error code.

/// What is demanded where the measured answer is no evidence.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Demand {
    AnError,
    /// Of a row in parentheses: these words in it.
    Sight(&'static str),
}

pub(crate) struct Exception {
    pub(crate) case: &'static str,
    pub(crate) call: &'static str,
    pub(crate) demand: Demand,
    pub(crate) reason: &'static str,
}

pub(crate) const EXCEPTIONS: &[Exception] = &[
    Exception {
        case: "stream: exhaustion",
        call: "(created 2046 streams, then 207008 ACL_ERROR_RT_NO_STREAM_RESOURCE (limit is the simulated driver's))",
        demand: Demand::Sight("streams, then 207008 ACL_ERROR_RT_NO_STREAM_RESOURCE"),
        reason: "the number of streams is the driver's; the code is the library's",
    },
    Exception {
        case: "allocator: desc missing one member (zero heap)",
        call: "Register(desc missing getAddrFromBlockFunc)",
        demand: Demand::AnError,
        reason: "chance decides: the vendor's descriptor starts uninitialised, and other heap memory gives 100000",
    },
    Exception {
        case: "allocator: stream destroyed / bogus",
        call: "(next created stream reuses the address: 1)",
        demand: Demand::Sight("reuses the address: 0"),
        reason: "chance decides: the vendor's heap gives an address out again, the simulator gives each handle once",
    },
];
