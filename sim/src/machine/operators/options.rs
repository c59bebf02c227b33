//! Options of the dump of an operator's graph: there are none to set yet.

use crate::abi::Name;
use crate::failure::{Answer, Failure};
use crate::machine::handles::Table;
use crate::machine::watch;
use ascendcl_sys::types::aclGraphDumpOption;

static OPTIONS: Table<()> = Table::new();

pub(crate) fn create_dump_options() -> Name<aclGraphDumpOption> {
    let number = OPTIONS.add(());
    watch::is_described(number);
    Name::new(number)
}

pub(crate) fn destroy_dump_options(name: Name<aclGraphDumpOption>) -> Answer {
    OPTIONS.remove(name.0).map(drop).ok_or_else(|| {
        let failure = Failure::invalid("these are no options of a graph's dump, or they were destroyed");
        watch::no_description(name.0, failure)
    })?;
    watch::is_described_no_more(name.0);
    Ok(())
}

pub(super) fn clear() {
    OPTIONS.remove_all(|_| true);
}
