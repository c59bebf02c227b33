//! Types of the C interface, named as in C.

mod aliases;
mod enums_base;
mod enums_media;
mod enums_model;
mod enums_operator;
mod enums_runtime_a;
mod enums_runtime_b;
mod enums_tools;
mod handles;
mod structs_model;
mod structs_runtime_a;
mod structs_runtime_b;
mod structs_tools;

pub use {
    aliases::*, enums_base::*, enums_media::*, enums_model::*, enums_operator::*, enums_runtime_a::*,
    enums_runtime_b::*, enums_tools::*, handles::*, structs_model::*, structs_runtime_a::*, structs_runtime_b::*,
    structs_tools::*,
};
