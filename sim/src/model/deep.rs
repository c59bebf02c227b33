//! Chains of nodes. The engine looks for the order of the nodes by a function that calls itself once per node of a chain,
//! and a stack that overflows ends the process: long chains get a stack of their own.

use super::failure::LoadFailure;
use super::names;
use rten_onnx::onnx::{GraphProto, NodeProto};
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::thread;

/// Chains up to this length fit on the stack of any thread, which has 2 MiB: in a debug build a node takes 1.2 KiB.
const SHORT: usize = 500;
/// The longest chain inside of a node. Its order is looked for while the model runs, on a stack that has frames already.
const LONGEST_INSIDE: usize = 1000;
/// Bytes of stack for a node. What the engine infers of sizes takes more than the order of the nodes.
const PER_NODE: usize = 16 << 10;

/// The length of a graph's longest chain. The nodes are in order.
pub(super) fn chain(graph: &GraphProto) -> Result<usize, LoadFailure> {
    let mut lengths: HashMap<&str, usize> = HashMap::new();
    let mut longest = 0;
    for node in &graph.node {
        for inner in graphs(node) {
            let inside = chain(inner)?;
            if inside > LONGEST_INSIDE {
                let label = names::shown(node.name.as_deref().unwrap_or_default());
                return Err(LoadFailure::Refused(format!(
                    "the graph inside of {label} becomes a chain of {inside} nodes, and the simulator runs those of \
                     {LONGEST_INSIDE} there"
                )));
            }
        }
        let mut before = 0;
        uses(node, &mut |name| before = before.max(lengths.get(name).copied().unwrap_or(0)));
        lengths.extend(node.output.iter().map(|name| (name.as_str(), before + 1)));
        longest = longest.max(before + 1);
    }
    Ok(longest)
}

/// The values that a node or a graph inside of it names.
pub(super) fn uses<'a>(node: &'a NodeProto, enter: &mut dyn FnMut(&'a str)) {
    node.input.iter().for_each(|name| enter(name));
    for graph in graphs(node) {
        graph.node.iter().for_each(|node| uses(node, enter));
        graph.output.iter().filter_map(|info| info.name.as_deref()).for_each(&mut *enter);
    }
}

fn graphs(node: &NodeProto) -> impl Iterator<Item = &GraphProto> {
    node.attribute.iter().filter_map(|attribute| attribute.g.as_ref())
}

/// Whether a chain of this length needs a stack of its own.
pub(super) fn is_long(chain: usize) -> bool {
    chain > SHORT
}

/// Work of the engine that goes along chains of this length. An error says why it did not begin.
pub(super) fn along<R: Send>(chain: usize, work: impl FnOnce() -> R + Send) -> Result<R, String> {
    if !is_long(chain) {
        return Ok(work());
    }
    let size = chain.saturating_mul(PER_NODE);
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(size).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| format!("there is no stack for its chain of {chain} nodes: {error}"))?;
        thread.join().map_err(|panic| resume_unwind(panic))
    })
}
