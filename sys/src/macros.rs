//! Macros for the files of types and constants.

/// A C enumeration: a transparent integer with the header's names. A value that the header does not name is valid too.
macro_rules! c_enum {
    ($name:ident: $repr:ty { $($variant:ident = $value:expr,)* }) => {
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub $repr);

        impl $name {
            $(pub const $variant: Self = Self($value);)*
        }
    };
}

/// Handles of the library: pointer-sized values that only the library dereferences.
macro_rules! handles {
    ($($name:ident,)*) => { $(
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub *mut core::ffi::c_void);

        impl $name {
            pub const NULL: Self = Self(core::ptr::null_mut());

            pub const fn is_null(self) -> bool {
                self.0.is_null()
            }
        }
    )* };
}

/// Structures that are used only through a pointer.
macro_rules! opaques {
    ($($name:ident,)*) => { $(
        #[repr(C)]
        pub struct $name {
            _nothing: [u8; 0],
            _stays: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
    )* };
}

macro_rules! error_codes {
    ($($name:ident = $value:expr,)*) => {
        $(pub const $name: aclError = $value;)*

        /// Number and name. If two names share a number, the first one is printed.
        pub(super) const NAMES: &[(aclError, &str)] = &[$(($value, stringify!($name)),)*];
    };
}

/// Compile-time check of sizes and alignments.
macro_rules! layout_is {
    ($($name:ident: $size:expr, $align:expr;)*) => {
        $(const _: () = {
            assert!(size_of::<$name>() == $size, concat!("the size of ", stringify!($name)));
            assert!(align_of::<$name>() == $align, concat!("the alignment of ", stringify!($name)));
        };)*
    };
}

/// Compile-time check of numbers.
macro_rules! value_is {
    ($($place:expr => $value:expr;)*) => {
        $(const _: () = assert!($place as i128 == $value, stringify!($place));)*
    };
}
