//! What this process shares with others on the same machine. They find it by a key.
//!
//! For each thing that is shared there is a record: a page of memory that both processes map. It says what is shared and
//! with whom, and it has the mark of a shared notify. A key names the process and the record.

mod key;
mod record;

pub(in crate::machine) use key::Key;
pub(in crate::machine) use record::{Kind, Record, What, no_export};
