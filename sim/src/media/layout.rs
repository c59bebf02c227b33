//! How pictures lie in memory.

use super::image::{Image, Space};
use ascendcl_sys::types::acldvppPixelFormat;

/// A pixel format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    /// Luma alone.
    Gray,
    /// A plane of luma, and behind it one of pairs of colour differences, each for `across` times `down` pixels.
    SemiPlanar { across: usize, down: usize, red_first: bool },
    /// Each pixel in a piece. `order` says where its three values stand among the `bytes`; another one is opacity.
    Packed { space: Space, bytes: usize, order: [usize; 3] },
    /// Pairs of pixels with the colour differences of the first. `order` says where in four bytes the two lumas, blue
    /// and red stand.
    Pairs { order: [usize; 4] },
}

/// The size of a picture, and of its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Geometry {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Bytes from one row to the next.
    pub(crate) stride: usize,
    /// Rows from one plane to the next.
    pub(crate) rows: usize,
}

impl Layout {
    /// `None` for formats that the simulator does not have.
    pub(crate) fn of(format: acldvppPixelFormat) -> Option<Self> {
        use acldvppPixelFormat as F;
        let planes = |across, down, red_first| Some(Self::SemiPlanar { across, down, red_first });
        let rgb = |bytes, order| Some(Self::Packed { space: Space::Rgb, bytes, order });
        let pairs = |order| Some(Self::Pairs { order });
        match format {
            F::PIXEL_FORMAT_YUV_400 => Some(Self::Gray),
            F::PIXEL_FORMAT_YUV_SEMIPLANAR_420 => planes(2, 2, false),
            F::PIXEL_FORMAT_YVU_SEMIPLANAR_420 => planes(2, 2, true),
            F::PIXEL_FORMAT_YUV_SEMIPLANAR_422 => planes(2, 1, false),
            F::PIXEL_FORMAT_YVU_SEMIPLANAR_422 => planes(2, 1, true),
            F::PIXEL_FORMAT_YUV_SEMIPLANAR_444 => planes(1, 1, false),
            F::PIXEL_FORMAT_YVU_SEMIPLANAR_444 => planes(1, 1, true),
            F::PIXEL_FORMAT_YUYV_PACKED_422 => pairs([0, 2, 1, 3]),
            F::PIXEL_FORMAT_UYVY_PACKED_422 => pairs([1, 3, 0, 2]),
            F::PIXEL_FORMAT_YVYU_PACKED_422 => pairs([0, 2, 3, 1]),
            F::PIXEL_FORMAT_VYUY_PACKED_422 => pairs([1, 3, 2, 0]),
            F::PIXEL_FORMAT_YUV_PACKED_444 => Some(Self::Packed { space: Space::Yuv, bytes: 3, order: [0, 1, 2] }),
            F::PIXEL_FORMAT_RGB_888 => rgb(3, [0, 1, 2]),
            F::PIXEL_FORMAT_BGR_888 => rgb(3, [2, 1, 0]),
            F::PIXEL_FORMAT_ARGB_8888 => rgb(4, [1, 2, 3]),
            F::PIXEL_FORMAT_ABGR_8888 => rgb(4, [3, 2, 1]),
            F::PIXEL_FORMAT_RGBA_8888 => rgb(4, [0, 1, 2]),
            F::PIXEL_FORMAT_BGRA_8888 => rgb(4, [2, 1, 0]),
            _ => None,
        }
    }

    /// Bytes of a row of so many pixels.
    pub(crate) fn row(self, width: usize) -> usize {
        match self {
            Self::Gray | Self::SemiPlanar { .. } => width,
            Self::Packed { bytes, .. } => width.saturating_mul(bytes),
            Self::Pairs { .. } => width.next_multiple_of(2).saturating_mul(2),
        }
    }

    /// Bytes of a whole picture.
    pub(crate) fn size(self, geometry: Geometry) -> usize {
        let first = geometry.stride.saturating_mul(geometry.rows);
        match self {
            Self::SemiPlanar { across, down, .. } => first.saturating_add(first.saturating_mul(2) / (across * down)),
            _ => first,
        }
    }

    /// Columns and rows up to the end of the last block of pixels that share their colour differences, as far as rows and
    /// planes have room for it.
    pub(crate) fn reach(self, geometry: Geometry) -> [usize; 2] {
        let Geometry { width, height, stride, rows } = geometry;
        let [across, down] = self.block();
        let [whole_width, whole_height] = [width.next_multiple_of(across), height.next_multiple_of(down)];
        [
            if self.row(whole_width) <= stride { whole_width } else { width },
            if whole_height <= rows { whole_height } else { height },
        ]
    }

    pub(crate) fn read(self, geometry: Geometry, bytes: &[u8]) -> Image {
        let Geometry { width, height, stride, .. } = geometry;
        let rows = || bytes.chunks(stride.max(1)).take(height);
        let plane = |at: &dyn Fn(&[u8], usize) -> u8| -> Vec<u8> {
            rows().flat_map(|row| (0..width).map(|x| at(row, x)).collect::<Vec<_>>()).collect()
        };
        let (space, planes) = match self {
            Self::Gray => (Space::Yuv, [plane(&byte), vec![128; width * height], vec![128; width * height]]),
            Self::SemiPlanar { across, down, red_first } => {
                let colours = bytes.get(stride * geometry.rows..).unwrap_or_default();
                let stride = (2 * stride / across).max(1);
                let colour = |second: bool| {
                    let row = |y: usize| colours.chunks(stride).nth(y / down).unwrap_or_default();
                    let at = usize::from(second);
                    (0..height).flat_map(|y| (0..width).map(move |x| byte(row(y), x / across * 2 + at))).collect()
                };
                (Space::Yuv, [plane(&byte), colour(red_first), colour(!red_first)])
            }
            Self::Packed { space, bytes, order } => {
                (space, order.map(|at| plane(&|row: &[u8], x| byte(row, x * bytes + at))))
            }
            Self::Pairs { order: [even, odd, blue, red] } => {
                let luma = |row: &[u8], x: usize| byte(row, x / 2 * 4 + if x.is_multiple_of(2) { even } else { odd });
                let colour = |at: usize| plane(&|row: &[u8], x| byte(row, x / 2 * 4 + at));
                (Space::Yuv, [plane(&luma), colour(blue), colour(red)])
            }
        };
        let image = Image::new(width, height, space, planes);
        let [across, down] = self.block();
        image.in_blocks(across, down)
    }

    /// How many columns and rows of pixels share their colour differences.
    fn block(self) -> [usize; 2] {
        match self {
            Self::SemiPlanar { across, down, .. } => [across, down],
            Self::Pairs { .. } => [2, 1],
            Self::Gray | Self::Packed { .. } => [1, 1],
        }
    }

    /// Writes a picture of exactly the geometry's size; the gaps behind rows stay as they are.
    pub(crate) fn write(self, geometry: Geometry, image: Image, bytes: &mut [u8]) {
        let space = if let Self::Packed { space, .. } = self { space } else { Space::Yuv };
        let (width, stride) = (geometry.width.max(1), geometry.stride.max(1));
        let [first, second, third] = image.into_space(space).planes;
        match self {
            Self::Gray => put(bytes, stride, &first, width, set),
            Self::SemiPlanar { across, down, red_first } => {
                let (lumas, colours) = bytes.split_at_mut((stride * geometry.rows).min(bytes.len()));
                put(lumas, stride, &first, width, set);
                for (plane, behind) in [(&second, red_first), (&third, !red_first)] {
                    let small = averaged(plane, width, across, down);
                    let stride = (2 * stride / across).max(1);
                    let width = width.div_ceil(across);
                    put(colours, stride, &small, width, |row, x, value| set(row, 2 * x + usize::from(behind), value));
                }
            }
            Self::Packed { bytes: size, order, .. } => {
                for (plane, at) in [&first, &second, &third].into_iter().zip(order) {
                    put(bytes, stride, plane, width, |row, x, value| set(row, x * size + at, value));
                }
                if let Some(opacity) = (0..size).find(|at| !order.contains(at)) {
                    put(bytes, stride, &first, width, |row, x, _| set(row, x * size + opacity, u8::MAX));
                }
            }
            Self::Pairs { order: [even, odd, blue, red] } => {
                put(bytes, stride, &first, width, |row, x, value| {
                    set(row, x / 2 * 4 + if x.is_multiple_of(2) { even } else { odd }, value);
                });
                for (plane, at) in [(&second, blue), (&third, red)] {
                    let small = averaged(plane, width, 2, 1);
                    put(bytes, stride, &small, width.div_ceil(2), |row, x, value| set(row, x * 4 + at, value));
                }
            }
        }
    }
}

/// The mean of each `across` times `down` values.
fn averaged(plane: &[u8], width: usize, across: usize, down: usize) -> Vec<u8> {
    let rows: Vec<&[u8]> = plane.chunks(width).collect();
    let mean = |block: &[&[u8]], x: usize| {
        let values =
            block.iter().flat_map(|row| row.iter().skip(x * across).take(across)).map(|value| u32::from(*value));
        let (sum, count) = values.fold((0, 0), |(sum, count), value| (sum + value, count + 1));
        ((sum + count / 2) / count.max(1)) as u8
    };
    rows.chunks(down).flat_map(|block| (0..width.div_ceil(across)).map(move |x| mean(block, x))).collect()
}

/// Hands each value of a plane to `write`, with its row in memory and its place in the row.
fn put(bytes: &mut [u8], stride: usize, plane: &[u8], width: usize, write: impl Fn(&mut [u8], usize, u8)) {
    for (row, values) in bytes.chunks_mut(stride).zip(plane.chunks(width)) {
        values.iter().enumerate().for_each(|(x, value)| write(row, x, *value));
    }
}

fn byte(row: &[u8], at: usize) -> u8 {
    row.get(at).copied().unwrap_or_default()
}

fn set(row: &mut [u8], at: usize, value: u8) {
    if let Some(place) = row.get_mut(at) {
        *place = value;
    }
}
