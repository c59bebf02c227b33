//! Checks that bytes are whole protobuf messages, as ONNX nests them.
//!
//! `rten`'s own parser believes every length it reads: a damaged file makes it loop for ever or ask for any amount of
//! memory. After this check it meets only lengths that fit.

/// How deep graphs may stand inside the nodes of graphs.
const DEEPEST: usize = 100;

/// Refuses bytes that are not one whole ONNX model message, and says why.
pub(super) fn check_model(bytes: &[u8]) -> Result<(), String> {
    check(bytes, Message::Model, 0)
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
            (Self::Tensor, 5 | 7) => Content::PackedVarints,
            (Self::ValueInfo, 2) | (Self::SequenceType, 1) => Content::Nested(Self::Type),
            (Self::Type, 1) => Content::Nested(Self::TensorType),
            (Self::Type, 4) => Content::Nested(Self::SequenceType),
            (Self::TensorType, 2) => Content::Nested(Self::Shape),
            _ => Content::Bytes,
        }
    }
}

fn check(bytes: &[u8], message: Message, depth: usize) -> Result<(), String> {
    if depth > DEEPEST {
        return Err(format!("its messages are nested more than {DEEPEST} deep"));
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        let tag = varint(&mut rest)?;
        match tag & 7 {
            0 => drop(varint(&mut rest)?),
            1 => drop(take(&mut rest, 8)?),
            5 => drop(take(&mut rest, 4)?),
            2 => {
                let length = varint(&mut rest)?;
                let field = take(&mut rest, length)?;
                match message.content(tag >> 3) {
                    Content::Nested(inner) => check(field, inner, depth + 1)?,
                    Content::PackedVarints => check_varints(field)?,
                    Content::Bytes => {}
                }
            }
            kind => return Err(format!("it has a field of kind {kind}, which protobuf does not have")),
        }
    }
    Ok(())
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
