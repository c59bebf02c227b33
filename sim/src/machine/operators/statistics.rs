//! What single operators were given, as files: one for each operator with its shapes, types and attributes.

use super::attributes::Attribute;
use super::operand::Operand;
use super::plan::Plan;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::model::Element;
use ascendcl_sys::error_codes::ACL_ERROR_FAILURE;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

struct Noted {
    folder: PathBuf,
    /// The operator, and what is said of it in JSON.
    operators: BTreeSet<(String, String)>,
}

static NOTED: Mutex<Option<Noted>> = Mutex::new(None);

/// Notes operators for files in this folder, which is made if it is not there. It is done once at a time (500001).
pub(crate) fn start(folder: &str) -> Answer {
    let mut noted = lock(&NOTED);
    if noted.is_some() {
        return Err(Failure::new(
            ACL_ERROR_FAILURE,
            "operators are noted already; stop that first (aclopStopDumpArgs)",
        ));
    }
    if folder.is_empty() {
        return Err(Failure::new(ACL_ERROR_FAILURE, "the path of the folder is empty"));
    }
    let folder = Path::new(folder).to_owned();
    fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
    *noted = Some(Noted { folder, operators: BTreeSet::new() });
    Ok(())
}

/// Writes what was noted, and notes no more.
pub(crate) fn stop() -> Answer {
    let Some(Noted { folder, operators }) = lock(&NOTED).take() else { return Ok(()) };
    for (index, (name, text)) in operators.iter().enumerate() {
        let path = folder.join(format!("{name}.{index}.json"));
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
    }
    Ok(())
}

pub(super) fn clear() {
    *lock(&NOTED) = None;
}

/// An operator was given this.
pub(crate) fn note(plan: &Plan) {
    let mut noted = lock(&NOTED);
    if let Some(noted) = &mut *noted {
        noted.operators.insert((plan.signature.name.clone(), said_of(plan)));
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(ACL_ERROR_FAILURE, format!("{} cannot be written: {error}", path.display()))
}

fn said_of(plan: &Plan) -> String {
    let signature = &plan.signature;
    let attributes = signature.attributes.iter().map(|(name, value)| format!("{}: {}", quoted(name), value_of(value)));
    format!(
        "{{\"op\": {}, \"inputs\": {}, \"outputs\": {}, \"attributes\": {{{}}}}}\n",
        quoted(&signature.name),
        list(&signature.inputs, operand),
        list(std::slice::from_ref(&plan.output), operand),
        attributes.collect::<Vec<_>>().join(", "),
    )
}

/// Every operand lies in row-major order here.
fn operand(operand: &Operand) -> String {
    let shape = list(&operand.dims, i64::to_string);
    format!("{{\"format\": \"ND\", \"dtype\": \"{}\", \"shape\": {shape}}}", type_of(operand.element))
}

fn value_of(value: &Attribute) -> String {
    match value {
        Attribute::Bool(value) => value.to_string(),
        Attribute::Int(value) => value.to_string(),
        Attribute::Float(value) => number(value),
        Attribute::String(value) => quoted(value),
        Attribute::DataType(value) => value.0.to_string(),
        Attribute::Bools(values) => list(values, bool::to_string),
        Attribute::Ints(values) => list(values, i64::to_string),
        Attribute::Floats(values) => list(values, number),
        Attribute::Strings(values) => list(values, |value| quoted(value)),
        Attribute::DataTypes(values) => list(values, |value| value.0.to_string()),
        Attribute::IntLists(values) => list(values, |values| list(values, i64::to_string)),
    }
}

fn list<T>(items: &[T], say: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(say).collect::<Vec<_>>().join(", "))
}

/// JSON has no numbers that are not finite.
fn number(value: &f32) -> String {
    if value.is_finite() { value.to_string() } else { format!("\"{value}\"") }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter < ' ' => quoted += &format!("\\u{:04x}", u32::from(letter)),
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

fn type_of(element: Element) -> &'static str {
    match element {
        Element::F16 => "float16",
        Element::F32 => "float32",
        Element::F64 => "float64",
        Element::I8 => "int8",
        Element::I16 => "int16",
        Element::I32 => "int32",
        Element::I64 => "int64",
        Element::U8 => "uint8",
        Element::U16 => "uint16",
        Element::U32 => "uint32",
        Element::U64 => "uint64",
        Element::Bool => "bool",
    }
}

#[cfg(test)]
mod tests {
    use super::{number, quoted};

    #[test]
    fn texts_and_numbers_are_those_of_json() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
        assert_eq!([1.5, f32::INFINITY].map(|value| number(&value)), ["1.5", "\"inf\""]);
    }
}
