//! The page of the declared life cycles.

use ascendcl_rules::{acl, context, dataset, device, event, graph, model, stream};
use ascendcl_rules::{descriptor_address, descriptor_allocate, descriptor_free, descriptor_object};

/// Each object's name and its declaration as a Mermaid diagram.
pub const DIAGRAMS: [(&str, &str); 12] = [
    (acl::NAME, acl::DIAGRAM),
    (device::NAME, device::DIAGRAM),
    (context::NAME, context::DIAGRAM),
    (stream::NAME, stream::DIAGRAM),
    (event::NAME, event::DIAGRAM),
    (model::NAME, model::DIAGRAM),
    (dataset::NAME, dataset::DIAGRAM),
    (graph::NAME, graph::DIAGRAM),
    (descriptor_object::NAME, descriptor_object::DIAGRAM),
    (descriptor_allocate::NAME, descriptor_allocate::DIAGRAM),
    (descriptor_free::NAME, descriptor_free::DIAGRAM),
    (descriptor_address::NAME, descriptor_address::DIAGRAM),
];

const HEAD: &str = "\
# Life cycles

<!-- Generated: BOOK=overwrite cargo test -p ascendcl-book --test pages -->

An object of AscendCL has a state. A call is legal in some states only, and leads to another state or to the same one.
These pictures are drawn from the declarations in `rules/src/life_cycles.rs`. The states of the types, the bounds of the
methods, the compiler's messages and the monitors of the simulator are generated from the same lines.

The dot is the time before the object exists. The ring is the end of its life. An arrow has the name of the operation.
An operation after ↻ keeps the state. `fails` marks what a failed call leads to. Without such an arrow, a failed call keeps the state.

";

const EXERCISE: &str = "\
\n## Exercise\n\n`07_life_cycles`: let a stream wait for another one. Run `cargo run -p ascendcl-exercises`.\n";

/// The table of an object's steps. Each protocol has types of its own, and all have the same form.
macro_rules! sections {
    ($($object:ident)*) => { [$({
        let mut rows = String::new();
        for edge in $object::EDGES.iter().filter(|edge| !edge.implied) {
            rows.push_str(&format!("| `{edge}` | {} |\n", edge.why.trim_end_matches('.').replace('|', "\\|")));
        }
        section($object::NAME, &rows)
    }),*] };
}

/// The page, as the life cycles are declared now.
pub fn page() -> String {
    let sections: [String; 12] = sections!(
        acl device context stream event model dataset graph
        descriptor_object descriptor_allocate descriptor_free descriptor_address
    );
    format!("{HEAD}{}{EXERCISE}", sections.join("\n"))
}

fn section(name: &str, rows: &str) -> String {
    let title = name.replace('_', " ");
    format!("## {title}\n\n![the life cycle of {title}](pictures/{name}.svg)\n\n| step | why |\n| --- | --- |\n{rows}")
}
