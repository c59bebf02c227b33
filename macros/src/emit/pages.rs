//! The documentation of a protocol: its diagram and the page of its module.

use crate::protocol::{Edge, Point, Protocol};
use std::fmt::Write as _;
use syn::ext::IdentExt;

pub(super) fn diagram(protocol: &Protocol) -> String {
    let lines = protocol.edges.iter().filter(|edge| !edge.implied).map(|edge| format!("    {edge}\n"));
    format!("stateDiagram-v2\n{}", lines.collect::<String>())
}

/// The page after the declaration's own documentation: the diagram, and a table for renderers without diagrams.
pub(super) fn module(protocol: &Protocol) -> String {
    let documented = protocol.header.attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let summary = if documented { String::new() } else { format!("The life cycle of `{}`.\n\n", protocol.object()) };
    let mut page = format!("{summary}# Life cycle\n\n```mermaid\n{}```\n\n", diagram(protocol));
    page.push_str("| from | operation | to | when the call fails | why |\n| --- | --- | --- | --- | --- |\n");
    for done in protocol.edges.iter().filter(|edge| !edge.fails) {
        let failed = protocol.failed(done).filter(|edge| !edge.implied && done.is_plain());
        let then = match failed {
            Some(edge) => format!("`{}`", edge.to),
            None if done.is_plain() => stays(done),
            None => String::new(),
        };
        let why = [Some(done), failed]
            .into_iter()
            .flatten()
            .map(|edge| edge.why.trim_end_matches('.'))
            .filter(|why| !why.is_empty());
        let why = why.collect::<Vec<_>>().join("; ").replace('|', "\\|");
        // Writing to a string does not fail.
        let _ = writeln!(page, "| `{}` | `{}` | `{}` | {then} | {why} |", done.from, done.label(), done.to);
    }
    page
}

fn stays(edge: &Edge) -> String {
    match &edge.from {
        Point::State(state) => format!("stays `{state}`"),
        Point::Start | Point::End => "no object".to_owned(),
    }
}

impl std::fmt::Display for Edge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} --> {} : {}", self.from, self.to, self.label())
    }
}

impl Edge {
    /// The operation and how it ends.
    fn label(&self) -> String {
        match &self.outcome {
            Some(outcome) => format!("{} as {}", self.operation, outcome.unraw()),
            None if self.fails => format!("{} fails", self.operation),
            None => self.operation.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::parse::Declaration;

    fn page(declaration: &str) -> String {
        module(&check(Declaration::read(declaration.parse().unwrap()).unwrap()).unwrap())
    }

    #[test]
    fn a_page_shows_the_lines_and_tells_them_in_a_table() {
        let page = page(
            "pub mod file;
             [*] --> Open : open;
             /// FILE-02: reads a|b.
             Open --> Open : read;
             /// FILE-03: its end is unknown.
             Open --> Lost : read fails;
             Open --> [*] : close;
             Lost --> [*] : close;",
        );
        assert_eq!(
            page,
            "\
The life cycle of `file`.

# Life cycle

```mermaid
stateDiagram-v2
    [*] --> Open : open
    Open --> Open : read
    Open --> Lost : read fails
    Open --> [*] : close
    Lost --> [*] : close
```

| from | operation | to | when the call fails | why |
| --- | --- | --- | --- | --- |
| `[*]` | `open` | `Open` | no object |  |
| `Open` | `read` | `Open` | `Lost` | FILE-02: reads a\\|b; FILE-03: its end is unknown |
| `Open` | `close` | `[*]` | stays `Open` |  |
| `Lost` | `close` | `[*]` | stays `Lost` |  |
"
        );
    }

    #[test]
    fn what_the_declaration_says_of_itself_comes_first() {
        let page = page("/// A file.\n mod file; [*] --> Open : open; Open --> [*] : close;");
        assert!(page.starts_with("# Life cycle\n"), "{page}");
    }
}
