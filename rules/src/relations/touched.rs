//! MEM, COPY: what the program does to memory by its own instructions.

use super::scene::Case;
use super::{in_flight, memory, virtual_memory};
use crate::catalogue::MEM_10;
use crate::events::Flag;

pub(super) fn judge(case: &mut Case<'_>) {
    for used in &case.scene.memory {
        let block = case.world.block(used.span.start);
        if let Some((object, _)) =
            block.filter(|(_, block)| block.data.device.is_some() && !case.event().is(Flag::OnDevice))
        {
            case.report(
                MEM_10,
                format!("the program itself uses device memory at {:#x}", used.span.start),
                "host memory",
                "copy the bytes to the host (aclrtMemcpy), and use them there",
            )
            .about(object);
        } else if !memory::freed(case, used) && !virtual_memory::out_of_reach(case, used) {
            in_flight::conflict(case, used);
        }
    }
}
