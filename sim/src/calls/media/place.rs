//! Where a picture is read and written.

use crate::abi::{Address, Name};
use crate::calls::memory::not_null;
use crate::failure::{Answer, Failure};
use crate::machine::descriptions::media::{PICTURES, Picture};
use crate::machine::memory::{Hold, Place, describe, hold};
use crate::machine::thread::errors;
use crate::machine::watch;
use crate::media::{Geometry, Image, Layout};
use ascendcl_rules::{self as rules, Flag, Op, Role};
use ascendcl_sys::error_codes::ACL_ERROR_RT_AICPU_EXCEPTION;
use ascendcl_sys::types::acldvppPicDesc;

/// A described picture whose memory is there, and kept in place.
pub(super) struct PicturePlace {
    pub(super) layout: Layout,
    pub(super) geometry: Geometry,
    pub(super) data: Address,
    pub(super) bytes: usize,
    /// How many there are, as the description says.
    pub(super) room: usize,
    name: Name<acldvppPicDesc>,
    _hold: Hold,
}

impl PicturePlace {
    /// Rows that are not said to be longer start at multiples of 16 bytes, and planes at even rows.
    pub(super) fn of(what: &str, name: Name<acldvppPicDesc>) -> Answer<Self> {
        let picture = PICTURES.read(name)?;
        let layout = layout_of(what, &picture)?;
        let geometry = geometry_of(what, &picture, layout, 16, 2)?;
        Self::new(what, name, &picture, layout, geometry)
    }

    pub(super) fn new(
        what: &str,
        name: Name<acldvppPicDesc>,
        picture: &Picture,
        layout: Layout,
        geometry: Geometry,
    ) -> Answer<Self> {
        let (bytes, room) = (layout.size(geometry), picture.size as usize);
        if room < bytes {
            let text = format!("{what}: found a size of {} bytes, expected at least {bytes}", picture.size);
            return Err(Failure::invalid(text));
        }
        let _hold = hold_on_device(what, picture.data, bytes)?;
        Ok(Self { layout, geometry, data: picture.data, bytes, room, name, _hold })
    }

    pub(super) fn read(&self) -> Image {
        self.data.with_bytes(self.bytes, |bytes| self.layout.read(self.geometry, bytes))
    }

    /// Writes a picture of exactly this size.
    pub(super) fn write(&self, image: Image) {
        self.data.with_bytes_mut(self.bytes, |bytes| self.layout.write(self.geometry, image, bytes));
    }

    /// Notes in the description what became of the picture.
    pub(super) fn noted(&self, became: Answer) -> Answer {
        noted(self.name, became)
    }
}

/// Notes in the description of an output what became of it: programs that queue many pictures ask it for each.
pub(super) fn noted(name: Name<acldvppPicDesc>, became: Answer) -> Answer {
    let code = became.as_ref().map_or_else(|failure| failure.code.unsigned_abs(), |()| 0);
    // The description may be gone by now; the picture is what was asked for.
    let _ = PICTURES.change(name, |picture| picture.ret_code = code);
    became
}

pub(super) fn layout_of(what: &str, picture: &Picture) -> Answer<Layout> {
    Layout::of(picture.format)
        .ok_or_else(|| Failure::unsupported(format!("{what}: the simulator has no pixel format {}", picture.format.0)))
}

/// The size that a description states, with what it leaves open filled in.
pub(super) fn geometry_of(
    what: &str,
    picture: &Picture,
    layout: Layout,
    across: usize,
    down: usize,
) -> Answer<Geometry> {
    let [width, height, stride, rows] =
        [picture.width, picture.height, picture.width_stride, picture.height_stride].map(|value| value as usize);
    if width == 0 || height == 0 {
        return Err(Failure::invalid(format!("{what}: found {width} by {height} pixels, expected a size")));
    }
    let row = layout.row(width);
    let stride = if stride == 0 { row.next_multiple_of(across) } else { stride };
    let rows = if rows == 0 { height.next_multiple_of(down) } else { rows };
    if stride < row || rows < height {
        let text =
            format!("{what}: found strides of {stride} bytes and {rows} rows, expected at least {row} and {height}");
        return Err(Failure::invalid(text));
    }
    Ok(Geometry { width, height, stride, rows })
}

/// Media processing works in memory of the device (DVPP-03).
pub(super) fn hold_on_device(what: &str, address: Address, bytes: usize) -> Answer<Hold> {
    not_null(address)?;
    let found = describe(address);
    let place = found.map(|found| found.place);
    let is_right = found.is_some_and(|found| found.left >= bytes && matches!(found.place, Place::Device(_)));
    // The call fails before its work is described. Work that looks for its memory itself was judged before.
    if !is_right && !errors::current_call().is_empty() {
        let call = watch::call(Op::Use, address).flag(Flag::Media, true);
        let call = call.reads(address, bytes, Role::Source, Some(rules::Place::Device));
        drop(call.room(address, bytes).begin()?);
    }
    let kept = hold(address, bytes)?;
    match place {
        Some(Place::Device(_)) => Ok(kept),
        _ => Err(Failure::invalid(format!(
            "{what}: {:#x} is host memory, expected memory of the device (acldvppMalloc)",
            address.number()
        ))),
    }
}

/// The code that a failure of queued work has on the stream.
pub(super) fn failed(text: String) -> Failure {
    Failure::new(ACL_ERROR_RT_AICPU_EXCEPTION, text)
}
