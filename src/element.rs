//! The element types of buffers and models.

#![allow(unsafe_code, reason = "declarations only: which types can be seen as bytes")]

use ascendcl_sys::types::aclDataType;
use core::fmt;

/// Types without padding for which every bit pattern is valid, so that their memory can be accessed as bytes.
///
/// # Safety
///
/// The type has no padding and every bit pattern is valid.
pub unsafe trait Pod: Copy + Send + Sync + 'static {}

/// A type for the elements of buffers and models.
///
/// Implemented for the integer and float types, [`F16`](crate::F16), [`Bf16`](crate::Bf16) and [`Bool`](crate::Bool); it
/// cannot be implemented elsewhere.
///
/// ```
/// use ascendcl::{Brand, Current, Element, Error};
///
/// /// Works for buffers of any number, in any context.
/// fn round_trip<C: Brand, E: Element>(current: &Current<C>, elements: &[E]) -> Result<Vec<E>, Error> {
///     current.upload(elements)?.to_vec(current)
/// }
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// assert_eq!(round_trip(current, &[1_i8, 2])?, [1, 2]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` cannot be read, copied or used by work",
    label = "expected numbers, in memory that was written",
    note = "MEM-07: memory of `MaybeUninit` elements is written first: `buffer.write(current, &elements)?` or `buffer.zero(current)?`; a tensor is made with elements: `current.upload_tensor(&shape, &elements)?` or `current.zeros_tensor(&shape)?`; a capture reads what a captured operator has written: `capture.copy_from_output(...)`",
    note = "the types of numbers: u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, `F16`, `Bf16`; of truth values: `Bool`",
    note = "the library has no other types: convert `usize` to `u64` and `bool` to `Bool`, flatten arrays of arrays (`as_flattened`)",
    note = "see `ascendcl-explain MEM-07`"
)]
#[cfg_attr(
    not(feature = "half"),
    diagnostic::on_unimplemented(note = "`f16` and `bf16` of the crate `half` are elements with the feature `half`: \
                                         `ascendcl = { ..., features = [\"half\"] }`")
)]
pub trait Element: Pod + Default + fmt::Debug + PartialEq {
    /// The library's constant for it.
    const TYPE: ElementType;
}

/// The element types that this crate can copy to and from the host.
///
/// ```
/// use ascendcl::{Element, ElementType};
///
/// assert_eq!(f32::TYPE, ElementType::F32);
/// assert_eq!(ElementType::F32.size(), Some(4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ElementType {
    /// 32-bit float (`ACL_FLOAT`).
    F32,
    /// 16-bit float (`ACL_FLOAT16`).
    F16,
    /// 16-bit float with the exponent of a 32-bit one (`ACL_BF16`).
    Bf16,
    /// 64-bit float (`ACL_DOUBLE`).
    F64,
    /// Signed byte (`ACL_INT8`).
    I8,
    /// 16-bit signed integer (`ACL_INT16`).
    I16,
    /// 32-bit signed integer (`ACL_INT32`).
    I32,
    /// 64-bit signed integer (`ACL_INT64`).
    I64,
    /// Byte (`ACL_UINT8`).
    U8,
    /// 16-bit unsigned integer (`ACL_UINT16`).
    U16,
    /// 32-bit unsigned integer (`ACL_UINT32`).
    U32,
    /// 64-bit unsigned integer (`ACL_UINT64`).
    U64,
    /// A truth value in a byte (`ACL_BOOL`); copied as [`Bool`](crate::Bool) or as `u8`.
    Bool,
    /// Any other type, by the library's number. Its tensors can only be copied as raw bytes
    /// ([`Input::from_bytes`](crate::Input::from_bytes), [`Output::as_bytes`](crate::model::Output::as_bytes),
    /// [`BoundModel::write_bytes`](crate::BoundModel::write_bytes)).
    Other(i32),
}

/// A half-precision float, as its bits. This crate copies it and does not compute with it. With the feature `half`, the
/// `f16` of the crate `half` is an element, too.
///
/// ```
/// use ascendcl::F16;
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let one = F16(0x3C00);
/// assert_eq!(current.upload(&[one; 4])?.to_vec(current)?, [one; 4]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(transparent)]
pub struct F16(pub u16);

/// A float of 16 bits with the exponent of a 32-bit float, as its bits. This crate copies it and does not compute with
/// it. With the feature `half`, the `bf16` of the crate `half` is an element, too.
///
/// ```
/// use ascendcl::Bf16;
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let one = Bf16(0x3F80);
/// assert_eq!(current.upload(&[one; 4])?.to_vec(current)?, [one; 4]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(transparent)]
pub struct Bf16(pub u16);

/// A truth value as the device has it: a byte, 0 or 1. This crate copies it and does not compute with it.
///
/// A Rust `bool` becomes one by `Bool::from`. The other way is checked (`bool::try_from`): a device can write any byte, and
/// a byte other than 0 and 1 is no `bool`.
///
/// ```
/// use ascendcl::Bool;
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let mask = current.upload_tensor(&[3], &[true, false, true].map(Bool::from))?;
/// let read: Vec<bool> = mask.to_vec(current)?.into_iter().map(bool::try_from).collect::<Result<_, _>>()?;
/// assert_eq!(read, [true, false, true]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(transparent)]
pub struct Bool(u8);

impl From<bool> for Bool {
    fn from(value: bool) -> Self {
        Self(u8::from(value))
    }
}

impl Bool {
    /// The byte. It is another number than 0 and 1 if a device has written that, or the program by bytes: by
    /// [`cast`](crate::DeviceBuffer::cast) or `set_bytes`, for example.
    pub fn byte(self) -> u8 {
        self.0
    }
}

macro_rules! elements {
    ($($ty:ty => $name:ident, $acl:ident;)*) => {
        $(
            // SAFETY: `Pod` asks for a type without padding, of which every bit pattern is a value. Integers and floats
            // are such types (Reference, "Numeric types"), and so are transparent structs of one integer.
            unsafe impl Pod for $ty {}
            impl Element for $ty {
                const TYPE: ElementType = ElementType::$name;
            }
        )*

        /// The alignment that is enough for elements of every type.
        pub(crate) const LARGEST_ALIGNMENT: usize = {
            let all = [$(align_of::<$ty>()),*];
            let (mut largest, mut rest) = (1, all.as_slice());
            while let [first, others @ ..] = rest {
                if *first > largest {
                    largest = *first;
                }
                rest = others;
            }
            largest
        };

        impl From<aclDataType> for ElementType {
            fn from(raw: aclDataType) -> Self {
                match raw {
                    $(aclDataType::$acl => Self::$name,)*
                    other => Self::Other(other.0),
                }
            }
        }

        impl ElementType {
            pub(crate) fn raw(self) -> aclDataType {
                match self {
                    $(Self::$name => aclDataType::$acl,)*
                    Self::Other(number) => aclDataType(number),
                }
            }

            /// The library's number for it.
            pub fn number(self) -> i32 {
                self.raw().0
            }

            /// Bytes per element; `None` for types this crate does not know.
            pub fn size(self) -> Option<usize> {
                match self {
                    $(Self::$name => Some(size_of::<$ty>()),)*
                    Self::Other(_) => None,
                }
            }
        }
    };
}
elements! {
    f32 => F32, ACL_FLOAT;
    F16 => F16, ACL_FLOAT16;
    Bf16 => Bf16, ACL_BF16;
    f64 => F64, ACL_DOUBLE;
    i8 => I8, ACL_INT8;
    i16 => I16, ACL_INT16;
    i32 => I32, ACL_INT32;
    i64 => I64, ACL_INT64;
    u8 => U8, ACL_UINT8;
    u16 => U16, ACL_UINT16;
    u32 => U32, ACL_UINT32;
    u64 => U64, ACL_UINT64;
    Bool => Bool, ACL_BOOL;
}

#[cfg(feature = "half")]
mod of_half {
    use super::{Element, ElementType, Pod};

    // SAFETY: `Pod` asks for a type without padding, of which every bit pattern is a value. `half::f16` is documented
    // to be transparent over `u16`, and to be made of any bits (`f16::from_bits`).
    unsafe impl Pod for half::f16 {}
    // Messages list the same types with the feature and without it.
    #[diagnostic::do_not_recommend]
    impl Element for half::f16 {
        const TYPE: ElementType = ElementType::F16;
    }

    // SAFETY: `Pod` asks for a type without padding, of which every bit pattern is a value. `half::bf16` is documented
    // to be transparent over `u16`, and to be made of any bits (`bf16::from_bits`).
    unsafe impl Pod for half::bf16 {}
    #[diagnostic::do_not_recommend]
    impl Element for half::bf16 {
        const TYPE: ElementType = ElementType::Bf16;
    }
}

impl ElementType {
    /// Whether elements of this type can be copied as `E`: the same type, or bytes for truth values.
    pub fn takes<E: Element>(self) -> bool {
        self == E::TYPE || (self == Self::Bool && E::TYPE == Self::U8)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(number) => write!(f, "aclDataType {number}"),
            known => write!(f, "{}", format!("{known:?}").to_ascii_lowercase()),
        }
    }
}

/// How many elements a tensor of this shape has: none if an axis has no length, however long the others are. `usize::MAX` for
/// more than there can be.
pub(crate) fn elements_of(shape: &[usize]) -> usize {
    if shape.contains(&0) {
        return 0;
    }
    shape.iter().fold(1, |all, length| all.saturating_mul(*length))
}
