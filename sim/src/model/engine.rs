//! `rten`, behind the few calls that a model needs.

use super::contained::{contained, contained_load};
use super::failure::{LoadFailure, RunFailure};
use super::names::{self, Attributes};
use super::{ceiling, deep, external, fold};
use crate::abi::thread_begins;
use rten::{LoadError, LoadErrorKind, ModelOptions, NodeId, RunError, RunOptions, ThreadPool, Value, ValueOrView};
use rten_onnx::onnx::ModelProto;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A graph loaded into `rten`, with its inputs and outputs found.
#[derive(Debug)]
pub(super) struct Engine {
    graph: rten::Model,
    inputs: Vec<NodeId>,
    /// The nodes to ask for; `rten` wants each only once.
    outputs: Vec<NodeId>,
    /// Which of them each output of the model is, unless that is the same order.
    shared: Option<Vec<usize>>,
    attributes: Attributes,
    /// The length of its longest chain of nodes.
    chain: usize,
    /// Whether the engine keeps the order of the nodes, and need not look for it once more.
    has_order: AtomicBool,
}

thread_local! {
    /// The one-thread pool that this thread is, inside [`serve`].
    static LANE: RefCell<Option<RunOptions>> = const { RefCell::new(None) };
}

/// Runs `work` on a thread of its own, where models run at once and not by way of another thread, and waits for it.
///
/// A stream's worker does all its work in here. Elsewhere every run is handed to one thread that all callers share, and
/// back, which costs more than a small model itself.
pub fn serve<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let pool = Arc::new(ThreadPool::with_num_threads(1));
    pool.run(|| {
        let options = RunOptions::default().with_thread_pool(Some(pool.clone()));
        LANE.with(|lane| lane.replace(Some(options)));
        let _leave = LeaveLane;
        work()
    })
}

/// Gives the thread's hold on its own pool back, also when the work panics: otherwise the pool would never be freed.
struct LeaveLane;

impl Drop for LeaveLane {
    fn drop(&mut self) {
        // It fails only while the thread ends, when the lane is gone already.
        let _ = LANE.try_with(|lane| lane.take());
    }
}

impl Engine {
    /// `value_of` shows an attribute of a node by their names.
    pub(super) fn load(
        file: Vec<u8>,
        attributes: &Attributes,
        value_of: impl Fn(&str, &str) -> Option<String>,
    ) -> Result<Self, LoadFailure> {
        let mut model = ModelProto::parse_buf(&file).map_err(|error| LoadFailure::Refused(error.to_string()))?;
        drop(file);
        ceiling::guard(&mut model)?;
        fold::fold(&mut model, attributes)?;
        let chain = model.graph.as_ref().map_or(Ok(0), deep::chain)?;
        let data = model.graph.as_mut().map_or(Ok(Vec::new()), external::take)?;
        let file = model.write_buf().map_err(|error| LoadFailure::Refused(error.to_string()))?;
        drop(model);
        let loaded = deep::along(chain, || contained_load(|| unoptimised(data).load(file)));
        let graph = loaded.flatten().map_err(LoadFailure::Refused)?.map_err(|error| {
            let room = ceiling::no_room(&error.to_string());
            room.map_or_else(|| refusal(&error, attributes, &value_of), |lack| LoadFailure::Refused(lack.to_string()))
        })?;
        let inputs = graph.input_ids().to_vec();
        let mut outputs = Vec::new();
        let slot = |&id: &NodeId| {
            outputs.iter().position(|known| *known == id).unwrap_or_else(|| {
                outputs.push(id);
                outputs.len() - 1
            })
        };
        let slots: Vec<usize> = graph.output_ids().iter().map(slot).collect();
        let shared = (slots.len() != outputs.len()).then_some(slots);
        let (attributes, has_order) = (attributes.clone(), AtomicBool::new(!deep::is_long(chain)));
        Ok(Self { graph, inputs, outputs, shared, attributes, chain, has_order })
    }

    /// Runs the graph on these inputs, unless one of them is a failure.
    pub(super) fn run(
        &self,
        inputs: impl Iterator<Item = Result<Value, RunFailure>>,
    ) -> Result<Vec<Value>, RunFailure> {
        let mut given = Vec::with_capacity(self.inputs.len());
        for (&node, value) in self.inputs.iter().zip(inputs) {
            given.push((node, ValueOrView::Value(value?)));
        }
        let run = if self.has_order.load(Ordering::Relaxed) { Self::run_for } else { Self::run_first };
        let results = run(self, given, &self.outputs)
            .map_err(RunFailure::Refused)?
            .map_err(|error| error.to_string())
            .map_err(|why| {
                ceiling::no_room(&why).unwrap_or_else(|| RunFailure::Refused(names::told(&why, &self.attributes)))
            })?;
        Ok(match &self.shared {
            None => results,
            Some(slots) => slots.iter().filter_map(|&slot| results.get(slot).cloned()).collect(),
        })
    }

    /// Runs the graph for these of its values. A panic of the engine is its text.
    fn run_for(
        &self,
        given: Vec<(NodeId, ValueOrView<'_>)>,
        wanted: &[NodeId],
    ) -> Result<Result<Vec<Value>, RunError>, String> {
        let options = LANE.try_with(|lane| lane.borrow().clone()).ok().flatten().map_or_else(shared_thread, Ok)?;
        let run = |given, options| contained(|| self.graph.run(given, wanted, Some(options)));
        let pool = options.thread_pool.clone();
        // The engine works on the thread of the pool, so its panics are caught there.
        match pool {
            Some(pool) => pool.run(move || run(given, options)),
            None => run(given, options),
        }
    }

    /// As [`run_for`](Self::run_for), where the engine may not know the order of the nodes.
    fn run_first(
        &self,
        given: Vec<(NodeId, ValueOrView<'_>)>,
        wanted: &[NodeId],
    ) -> Result<Result<Vec<Value>, RunError>, String> {
        // It looks for the order on the thread that calls it, and a thread of `serve` is one that waits here.
        let options = shared_thread()?;
        let run = || contained_load(|| self.graph.run(given, wanted, Some(options)));
        let found = deep::along(self.chain, run).flatten();
        if matches!(found, Ok(Ok(_))) {
            self.has_order.store(true, Ordering::Relaxed);
        }
        found
    }

    /// The place of the first of these values that the engine panics over; they are in the order in which they are made.
    pub(super) fn panics_at(&self, inputs: &[Value], values: &[&str]) -> Option<usize> {
        if deep::is_long(self.chain) {
            // For other values the engine would look for another order.
            return None;
        }
        let node = |(place, name): (usize, &&str)| Some((place, self.graph.find_node(name)?));
        let mut made: Vec<(usize, NodeId)> = values.iter().enumerate().filter_map(node).collect();
        let run = |made: &[(usize, NodeId)]| {
            let given = self.inputs.iter().zip(inputs).map(|(node, value)| (*node, ValueOrView::View(value.as_view())));
            let wanted: Vec<NodeId> = made.iter().map(|(_, node)| *node).collect();
            self.run_for(given.collect(), &wanted)
        };
        // A value that no node makes is refused by name, before anything runs.
        while let Ok(result) = run(&made) {
            let refused = result.err()?.to_string();
            let name = refused.split_once("output \"")?.1.split_once('"')?.0;
            let before = made.len();
            made.retain(|(place, _)| values.get(*place) != Some(&name));
            if made.len() == before {
                return None;
            }
        }
        // What a part of the values panics over, more of them do, too.
        let counts: Vec<usize> = (1..=made.len()).collect();
        let first = counts.partition_point(|count| run(made.get(..*count).unwrap_or_default()).is_ok());
        made.get(first).map(|(place, _)| *place)
    }
}

/// How models are loaded that run. To optimise them the engine makes other nodes of some, which give other numbers.
pub(super) fn unoptimised(data: Vec<(String, Vec<u8>)>) -> ModelOptions {
    let mut options = ModelOptions::with_all_ops();
    options.enable_optimization(false);
    for (name, bytes) in data {
        options.external_data(&name, bytes);
    }
    options
}

/// The thread that runs the models of all callers that are not inside [`serve`].
pub(super) fn shared_thread() -> Result<RunOptions, String> {
    static POOL: OnceLock<Arc<ThreadPool>> = OnceLock::new();
    thread_begins();
    let pool = contained(|| POOL.get_or_init(|| Arc::new(ThreadPool::with_num_threads(1))));
    let pool = pool.map_err(|_| "the system starts no thread for models".to_owned())?;
    Ok(RunOptions::default().with_thread_pool(Some(pool.clone())))
}

/// `rten` names a missing operator, and an attribute, only in its text: "in node "n": operator error: Name operator not
/// supported …", "… error in attribute "name": …".
fn refusal(
    error: &LoadError,
    attributes: &Attributes,
    value_of: &impl Fn(&str, &str) -> Option<String>,
) -> LoadFailure {
    let text = error.to_string();
    // Of a node inside of another, only the text has the name.
    let innermost = text.rsplit_once("in node \"").and_then(|(_, rest)| rest.split_once("\": ")).map(|(node, _)| node);
    let full = innermost.or(error.node()).unwrap_or_default().to_string();
    let (text, label) = (names::told(&text, attributes), names::shown(&full));
    let Some((node, operator)) = named(&label) else { return LoadFailure::Refused(text) };
    if error.kind() != LoadErrorKind::OperatorInvalid {
        return LoadFailure::Refused(text);
    }
    if let Some(missing) = text.split_once(" operator not ").and_then(|(before, _)| before.rsplit(' ').next()) {
        return LoadFailure::MissingOperator { operator: missing.to_string(), node: Some(node.to_string()) };
    }
    let why = text.rsplit_once("operator error: ").map_or(text.as_str(), |(_, why)| why);
    let in_one = why.split_once("error in attribute \"").and_then(|(_, rest)| rest.split_once("\": "));
    let unknown = why.strip_prefix("unsupported or duplicated attributes: ");
    let (attribute, why) = match (in_one, unknown) {
        (Some((name, why)), _) => (Some(name), why),
        (None, Some(names)) => (names.split(", ").next(), "the simulator does not calculate with this attribute"),
        (None, None) => (None, why),
    };
    let value = |name: &str| value_of(&full, name).unwrap_or_else(|| "left out".to_string());
    LoadFailure::Node {
        operator: operator.to_string(),
        node: label.clone(),
        attribute: attribute.map(|name| (name.to_string(), value(name))),
        why: why.to_string(),
    }
}

/// The parts of the name that a node is given before the engine sees it: "name (Operator)".
fn named(label: &str) -> Option<(&str, &str)> {
    label.strip_suffix(')')?.rsplit_once(" (")
}
