//! A picture as three planes of full size.

use fast_image_resize::images::{Image as Pixels, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

/// The meaning of the three planes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Space {
    /// Luma, blue difference, red difference.
    Yuv,
    /// Red, green, blue.
    Rgb,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Image {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(super) space: Space,
    /// How many columns and rows share one value of the second and third plane.
    blocks: [usize; 2],
    /// Row by row, without gaps.
    pub(super) planes: [Vec<u8>; 3],
}

/// How a picture gets another size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scaling {
    Bilinear,
    Nearest,
}

/// The part of a picture that a region names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) left: usize,
    pub(crate) top: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Image {
    pub(super) fn new(width: usize, height: usize, space: Space, planes: [Vec<u8>; 3]) -> Self {
        Self { width, height, space, blocks: [1, 1], planes }
    }

    /// The picture, whose colour differences are those of blocks of so many columns and rows.
    pub(super) fn in_blocks(self, across: usize, down: usize) -> Self {
        Self { blocks: [across, down], ..self }
    }

    pub(crate) fn scaled(&self, width: usize, height: usize, scaling: Scaling) -> Result<Self, String> {
        if (width, height) == (self.width, self.height) {
            return Ok(self.clone());
        }
        let algorithm = match scaling {
            Scaling::Bilinear => ResizeAlg::Interpolation(FilterType::Bilinear),
            Scaling::Nearest => ResizeAlg::Nearest,
        };
        let mut resizer = Resizer::new();
        let mut scale = |source: &[u8], from: [usize; 2], to: [usize; 2]| {
            let source = ImageRef::new(side(from[0])?, side(from[1])?, source, PixelType::U8);
            let source = source.map_err(|error| error.to_string())?;
            let mut target = Pixels::new(side(to[0])?, side(to[1])?, PixelType::U8);
            let options = ResizeOptions::new().resize_alg(algorithm);
            resizer.resize(&source, &mut target, &options).map_err(|error| error.to_string())?;
            Ok::<_, String>(target.into_vec())
        };
        let [from, to] = [[self.width, self.height], [width, height]];
        let [small, large] =
            [from, to].map(|[width, height]| [width.div_ceil(self.blocks[0]), height.div_ceil(self.blocks[1])]);
        // Each value of a block counts once: scaled as they are, the blocks would keep their edges.
        let mut colour = |plane: &[u8]| {
            let kept = plane.chunks(self.width.max(1)).step_by(self.blocks[1]);
            let kept: Vec<u8> = kept.flat_map(|row| row.iter().step_by(self.blocks[0])).copied().collect();
            let scaled = scale(&kept, small, large)?;
            let row = |y: usize| scaled.chunks(large[0].max(1)).nth(y / self.blocks[1]).unwrap_or_default();
            let value = |row: &[u8], x: usize| row.get(x / self.blocks[0]).copied().unwrap_or_default();
            Ok::<_, String>((0..height).flat_map(|y| (0..width).map(move |x| value(row(y), x))).collect::<Vec<u8>>())
        };
        let [first, second, third] = &self.planes;
        let (second, third) = (colour(second)?, colour(third)?);
        let planes = [scale(first, from, to)?, second, third];
        Ok(Self::new(width, height, self.space, planes).in_blocks(self.blocks[0], self.blocks[1]))
    }

    /// The part inside a region. Where that reaches beyond the picture, the last column and row are repeated.
    pub(crate) fn part(&self, region: Region) -> Self {
        let [right, bottom] = [self.width, self.height].map(|size| size.saturating_sub(1));
        let plane = |plane: &Vec<u8>| {
            let at = |x: usize, y: usize| plane.get(y.min(bottom) * self.width + x.min(right)).copied();
            let rows = region.top..region.top + region.height;
            let columns = || region.left..region.left + region.width;
            rows.flat_map(|y| columns().map(move |x| (x, y))).map(|(x, y)| at(x, y).unwrap_or_default()).collect()
        };
        let [first, second, third] = &self.planes;
        let part = Self::new(region.width, region.height, self.space, [plane(first), plane(second), plane(third)]);
        let [across, down] = self.blocks;
        // Blocks that are cut through are no blocks any more.
        let whole = region.left.is_multiple_of(across) && region.top.is_multiple_of(down);
        if whole { part.in_blocks(across, down) } else { part }
    }

    /// Puts a picture into this one; what runs over the edges is cut off.
    pub(crate) fn paste(&mut self, picture: &Self, left: usize, top: usize) {
        let picture = picture.clone().into_space(self.space);
        for (plane, source) in self.planes.iter_mut().zip(&picture.planes) {
            let rows = plane.chunks_mut(self.width.max(1)).skip(top);
            for (row, source) in rows.zip(source.chunks(picture.width.max(1))) {
                row.iter_mut().skip(left).zip(source).for_each(|(to, from)| *to = *from);
            }
        }
        self.blocks = [1, 1];
    }

    pub(super) fn into_space(self, space: Space) -> Self {
        if space == self.space {
            return self;
        }
        let convert = if space == Space::Rgb { to_rgb } else { to_yuv };
        let Self { width, height, planes: [mut first, mut second, mut third], .. } = self;
        for ((a, b), c) in first.iter_mut().zip(&mut second).zip(&mut third) {
            [*a, *b, *c] = convert([*a, *b, *c].map(f32::from)).map(|value| value.round().clamp(0.0, 255.0) as u8);
        }
        Self::new(width, height, space, [first, second, third])
    }
}

fn to_rgb([y, u, v]: [f32; 3]) -> [f32; 3] {
    let (u, v) = (u - 128.0, v - 128.0);
    [y + 1.402 * v, y - 0.344_136 * u - 0.714_136 * v, y + 1.772 * u]
}

fn to_yuv([r, g, b]: [f32; 3]) -> [f32; 3] {
    [
        0.299 * r + 0.587 * g + 0.114 * b,
        128.0 - 0.168_736 * r - 0.331_264 * g + 0.5 * b,
        128.0 + 0.5 * r - 0.418_688 * g - 0.081_312 * b,
    ]
}

fn side(length: usize) -> Result<u32, String> {
    u32::try_from(length).map_err(|_| format!("{length} pixels are too many"))
}
