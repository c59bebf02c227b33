//! The type of a rule.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

/// One rule of the catalogue, by name.
///
/// It prints as the id that messages and tables use: `ALLOC-07`. Its constants can be patterns:
///
/// ```
/// use ascendcl_rules::{ERR_02, RuleId, STREAM_16};
///
/// fn is_about_waits(rule: RuleId) -> bool {
///     matches!(rule, STREAM_16 | ERR_02)
/// }
///
/// assert!(is_about_waits(ERR_02) && !is_about_waits(ascendcl_rules::ALLOC_07));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RuleId(&'static Rule);

/// The data of a rule.
// All of it is compared, because the `Rule` of a constant may have several addresses, and because a constant can be a
// pattern only if its comparison is derived.
#[derive(PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The id, as it is printed: `ALLOC-07`.
    pub id: &'static str,
    /// The part of the vendor's interface that it belongs to.
    pub area: Area,
    /// The requirement.
    pub text: &'static str,
    /// A program that breaks it.
    pub misuse: &'static str,
    /// The consequence.
    pub consequence: &'static str,
    /// Its source: a page or function of the vendor's manuals, or an observation.
    pub source: &'static str,
    /// The pages of the vendor's manual that state the rule, among those that are covered completely.
    pub pages: &'static [ManualPage],
    /// The basis of the rule: `doc` (a manual), `header` (a comment of a C header), `source` (behaviour that was read
    /// or measured, without a promise), `search` (another public page of the vendor), `derived` (follows from other
    /// rules).
    pub basis: &'static str,
    /// 1: breaking it causes corruption, a crash or a leak. 3: programs rarely break it.
    pub priority: u8,
    /// How `ascendcl` enforces it.
    pub class: Class,
    /// The means of enforcement.
    pub means: &'static str,
    /// The cases that the means do not cover; empty if there are none.
    pub hole: &'static str,
}

/// How a rule is enforced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// A program that breaks it does not compile.
    Compile,
    /// The safe layer keeps it, whatever the program does.
    ByConstruction,
    /// A check at run time, or the library's own refusal, is an error. It names the rule, unless the code of a refusal does
    /// not identify it.
    RunTime,
    /// Nothing can enforce it. The documentation says why.
    Limit,
    /// The safe layer has no API for its subject.
    NotOffered,
}

/// The consequence of breaking a rule.
///
/// Its values have names that no other crate uses, for the reason that [`Area`] states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Severity {
    /// Right in a program that means it. The checker cannot know what the program means.
    Advice,
    /// Often harmless.
    Warning,
    /// An error, a crash, wrong results, or a leak.
    Misuse,
}

/// A page of the vendor's manual that the catalogue covers completely.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ManualPage {
    /// `acl.rt.allocator_register`.
    AllocatorRegistration,
    /// `RegisterExternalAllocator` of the graph engine.
    GraphEngineAllocators,
    /// Acquiring and releasing runtime resources, in Python.
    ResourcesInPython,
    /// `acl.mdl.load_from_mem_with_mem`.
    ModelLoading,
    /// Acquiring and releasing runtime resources, in C.
    ResourcesInC,
}

impl ManualPage {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::AllocatorRegistration,
        Self::GraphEngineAllocators,
        Self::ResourcesInPython,
        Self::ModelLoading,
        Self::ResourcesInC,
    ];

    /// The subject of the page.
    pub const fn title(self) -> &'static str {
        match self {
            Self::AllocatorRegistration => "Registering an allocator on a stream",
            Self::GraphEngineAllocators => "External allocators of the graph engine",
            Self::ResourcesInPython => "Acquiring and releasing runtime resources, in Python",
            Self::ModelLoading => "Loading a model from memory onto the caller's memory",
            Self::ResourcesInC => "Acquiring and releasing runtime resources, in C",
        }
    }
}

impl RuleId {
    pub(crate) const fn new(rule: &'static Rule) -> Self {
        Self(rule)
    }

    /// The rule's data.
    pub const fn rule(self) -> &'static Rule {
        self.0
    }

    /// The consequence of breaking it.
    pub fn severity(self) -> Severity {
        use crate::catalogue::{
            ALLOC_05, ALLOC_13, ALLOC_15, ALLOC_21, CB_01, COPY_09, CTX_14, DATA_10, DVPP_03, EVENT_01, EVENT_07,
            MEM_07, MEM_15, VMM_04,
        };
        /// Rules whose violation is only a warning:
        ///
        /// * ALLOC-15: the library goes on with its own allocator, and nothing fails.
        /// * ALLOC-21: a program may ask in order to find out, and go on with the code.
        /// * CB-01: the vendor's own examples break it.
        /// * COPY-09: the header alone asks for it, and programs copy parts of tensors.
        /// * CTX-14: the manual shows threads that set a context and end, and the library works on after that.
        /// * DATA-10: the library reads the datasets of a run in the call, and frameworks destroy them behind it.
        /// * DVPP-03: some products process pictures in any memory of the device.
        /// * EVENT-01: manuals of older releases asked for what it forbids, and the library still does it.
        /// * EVENT-07: the library has waits across devices, and a record across devices fails by itself.
        /// * MEM-07: the program may know that it does not use the data that it reads.
        /// * MEM-15: some drivers copy by the addresses that devices have for host memory.
        /// * VMM-04: according to later manuals, freed physical memory stays until it is unmapped.
        const WARNINGS: [RuleId; 12] =
            [ALLOC_15, ALLOC_21, CB_01, COPY_09, CTX_14, DATA_10, DVPP_03, EVENT_01, EVENT_07, MEM_07, MEM_15, VMM_04];
        /// Rules whose violation the calls alone do not show. A program that forgot to use its allocator's stream makes
        /// the same calls as a program whose allocator is for work that did not come.
        const ADVICE: [RuleId; 2] = [ALLOC_05, ALLOC_13];
        match self {
            rule if ADVICE.contains(&rule) => Severity::Advice,
            rule if WARNINGS.contains(&rule) => Severity::Warning,
            _ => Severity::Misuse,
        }
    }

    /// The id, as it is printed: `ALLOC-07`.
    pub const fn as_str(self) -> &'static str {
        self.0.id
    }

    /// All rules, area by area, by number.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        Area::ALL.iter().flat_map(|area| area.rules()).copied()
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Hash for RuleId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialOrd for RuleId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Sorts in the order of [`RuleId::all`].
impl Ord for RuleId {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |id: &Self| (id.0.area, id.0.id);
        key(self).cmp(&key(other))
    }
}

/// The error for a text that is not the id of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseRuleIdError {
    text: String,
}

impl fmt::Display for ParseRuleIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the catalogue has no rule `{}`", self.text)
    }
}

impl core::error::Error for ParseRuleIdError {}

/// Accepts `ALLOC-07` and `ALLOC_07`.
impl FromStr for RuleId {
    type Err = ParseRuleIdError;

    fn from_str(text: &str) -> Result<Self, ParseRuleIdError> {
        let same = |id: &Self| id.as_str().chars().eq(text.chars().map(|c| if c == '_' { '-' } else { c }));
        Self::all().find(same).ok_or_else(|| ParseRuleIdError { text: text.to_owned() })
    }
}

/// A part of the vendor's interface.
///
/// Its values are associated constants, not variants. With variants like `Stream` and `Copy`, the compiler would write
/// the full paths `ascendcl::Stream` and `std::marker::Copy` in its messages, because the short names would not be
/// unique.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Area(Part);

macro_rules! areas {
    ($($name:ident $constant:ident $title:literal $rules:path;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        enum Part { $($name,)* }

        impl Area {
            $(#[doc = concat!($title, ".")] pub const $constant: Self = Self(Part::$name);)*

            /// All of them, in the order in which a program meets them.
            pub const ALL: &'static [Self] = &[$(Self::$constant),*];

            /// The prefix of the ids of its rules.
            pub const fn code(self) -> &'static str {
                match self.0 { $(Part::$name => stringify!($constant)),* }
            }

            /// Its title.
            pub const fn title(self) -> &'static str {
                match self.0 { $(Part::$name => $title),* }
            }

            /// Its rules, by number.
            pub const fn rules(self) -> &'static [RuleId] {
                match self.0 { $(Part::$name => $rules),* }
            }
        }
    };
}
areas! {
    Init INIT "Initialising and finalising" crate::catalogue::init::RULES;
    Dev DEV "Devices" crate::catalogue::dev::RULES;
    Ctx CTX "Contexts" crate::catalogue::ctx::RULES;
    Thread THREAD "Threads" crate::catalogue::thread::RULES;
    Stream STREAM "Streams" crate::catalogue::stream::RULES;
    Mem MEM "Memory" crate::catalogue::mem::RULES;
    Vmm VMM "Virtual memory" crate::catalogue::vmm::RULES;
    Ipc IPC "Sharing between processes" crate::catalogue::ipc::RULES;
    Copy COPY "Copies and sets" crate::catalogue::copy::RULES;
    Event EVENT "Events" crate::catalogue::event::RULES;
    Cb CB "Callbacks" crate::catalogue::cb::RULES;
    Alloc ALLOC "The caller's allocators" crate::catalogue::alloc::RULES;
    Ge GE "Graph engine sessions" crate::catalogue::ge::RULES;
    Model MODEL "Models" crate::catalogue::model::RULES;
    Data DATA "Datasets and data buffers" crate::catalogue::data::RULES;
    Op OP "Single operators" crate::catalogue::op::RULES;
    Kernel KERNEL "Kernels" crate::catalogue::kernel::RULES;
    Graph GRAPH "Captured graphs" crate::catalogue::graph::RULES;
    Hccl HCCL "Collective communication" crate::catalogue::hccl::RULES;
    Dvpp DVPP "Media processing" crate::catalogue::dvpp::RULES;
    Mode MODE "Run mode" crate::catalogue::mode::RULES;
    Err ERR "Errors" crate::catalogue::err::RULES;
}

impl fmt::Debug for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}
