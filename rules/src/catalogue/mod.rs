//! The catalogue: one file per area.
//!
//! An id never changes its meaning and is never given to another rule.

/// Declares the rules of an area: a constant with a page for each rule, the list of rules, and a macro that writes a
/// rule into the documentation of the item that enforces it.
macro_rules! rules {
    (($d:tt) $area:ident $spell:ident {$(
        $name:ident = $id:literal {
            text: $text:literal,
            misuse: $misuse:literal,
            consequence: $consequence:literal,
            source: $source:literal,
            pages: [$($page:ident),*],
            basis: $basis:literal,
            priority: $priority:literal,
            class: $class:ident,
            means: $means:literal,
            $(hole: $hole:literal,)?
        }
    )*}) => {
        $(
            #[doc = $text]
            ///
            #[doc = concat!("* Broken by: ", $misuse)]
            #[doc = concat!("* Then: ", $consequence)]
            #[doc = concat!("* Stated in: ", $source, " (", $basis, ")")]
            #[doc = concat!("* Priority: ", $priority)]
            #[doc = concat!("* Enforced by `ascendcl`: [`", stringify!($class), "`](crate::Class::", stringify!($class), "): ", $means)]
            $(#[doc = concat!("* Left open: ", $hole)])?
            pub const $name: $crate::RuleId = $crate::RuleId::new(&$crate::Rule {
                id: $id,
                area: $crate::Area::$area,
                text: $text,
                misuse: $misuse,
                consequence: $consequence,
                source: $source,
                pages: &[$($crate::ManualPage::$page),*],
                basis: $basis,
                priority: $priority,
                class: $crate::Class::$class,
                means: $means,
                hole: concat!("" $(, $hole)?),
            });
        )*

        pub(crate) const RULES: &[$crate::RuleId] = &[$($name),*];

        #[doc(hidden)]
        #[macro_export]
        macro_rules! $spell {
            $(($name) => {
                concat!("* [`", $id, "`](::ascendcl_rules::", stringify!($name), "): ", $text)
            };)*
            ($d($d other:tt)*) => {
                compile_error!(concat!("the catalogue has no rule `", stringify!($d($d other)*), "`"))
            };
        }
    };
}

pub(crate) mod alloc;
pub(crate) mod cb;
pub(crate) mod copy;
pub(crate) mod ctx;
pub(crate) mod data;
pub(crate) mod dev;
pub(crate) mod dvpp;
pub(crate) mod err;
pub(crate) mod event;
pub(crate) mod ge;
pub(crate) mod graph;
pub(crate) mod hccl;
pub(crate) mod init;
pub(crate) mod ipc;
pub(crate) mod kernel;
pub(crate) mod mem;
pub(crate) mod mode;
pub(crate) mod model;
pub(crate) mod op;
pub(crate) mod stream;
pub(crate) mod thread;
pub(crate) mod vmm;

pub use alloc::*;
pub use cb::*;
pub use copy::*;
pub use ctx::*;
pub use data::*;
pub use dev::*;
pub use dvpp::*;
pub use err::*;
pub use event::*;
pub use ge::*;
pub use graph::*;
pub use hccl::*;
pub use init::*;
pub use ipc::*;
pub use kernel::*;
pub use mem::*;
pub use mode::*;
pub use model::*;
pub use op::*;
pub use stream::*;
pub use thread::*;
pub use vmm::*;
