//! Checks that bytes are whole protobuf messages, as ONNX nests them.
//!
//! `rten`'s own parser believes every length it reads: a damaged file makes it loop for ever or ask for any amount of
//! memory. After this check it meets only lengths that fit.

/// How deep graphs may stand inside the nodes of graphs.
const DEEPEST: usize = 100;

/// Refuses bytes that are not one whole ONNX model message, and says why.
///
/// Constants that are written as `uint64_data`, which `rten` skips, get the number of `int64_data`: the elements of both
/// fields are written in the same way.
pub(super) fn check_model(bytes: &mut [u8]) -> Result<(), String> {
    /// The numbers of the two fields in a byte of their own, with the kind of the field in the lowest bits.
    const UNSIGNED: u8 = 11 << 3;
    const SIGNED: u8 = 7 << 3;
    let (mut unsigned, start) = (Vec::new(), bytes.as_ptr().addr());
    check(bytes, Message::Model, 0, &mut unsigned)?;
    for address in unsigned {
        match bytes.get_mut(address - start) {
            Some(tag) if *tag & !7 == UNSIGNED => *tag = SIGNED | *tag & 7,
            _ => {}
        }
    }
    Ok(())
}

/// The messages of the ONNX schema that `rten` reads.
#[derive(Clone, Copy)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    ValueInfo,
    Type,
    TensorType,
    SequenceType,
    Shape,
    /// One that holds no other.
    Flat,
}

/// What a field holds that has a length.
enum Content {
    Nested(Message),
    PackedVarints,
    /// Elements of so many bytes each.
    Packed(usize),
    /// Text, raw data, or a field that `rten` skips.
    Bytes,
}

impl Message {
    /// What the field with this number holds.
    fn content(self, field: u64) -> Content {
        match (self, field) {
            (Self::Model, 7) | (Self::Attribute, 6) => Content::Nested(Self::Graph),
            (Self::Model, 8 | 14) | (Self::Tensor, 13) | (Self::Shape, 1) => Content::Nested(Self::Flat),
            (Self::Graph, 1) => Content::Nested(Self::Node),
            (Self::Graph, 5) | (Self::Attribute, 5) => Content::Nested(Self::Tensor),
            (Self::Graph, 11..=13) => Content::Nested(Self::ValueInfo),
            (Self::Node, 5) => Content::Nested(Self::Attribute),
            (Self::Tensor, 5 | 7 | 11) => Content::PackedVarints,
            (Self::Tensor, 4) => Content::Packed(4),
            (Self::Tensor, 10) => Content::Packed(8),
            (Self::ValueInfo, 2) | (Self::SequenceType, 1) => Content::Nested(Self::Type),
            (Self::Type, 1) => Content::Nested(Self::TensorType),
            (Self::Type, 4) => Content::Nested(Self::SequenceType),
            (Self::TensorType, 2) => Content::Nested(Self::Shape),
            _ => Content::Bytes,
        }
    }
}

/// Collects the addresses of the fields with unsigned elements.
fn check(bytes: &[u8], message: Message, depth: usize, unsigned: &mut Vec<usize>) -> Result<(), String> {
    if depth > DEEPEST {
        return Err(format!("its messages are nested more than {DEEPEST} deep"));
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        let start = rest.as_ptr().addr();
        let (number, field) = next_field(&mut rest)?;
        if matches!((message, number), (Message::Tensor, 11)) {
            unsigned.push(start);
        }
        let Some(field) = field else { continue };
        match message.content(number) {
            Content::Nested(inner) => check(field, inner, depth + 1, unsigned)?,
            Content::PackedVarints => check_varints(field)?,
            Content::Packed(size) if !field.len().is_multiple_of(size) => {
                let bytes = field.len();
                return Err(format!("it is cut off or damaged: {bytes} bytes, where an element has {size}"));
            }
            Content::Packed(_) | Content::Bytes => {}
        }
    }
    Ok(())
}

/// The name of the model's graph; empty if it has none. `rten`'s parser leaves it out.
pub(super) fn graph_name(model: &[u8]) -> String {
    const GRAPH: u64 = 7;
    const NAME: u64 = 2;
    let name = last(model, GRAPH).and_then(|graph| last(graph, NAME));
    name.map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default()
}

/// What the last field with this number holds, if it has a length: the last one counts.
fn last(mut rest: &[u8], wanted: u64) -> Option<&[u8]> {
    let mut found = None;
    while !rest.is_empty() {
        let (number, field) = next_field(&mut rest).ok()?;
        found = field.filter(|_| number == wanted).or(found);
    }
    found
}

/// The number of the next field, and what it holds if it has a length.
fn next_field<'a>(rest: &mut &'a [u8]) -> Result<(u64, Option<&'a [u8]>), String> {
    let tag = varint(rest)?;
    let mut field = None;
    match tag & 7 {
        0 => drop(varint(rest)?),
        1 => drop(take(rest, 8)?),
        5 => drop(take(rest, 4)?),
        2 => {
            let length = varint(rest)?;
            field = Some(take(rest, length)?);
        }
        kind => return Err(format!("it has a field of kind {kind}, which protobuf does not have")),
    }
    Ok((tag >> 3, field))
}

fn check_varints(mut rest: &[u8]) -> Result<(), String> {
    while !rest.is_empty() {
        varint(&mut rest)?;
    }
    Ok(())
}

fn take<'a>(rest: &mut &'a [u8], length: u64) -> Result<&'a [u8], String> {
    let split = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let Some((taken, left)) = split else {
        return Err(format!("it is cut off or damaged: a field of {length} bytes, where {} are left", rest.len()));
    };
    *rest = left;
    Ok(taken)
}

/// A number in groups of seven bits, lowest first.
fn varint(rest: &mut &[u8]) -> Result<u64, String> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let Some((&byte, left)) = rest.split_first() else {
            return Err("it is cut off or damaged: it ends within a number".to_string());
        };
        *rest = left;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err("it has a number of more than 64 bits".to_string())
}
