//! Numbers by chance, from a seed and a counter. The device's generator is another one: the numbers differ from its.

use half::{bf16, f16};
use rand::distr::{Distribution, Uniform};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::Normal;

/// The distribution of the numbers. Its parameters are bytes of the element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Draw {
    /// A bit for each number, which is 0 with this probability.
    Bitmask { ratio: [u8; 8] },
    /// From the first number up to, and without, the second.
    Uniform { low: [u8; 8], high: [u8; 8] },
    /// A normal distribution. Numbers more than two deviations from the mean are cut off.
    Normal { mean: [u8; 8], deviation: [u8; 8], cut_off: bool },
}

/// An element type that numbers can be drawn in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    F32,
    F16,
    Bf16,
    I32,
    I64,
    U32,
    U64,
}

impl Element {
    pub(crate) fn size(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::I64 | Self::U64 => 8,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Bf16)
    }

    fn float(self, [a, b, c, d, ..]: [u8; 8]) -> f32 {
        match self {
            Self::F16 => f16::from_le_bytes([a, b]).to_f32(),
            Self::Bf16 => bf16::from_le_bytes([a, b]).to_f32(),
            _ => f32::from_le_bytes([a, b, c, d]),
        }
    }

    fn integer(self, bytes: [u8; 8]) -> i128 {
        let [a, b, c, d, ..] = bytes;
        match self {
            Self::I32 => i32::from_le_bytes([a, b, c, d]).into(),
            Self::U32 => u32::from_le_bytes([a, b, c, d]).into(),
            Self::I64 => i64::from_le_bytes(bytes).into(),
            _ => u64::from_le_bytes(bytes).into(),
        }
    }

    fn put(self, value: f32, bytes: &mut Vec<u8>) {
        match self {
            Self::F16 => bytes.extend(f16::from_f32(value).to_le_bytes()),
            Self::Bf16 => bytes.extend(bf16::from_f32(value).to_le_bytes()),
            _ => bytes.extend(value.to_le_bytes()),
        }
    }
}

impl Draw {
    /// Bytes of so many results.
    pub(crate) fn bytes(self, element: Element, count: u64) -> Option<usize> {
        let count = usize::try_from(count).ok()?;
        match self {
            Self::Bitmask { .. } => Some(count.div_ceil(8)),
            _ => count.checked_mul(element.size()),
        }
    }

    /// `counter` says how many numbers were drawn from this seed before.
    ///
    /// # Errors
    ///
    /// The error in the parameters.
    pub(crate) fn draw(self, element: Element, count: u64, seed: u64, counter: u64) -> Result<Vec<u8>, String> {
        let mut random = StdRng::seed_from_u64(seed ^ counter.rotate_left(32));
        let mut bytes = Vec::new();
        match self {
            Self::Bitmask { ratio } => {
                let ratio = element.float(ratio);
                if !(0.0..=1.0).contains(&ratio) {
                    return Err(format!("found a ratio of {ratio}, expected one from 0 to 1"));
                }
                let mut bits = (0..count).map(|_| random.random::<f32>() >= ratio);
                while let Some(first) = bits.next() {
                    let byte = bits
                        .by_ref()
                        .take(7)
                        .enumerate()
                        .fold(u8::from(first), |byte, (place, bit)| byte | u8::from(bit) << (place + 1));
                    bytes.push(byte);
                }
            }
            Self::Uniform { low, high } if element.is_float() => {
                let (low, high) = (element.float(low), element.float(high));
                let uniform = Uniform::new(low, high).map_err(|_| empty(&low, &high))?;
                (0..count).for_each(|_| element.put(uniform.sample(&mut random), &mut bytes));
            }
            Self::Uniform { low, high } => {
                let (low, high) = (element.integer(low), element.integer(high));
                let uniform = Uniform::new(low, high).map_err(|_| empty(&low, &high))?;
                for _ in 0..count {
                    let value = uniform.sample(&mut random).to_le_bytes();
                    bytes.extend(value.iter().take(element.size()));
                }
            }
            Self::Normal { .. } if !element.is_float() => {
                return Err("a normal distribution has numbers with a fraction".to_owned());
            }
            Self::Normal { mean, deviation, cut_off } => {
                let (mean, deviation) = (element.float(mean), element.float(deviation));
                // Of such a distribution that is cut off no number would ever be left.
                if !mean.is_finite() || !deviation.is_finite() || deviation < 0.0 {
                    return Err(format!(
                        "found a mean of {mean} and a deviation of {deviation}, expected numbers, the second not below 0"
                    ));
                }
                let normal = Normal::new(mean, deviation).map_err(|error| error.to_string())?;
                (0..count).for_each(|_| element.put(normal_number(&normal, cut_off, &mut random), &mut bytes));
            }
        }
        Ok(bytes)
    }
}

fn normal_number(normal: &Normal<f32>, cut_off: bool, random: &mut impl Rng) -> f32 {
    let (mean, reach) = (normal.mean(), 2.0 * normal.std_dev());
    loop {
        let value = normal.sample(random);
        if !cut_off || (value - mean).abs() <= reach {
            return value;
        }
    }
}

fn empty(low: &impl std::fmt::Display, high: &impl std::fmt::Display) -> String {
    format!("found numbers from {low} up to {high}, expected the second to be larger")
}
