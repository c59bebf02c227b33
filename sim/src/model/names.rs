//! The names of nodes in what the engine says.
//!
//! The engine takes its name from a node if another node, or a value, has the same. Several nodes are often made for one
//! of the file, and a file may give one name to many. So each node has numbers behind its name, which no message shows:
//! the first is that of the file's node.

use rten_onnx::onnx::GraphProto;

/// Stands before the numbers.
const MARK: char = '\u{1}';

/// The attributes of the file's nodes, as messages show them, by their number.
pub(super) type Attributes = Vec<String>;

/// The name of a node that is made for this one of the file.
pub(super) fn made_for(label: &str, number: usize) -> String {
    format!("{label}{MARK}{number}")
}

/// Gives each node of a graph, and of the graphs inside it, a name that no other has.
pub(super) fn tell_apart(graph: &mut GraphProto) {
    numbered(graph, &mut 0);
}

fn numbered(graph: &mut GraphProto, count: &mut usize) {
    for node in &mut graph.node {
        *count += 1;
        node.name = Some(one_more(node.name.as_deref().unwrap_or_default(), &count.to_string()));
        node.attribute.iter_mut().filter_map(|attribute| attribute.g.as_mut()).for_each(|inner| numbered(inner, count));
    }
}

/// The name with one more number.
pub(super) fn one_more(name: &str, number: &str) -> String {
    let between = if name.contains(MARK) { '.' } else { MARK };
    format!("{name}{between}{number}")
}

/// A text without the numbers.
pub(super) fn shown(text: &str) -> String {
    let mut parts = text.split(MARK);
    let first = parts.next().unwrap_or_default().to_string();
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    parts.fold(first, |text, part| text + part.trim_start_matches(is_number))
}

/// What the engine says of a failed run, with the node's attributes. It says `operator "name" failed: reason`, and before
/// that `operator "name" subgraph error: ` of each node around it, whose names the node's name has, too.
pub(super) fn told(text: &str, attributes: &Attributes) -> String {
    const START: &str = "operator \"";
    let innermost = || {
        let (_, named) = text.split_at(text.rfind(START)?);
        let (name, rest) = named.strip_prefix(START)?.split_once("\" ")?;
        let number = name.split(MARK).nth(1)?.split('.').next()?.parse::<usize>().ok()?;
        Some(match attributes.get(number).filter(|all| !all.is_empty()) {
            Some(all) => format!("{START}{name}\" ({all}) {rest}"),
            None => named.to_string(),
        })
    };
    shown(&innermost().unwrap_or_else(|| text.to_string()))
}
