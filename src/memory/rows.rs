//! Copies of rows: parts of pictures and matrices.

use super::DeviceBuffer;
use crate::brand::Brand;
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, ObjectKind};
use crate::ffi::RawRows;
use ascendcl_macros::rule;
use typed_builder::TypedBuilder;

/// Which rows a two-dimensional copy copies, in elements. Each is named, since five numbers in a row are easily mixed
/// up.
///
/// A row begins one *pitch* after the row before. The elements between the rows do not change. A row has at most
/// 5,000,000 bytes, and there are at most 5,242,880 rows (COPY-10).
///
/// ```
/// use ascendcl::memory::Rows;
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// // Rows of three out of a picture that is eight wide, from the third column on.
/// let mut picture = [0_u8; 8 * 2];
/// let mut part = current.upload(&[1_u8, 2, 3, 4, 5, 6])?;
/// let rows = Rows::builder().width(3).height(2).from_pitch(3).to_pitch(8).to_start(2).build();
/// part.copy_rows_to(current, &mut picture, rows)?;
/// assert_eq!(picture, [0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 4, 5, 6, 0, 0, 0]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, TypedBuilder)]
#[non_exhaustive]
pub struct Rows {
    /// How many elements each row has.
    pub width: usize,
    /// How many rows there are.
    pub height: usize,
    /// How many elements there are from the beginning of one row to that of the next, in the source.
    pub from_pitch: usize,
    /// How many elements there are before the first row in the source.
    #[builder(default)]
    pub from_start: usize,
    /// How many elements there are from the beginning of one row to that of the next, in the destination.
    pub to_pitch: usize,
    /// How many elements there are before the first row in the destination.
    #[builder(default)]
    pub to_start: usize,
}

impl Rows {
    /// The rows in bytes, for elements of this type. An error unless both sides have all of the rows.
    #[rule(COPY_10)]
    pub(crate) fn of<E>(self, from_length: usize, to_length: usize) -> Result<RawRows, Error> {
        let Self { width, height, from_pitch, from_start, to_pitch, to_start } = self;
        let size = size_of::<E>();
        let bytes = width.checked_mul(size).filter(|bytes| *bytes <= RawRows::WIDEST && height <= RawRows::HIGHEST);
        let (Some(bytes), true) = (bytes, width <= from_pitch && width <= to_pitch) else {
            return Err(Error::NoSuchRows { width, height, pitch: from_pitch.min(to_pitch) });
        };
        check_part(ObjectKind::COPY_SOURCE, self.end_of_rows(from_start, from_pitch), from_start, from_length)?;
        check_part(ObjectKind::COPY_DESTINATION, self.end_of_rows(to_start, to_pitch), to_start, to_length)?;
        // The starts, and the pitches of several rows, are within the memory, so their bytes do not overflow. The pitch of
        // a single row may be any number.
        let pitch = |pitch: usize| if height > 1 { pitch.saturating_mul(size) } else { bytes };
        Ok(RawRows {
            width: bytes,
            height,
            from_pitch: pitch(from_pitch),
            from_start: from_start.saturating_mul(size),
            to_pitch: pitch(to_pitch),
            to_start: to_start.saturating_mul(size),
        })
    }

    /// The index behind the last element of the rows.
    fn end_of_rows(self, start: usize, pitch: usize) -> usize {
        match self.height.checked_sub(1) {
            Some(gaps) => start.saturating_add(gaps.saturating_mul(pitch)).saturating_add(self.width),
            None => start,
        }
    }
}

fn check_part(what: ObjectKind, end: usize, start: usize, length: usize) -> Result<(), Error> {
    if end <= length { Ok(()) } else { Err(Error::NoSuchPart { what, start, end, length }) }
}

impl<C: Brand, E: Element> DeviceBuffer<C, E> {
    /// Overwrites rows of the buffer with rows of host memory (`aclrtMemcpy2d`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRows`] for rows that overlap, or that are more or longer than the library copies;
    /// [`Error::NoSuchPart`] when one side ends before the last row; [`Error::RowsOnDevice`] for a program that runs on
    /// the device; [`Error::MissingFunction`] on releases that lack the function; or [`Error::Vendor`].
    #[rule(COPY_01, COPY_10)]
    pub fn copy_rows_from(&mut self, current: &Current<C>, from: &[E], rows: Rows) -> Result<(), Error> {
        let rows = rows.of::<E>(from.len(), self.len())?;
        self.block().write_rows(current.here(), from, rows)
    }

    /// Copies rows of the buffer to rows of host memory (`aclrtMemcpy2d`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// As for [`copy_rows_from`](Self::copy_rows_from).
    #[rule(COPY_01, COPY_10)]
    pub fn copy_rows_to(&self, current: &Current<C>, to: &mut [E], rows: Rows) -> Result<(), Error> {
        let rows = rows.of::<E>(self.len(), to.len())?;
        self.block().read_rows(current.here(), to, rows)
    }
}
