//! Attributes of operators.

use crate::element::ElementType;

/// The value of an operator's attribute. It is made from the Rust value: `operator.with("transpose_x1", true)`.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Attribute {
    /// A truth value (`aclopSetAttrBool`).
    Bool(bool),
    /// A number (`aclopSetAttrInt`).
    Int(i64),
    /// A float (`aclopSetAttrFloat`).
    Float(f32),
    /// A text (`aclopSetAttrString`).
    Text(String),
    /// An element type (`aclopSetAttrDataType`).
    Element(ElementType),
    /// A list of truth values (`aclopSetAttrListBool`).
    Bools(Vec<bool>),
    /// A list of numbers (`aclopSetAttrListInt`).
    Ints(Vec<i64>),
    /// A list of floats (`aclopSetAttrListFloat`).
    Floats(Vec<f32>),
    /// A list of texts (`aclopSetAttrListString`).
    Texts(Vec<String>),
    /// A list of element types (`aclopSetAttrListDataType`).
    Elements(Vec<ElementType>),
    /// A list of lists of numbers (`aclopSetAttrListListInt`).
    IntLists(Vec<Vec<i64>>),
}

macro_rules! attributes {
    ($($ty:ty => $name:ident;)*) => {
        $(
            impl From<$ty> for Attribute {
                fn from(value: $ty) -> Self {
                    Self::$name(value)
                }
            }
        )*
    };
}
attributes! {
    bool => Bool;
    i64 => Int;
    f32 => Float;
    String => Text;
    ElementType => Element;
    Vec<bool> => Bools;
    Vec<i64> => Ints;
    Vec<f32> => Floats;
    Vec<String> => Texts;
    Vec<ElementType> => Elements;
    Vec<Vec<i64>> => IntLists;
}

impl From<&str> for Attribute {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
