//! Numbers by chance.

use super::memory::not_null;
use crate::abi::{Address, In, RandomParameters};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::named::{Named, submission_stream};
use crate::machine::host::random::{Draw, Element};
use crate::machine::memory::hold;
use crate::machine::watch;
use ascendcl_rules::{Op, Place, Role};
use ascendcl_sys::error_codes::ACL_ERROR_RT_AICPU_EXCEPTION;
use ascendcl_sys::types::*;

/// Bytes of the counter in device memory: how many numbers were drawn before. Each task goes on from there.
const COUNTER: usize = 16;

/// The numbers come from another generator than the device's. The ratio of a bitmask is taken for the probability of a 0.
pub(crate) fn aclrtRandomNumAsync(
    task_info: In<'_, aclrtRandomNumTaskInfo>,
    stream: aclrtStream,
    reserve: Address,
) -> Answer {
    let task = task_info.get().ok_or_else(|| Failure::invalid("the description of the task is null"))?;
    if stream.is_null() || !reserve.is_null() {
        return Err(Failure::invalid("the stream is null, or the reserved argument is not"));
    }
    let element = element(task.dataType)?;
    Named::find(stream)?;
    let draw = draw(&task.randomNumFuncParaInfo)?;
    let [seed, count] = [&task.randomSeed, &task.randomNum].map(value);
    let [seed, count] = [u64::from_le_bytes(seed?), u64::from_le_bytes(count?)];
    let (result, counter) = (task_info.result(), task_info.counter());
    let bytes = draw
        .bytes(element, count)
        .filter(|_| count > 0)
        .ok_or_else(|| Failure::refused(format!("{count} is no count of numbers")))?;
    not_null(result).and(not_null(counter))?;
    let call = watch::call(Op::Use, stream).queue(stream);
    let call = call.writes(result, bytes, Role::Target, Some(Place::Device));
    let call = call.writes(counter, COUNTER, Role::Target, Some(Place::Device)).begin()?;
    let holds = [hold(result, bytes)?, hold(counter, COUNTER)?];
    let stream = submission_stream(stream)?;
    let queued = stream.submit_each(move |_| {
        let _kept = &holds;
        let drawn = counter.with_bytes(8, |bytes| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
        let numbers = draw.draw(element, count, seed, drawn);
        result.write(&numbers.map_err(|text| Failure::new(ACL_ERROR_RT_AICPU_EXCEPTION, text))?);
        counter.write(&drawn.wrapping_add(count).to_le_bytes());
        Ok(())
    });
    call.end(queued.map(drop))
}

fn element(data_type: aclDataType) -> Answer<Element> {
    match data_type {
        aclDataType::ACL_FLOAT => Ok(Element::F32),
        aclDataType::ACL_FLOAT16 => Ok(Element::F16),
        aclDataType::ACL_BF16 => Ok(Element::Bf16),
        aclDataType::ACL_INT32 => Ok(Element::I32),
        aclDataType::ACL_INT64 => Ok(Element::I64),
        aclDataType::ACL_UINT32 => Ok(Element::U32),
        aclDataType::ACL_UINT64 => Ok(Element::U64),
        other => Err(Failure::invalid(format!("no numbers can be drawn in the data type {}", other.0))),
    }
}

fn draw(function: &aclrtRandomNumFuncParaInfo) -> Answer<Draw> {
    use aclrtRandomNumFuncType as F;
    let [first, second] = function.paramInfo.pair();
    let pair = || Ok::<_, Failure>((value(&first)?, value(&second)?));
    match function.funcType {
        F::ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK => Ok(Draw::Bitmask { ratio: value(&first)? }),
        F::ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS => pair().map(|(low, high)| Draw::Uniform { low, high }),
        F::ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS | F::ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS => {
            let cut_off = function.funcType == F::ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS;
            pair().map(|(mean, deviation)| Draw::Normal { mean, deviation, cut_off })
        }
        other => Err(Failure::refused(format!("there is no distribution {}", other.0))),
    }
}

/// A parameter that stands in the description, or in device memory.
fn value(parameter: &aclrtRandomParaInfo) -> Answer<[u8; 8]> {
    let size = usize::from(parameter.size);
    if size > 8 {
        return Err(Failure::refused(format!("found a parameter of {size} bytes, expected at most 8")));
    }
    let mut bytes = [0; 8];
    if parameter.isAddr == 0 {
        bytes.iter_mut().zip(parameter.valueOrAddr).take(size).for_each(|(to, from)| *to = from);
        return Ok(bytes);
    }
    if size == 0 {
        return Ok(bytes);
    }
    let address = Address::from_bytes(parameter.valueOrAddr);
    not_null(address)?;
    let _hold = hold(address, size)?;
    bytes.iter_mut().zip(address.bytes(size)).for_each(|(to, from)| *to = from);
    Ok(bytes)
}
