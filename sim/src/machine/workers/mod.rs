//! The threads that do the work of streams, and what they and others wait for.

pub(crate) mod callback_thread;
pub(crate) mod point;
pub(crate) mod pool;
pub(crate) mod served;
pub(crate) mod timer;
pub(crate) mod user_code;
pub(crate) mod waiting;
