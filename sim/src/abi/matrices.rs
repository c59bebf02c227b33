//! Matrices and vectors, which C knows by the types of their elements.

use super::arguments::{Address, FromC};
use core::ffi::c_void;

macro_rules! addresses {
    ($($ty:ty),*) => { $(
        impl FromC<*const $ty> for Address {
            unsafe fn from_c(raw: *const $ty) -> Self {
                Self(raw.cast::<c_void>().cast_mut())
            }
        }
    )* };
}
addresses!(i8, u16, i32);

macro_rules! results {
    ($($ty:ty),*) => { $(
        impl FromC<*mut $ty> for Address {
            unsafe fn from_c(raw: *mut $ty) -> Self {
                Self(raw.cast())
            }
        }
    )* };
}
results!(u16, i32);
