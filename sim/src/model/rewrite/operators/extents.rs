//! What convolutions and pools say of axes, looked at before anything is calculated with it.

use crate::model::rewrite::attributes::Attributes;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::NodeProto;

/// As many axes of space as the engine has convolutions over.
pub(super) const MOST_AXES: usize = 2;
/// The largest size that is calculated with.
pub(super) const MOST: i64 = i32::MAX as i64;

const LISTS: [&str; 6] = ["kernel_shape", "strides", "dilations", "pads", "output_padding", "output_shape"];

/// Refuses lists that are not of one number for each axis of space, or two for pads.
pub(super) fn lengths(node: &NodeProto, count: usize) -> Result<(), Refusal> {
    for name in LISTS {
        let (all, expected) = (node.ints(name).unwrap_or_default(), if name == "pads" { count * 2 } else { count });
        if !all.is_empty() && all.len() != expected {
            return refuse(name, &format!("{all:?}"), &format!("it is over {count} axes of space"));
        }
    }
    Ok(())
}

/// Refuses windows of no size, and what 32 bits do not hold: sums and products of the rest are held by 64.
pub(super) fn windows(node: &NodeProto, kernel: Option<&[i64]>) -> Result<(), Refusal> {
    let at_least = |name| if matches!(name, "kernel_shape" | "strides" | "dilations") { 1 } else { 0 };
    for name in LISTS {
        let (all, least) = (node.ints(name).unwrap_or_default(), at_least(name));
        if all.iter().any(|value| !(least..=MOST).contains(value)) {
            let why = format!("each is at least {least}, and 32 bits hold it");
            return refuse(name, &format!("{all:?}"), &why);
        }
    }
    let kernel = kernel.unwrap_or_default();
    if let Some(size) = kernel.iter().find(|size| !(0..=MOST).contains(*size)) {
        return Err(Refusal::because(format!(
            "its filters have {size} elements along an axis, which is beyond 32 bits"
        )));
    }
    let dilations = node.ints("dilations").unwrap_or_default();
    if kernel.iter().zip(dilations).any(|(size, dilation)| (size - 1) * dilation >= MOST) {
        return refuse("dilations", &format!("{dilations:?}"), "32 bits do not hold how much its filters cover");
    }
    Ok(())
}

pub(super) fn few_axes(count: usize, most: usize) -> Result<(), Refusal> {
    if (1..=most).contains(&count) {
        return Ok(());
    }
    Err(Refusal::because(format!("it is over {count} axes of space, and the simulator has it over 1 to {most}")))
}
