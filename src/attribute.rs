//! Attributes of operators.

use crate::element::ElementType;

/// The value of an operator's attribute. It is made from the Rust value:
///
/// ```
/// use ascendcl::operator::{Attribute, Operator};
///
/// let names = vec!["width", "height"];
/// let operator = Operator::new("ReduceSum").with("keep_dims", true).with("axes", [0, 1]).with("names", &names[..]);
/// assert_eq!(Attribute::from([0, 1]), Attribute::Ints(vec![0, 1]));
/// # drop(operator);
/// ```
///
/// A number is an `i64` for the library. Smaller ones are converted; a `usize` is not, because it may be too large.
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

macro_rules! lists {
    ($($ty:ty => $name:ident;)*) => {
        $(
            impl From<&[$ty]> for Attribute {
                fn from(values: &[$ty]) -> Self {
                    Self::$name(values.to_vec())
                }
            }

            impl<const N: usize> From<[$ty; N]> for Attribute {
                fn from(values: [$ty; N]) -> Self {
                    Self::$name(values.to_vec())
                }
            }
        )*
    };
}
lists! {
    bool => Bools;
    i64 => Ints;
    f32 => Floats;
    ElementType => Elements;
}

impl From<i32> for Attribute {
    fn from(number: i32) -> Self {
        Self::Int(number.into())
    }
}

impl From<u32> for Attribute {
    fn from(number: u32) -> Self {
        Self::Int(number.into())
    }
}

impl From<&[&str]> for Attribute {
    fn from(texts: &[&str]) -> Self {
        Self::Texts(texts.iter().map(|text| (*text).to_owned()).collect())
    }
}

impl<const N: usize> From<[&str; N]> for Attribute {
    fn from(texts: [&str; N]) -> Self {
        Self::from(&texts[..])
    }
}

impl From<&str> for Attribute {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_usual_rust_types_are_attributes() {
        // Literals without a type are still numbers.
        assert_eq!(Attribute::from(1), Attribute::Int(1));
        assert_eq!(Attribute::from(0.5), Attribute::Float(0.5));
        assert_eq!(Attribute::from(vec![1, 2]), Attribute::Ints(vec![1, 2]));
        assert_eq!(
            (Attribute::from(-1_i32), Attribute::from(u32::MAX)),
            (Attribute::Int(-1), Attribute::Int(4_294_967_295))
        );
        let axes: &[i64] = &[1, 2];
        assert_eq!(
            (Attribute::from(axes), Attribute::from([1, 2])),
            (Attribute::Ints(vec![1, 2]), Attribute::Ints(vec![1, 2]))
        );
        assert_eq!(Attribute::from([true]), Attribute::Bools(vec![true]));
        assert_eq!(Attribute::from([0.5]), Attribute::Floats(vec![0.5]));
        assert_eq!(Attribute::from([ElementType::U8]), Attribute::Elements(vec![ElementType::U8]));
        let texts = Attribute::Texts(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!((Attribute::from(["a", "b"]), Attribute::from(&["a", "b"][..])), (texts.clone(), texts));
    }
}
