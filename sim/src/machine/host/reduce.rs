//! Combining elements one by one.

use half::{bf16, f16};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Sum,
    Largest,
    Smallest,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    F32,
    F16,
    Bf16,
    I8,
    I16,
    I32,
}

impl Element {
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 => 1,
            Self::F16 | Self::Bf16 | Self::I16 => 2,
            Self::F32 | Self::I32 => 4,
        }
    }
}

impl Way {
    /// Combines each element of `to` with that of `from`. Small floats are calculated in f32 and rounded once. Sums of integers
    /// wrap.
    pub(crate) fn combine(self, element: Element, to: &mut [u8], from: &[u8]) {
        match element {
            Element::F32 => {
                each(to, from, |a, b| self.float(f32::from_ne_bytes(a), f32::from_ne_bytes(b)).to_ne_bytes())
            }
            Element::F16 => each(to, from, |a, b| {
                let [a, b] = [a, b].map(|bytes| f16::from_ne_bytes(bytes).to_f32());
                f16::from_f32(self.float(a, b)).to_ne_bytes()
            }),
            Element::Bf16 => each(to, from, |a, b| {
                let [a, b] = [a, b].map(|bytes| bf16::from_ne_bytes(bytes).to_f32());
                bf16::from_f32(self.float(a, b)).to_ne_bytes()
            }),
            Element::I8 => each(to, from, |a, b| {
                let [a, b] = [a, b].map(i8::from_ne_bytes);
                self.choose(a, b, a.wrapping_add(b)).to_ne_bytes()
            }),
            Element::I16 => each(to, from, |a, b| {
                let [a, b] = [a, b].map(i16::from_ne_bytes);
                self.choose(a, b, a.wrapping_add(b)).to_ne_bytes()
            }),
            Element::I32 => each(to, from, |a, b| {
                let [a, b] = [a, b].map(i32::from_ne_bytes);
                self.choose(a, b, a.wrapping_add(b)).to_ne_bytes()
            }),
        }
    }

    fn choose<T: Ord>(self, a: T, b: T, sum: T) -> T {
        match self {
            Self::Sum => sum,
            Self::Largest => a.max(b),
            Self::Smallest => a.min(b),
        }
    }

    fn float(self, a: f32, b: f32) -> f32 {
        match self {
            Self::Sum => a + b,
            Self::Largest => a.max(b),
            Self::Smallest => a.min(b),
        }
    }
}

fn each<const SIZE: usize>(to: &mut [u8], from: &[u8], combine: impl Fn([u8; SIZE], [u8; SIZE]) -> [u8; SIZE]) {
    let (to, _) = to.as_chunks_mut::<SIZE>();
    let (from, _) = from.as_chunks::<SIZE>();
    for (to, from) in to.iter_mut().zip(from) {
        *to = combine(*to, *from);
    }
}
