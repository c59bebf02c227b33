//! The page that says for each function of the vendor's headers where it is in the safe layer.

mod documented;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

const HEAD: &str = "\
# Vendor functions

<!-- Generated: BOOK=overwrite cargo test -p ascendcl-book --test pages -->

This table has each function of AscendCL's public headers that the crate `ascendcl-sys` declares. It is generated from
three sources: the declarations, the list of functions that the safe layer calls (`src/ffi/needs.rs`), and the
documentation of public items, which names the vendor functions that they call.

* **safe**: the named items call it.
* **safe, inside**: the safe layer calls it where it is needed. There is no item for it alone.
* **raw call**: no safe API. Call it with the handles of `ascendcl::raw`, or queue it with `submit`:
  [Foreign code](foreign.md).

Not declared at all, so not in the table: collective communication (HCCL), the generated operators of `aclnn`, and the
C++ classes of the graph engine, for which there is the crate `ascendcl-ge`.

";

/// The page as the sources say it now.
///
/// # Errors
///
/// A source that cannot be read.
pub fn page(root: &Path) -> io::Result<String> {
    let called = called(root)?;
    let items = documented::items(root)?;
    let groups = table::groups(root)?;
    let all: BTreeSet<_> = groups.iter().flat_map(|group| &group.functions).collect();
    let safe = all.iter().filter(|function| called.contains(**function)).count();
    let mut page = String::from(HEAD);
    // Writing to a string does not fail.
    let _ = writeln!(page, "{safe} of {} functions are safe.\n", all.len());
    for group in &groups {
        let _ = writeln!(page, "## {}\n\n| function | | items |\n| --- | --- | --- |", group.title);
        for function in &group.functions {
            page.push_str(&row(function, called.contains(function), &items));
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    Ok(page)
}

fn row(function: &str, called: bool, items: &BTreeMap<String, BTreeSet<String>>) -> String {
    let known = items.get(function).filter(|_| called);
    let names = known.map(|names| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
    let how = match (called, &names) {
        (true, Some(_)) => "safe",
        (true, None) => "safe, inside",
        (false, _) => "raw call",
    };
    format!("| `{function}` | {how} | {} |\n", names.unwrap_or_default())
}

/// The functions that the safe layer calls.
fn called(root: &Path) -> io::Result<BTreeSet<String>> {
    let needs = fs::read_to_string(root.join("src/ffi/needs.rs"))?;
    let code = needs.lines().filter(|line| !line.trim_start().starts_with("//"));
    Ok(code.flat_map(words).filter(|word| word.starts_with("acl")).map(str::to_owned).collect())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_where_its_sources_say() {
        let page = page(&crate::repository()).unwrap();
        let row = |name: &str| page.lines().find(|line| line.starts_with(&format!("| `{name}` "))).unwrap().to_owned();
        assert!(row("aclrtMalloc").contains("| safe | ") && row("aclrtMalloc").contains("`Current::device_buffer`"));
        assert!(row("aclmdlCreateDesc").contains("| safe, inside |"));
        // An example of `Loaded::check_call` calls it.
        assert!(row("aclrtGetDevice").contains("| safe, inside |"));
        assert!(row("aclrtValueWrite").contains("| raw call |"));
    }
}
