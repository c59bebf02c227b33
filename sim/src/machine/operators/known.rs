//! Which operators a program may execute. The vendor's library executes what it finds a compiled model for; here an
//! operator is found once the program compiled it, or loaded compiled operators from a directory or from memory. What
//! is loaded is compiled for a device and cannot be read here, so it stands for every operator that there is.

use super::operand::Operand;
use super::plan::{Plan, Request, Signature};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::watch;
use ascendcl_rules::{OP_04, OP_05, Object};
use ascendcl_sys::error_codes::*;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

struct Known {
    directory: bool,
    image: bool,
    /// Compiled from now on for any sizes of the axes.
    fuzzy: bool,
    /// The oldest first.
    compiled: VecDeque<Compiled>,
    most: usize,
}

struct Compiled {
    signature: Signature,
    constants: Vec<Constant>,
    fuzzy: bool,
}

/// The elements of an input that does not change, as the description has them.
type Constant = Option<Arc<[u8]>>;

static KNOWN: Mutex<Known> = Mutex::new(Known::nothing());

/// Refuses (100024) an operator that was neither compiled nor loaded.
pub(crate) fn check_found(plan: &Plan) -> Answer {
    let known = lock(&KNOWN);
    let mut compiled = known.compiled.iter().filter(|one| one.serves(&plan.signature)).peekable();
    if known.directory || known.image {
        return Ok(());
    }
    if compiled.peek().is_some() {
        let constants = plan.constants();
        return if compiled.any(|one| one.has(&constants)) { Ok(()) } else { changed_since(&plan.signature.name) };
    }
    let text = format!(
        "{}: no model of it with these types, shapes and attributes; aclopCompile makes one, aclopSetModelDir and \
         aclopLoad bring some",
        plan.signature.name
    );
    Err(Failure::new(ACL_ERROR_OP_NOT_FOUND, text))
}

/// Whether an operator of this type was compiled with this attribute. What was loaded cannot be read here.
pub(crate) fn knows_attribute(name: &str, attribute: &str) -> bool {
    let has = |signature: &Signature| signature.name == name && signature.attributes.contains_key(attribute);
    lock(&KNOWN).compiled.iter().any(|one| has(&one.signature))
}

/// A constant is part of what was compiled (OP-04).
fn changed_since(name: &str) -> Answer {
    watch::mistaken(|| {
        let text = format!(
            "{name}: a constant input has other elements than when the operator was compiled, or was none then"
        );
        let fix = "set the constant before aclopCompile, and pass the same elements when the operator is executed";
        Failure::new(ACL_ERROR_OP_NOT_FOUND, text).breaks(OP_04, "the constants that were compiled", fix)
    })
}

/// Compiles an operator: its shapes may be open.
pub(crate) fn compile(request: &Request) -> Answer {
    let signature = Signature::of(request)?;
    let operator = signature.operator()?;
    if !signature.has_open_input() {
        signature.output(operator)?;
    }
    let mut known = lock(&KNOWN);
    let constants = request.constants();
    let compiled = Compiled { signature, constants, fuzzy: known.fuzzy };
    known.compiled.retain(|one| one.signature != compiled.signature || one.constants != compiled.constants);
    known.compiled.push_back(compiled);
    known.shrink();
    Ok(())
}

/// Loads the compiled operators of a directory, once in the life of the process (OP-05).
pub(crate) fn choose_directory(path: &str) -> Answer {
    if !Path::new(path).is_dir() {
        let text = format!("found no directory `{path}`, expected one with compiled operators");
        return Err(Failure::new(ACL_ERROR_READ_MODEL_FAILURE, text));
    }
    let mut known = lock(&KNOWN);
    if known.directory {
        let failure = Failure::new(
            ACL_ERROR_REPEAT_INITIALIZE,
            "a directory of operators was set before; it is set once in a process (OP-05)",
        );
        let fix = "put all operators into one directory, or load the others by aclopLoad";
        return Err(failure.breaks(OP_05, "one directory in a process", fix).about(Object::PROCESS));
    }
    known.directory = true;
    Ok(())
}

/// Loads a compiled operator from memory.
pub(crate) fn load_image() {
    lock(&KNOWN).image = true;
}

/// Whether what is compiled from now on serves other sizes of the axes, too.
pub(crate) fn set_fuzzy(fuzzy: bool) {
    lock(&KNOWN).fuzzy = fuzzy;
}

/// The number of compiled operators that are kept. The oldest are dropped first (OP-09).
pub(crate) fn keep_at_most(count: u64) {
    let mut known = lock(&KNOWN);
    known.most = usize::try_from(count).unwrap_or(usize::MAX);
    known.shrink();
}

pub(super) fn clear() {
    *lock(&KNOWN) = Known::nothing();
}

impl Known {
    const fn nothing() -> Self {
        /// More than a program is likely to compile.
        const MOST: usize = 20_000;
        Self { directory: false, image: false, fuzzy: false, compiled: VecDeque::new(), most: MOST }
    }

    fn shrink(&mut self) {
        let surplus = self.compiled.len().saturating_sub(self.most);
        self.compiled.drain(..surplus);
    }
}

impl Compiled {
    /// An input that is no constant any more may have the same elements in its memory.
    fn has(&self, constants: &[Constant]) -> bool {
        self.constants.iter().zip(constants).all(|(mine, theirs)| theirs.is_none() || mine == theirs)
    }

    fn serves(&self, wanted: &Signature) -> bool {
        let fits = |(mine, theirs): (&Operand, &Operand)| {
            mine.element == theirs.element && (self.fuzzy || mine.allows(&theirs.dims))
        };
        let all =
            |mine: &[Operand], theirs: &[Operand]| mine.len() == theirs.len() && mine.iter().zip(theirs).all(fits);
        let Signature { name, attributes, inputs, outputs } = &self.signature;
        *name == wanted.name
            && *attributes == wanted.attributes
            && all(inputs, &wanted.inputs)
            && all(outputs, &wanted.outputs)
    }
}
