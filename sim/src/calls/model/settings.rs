//! Loading and running by a list of settings.

use super::execute::{execute, execute_async};
use super::given;
use super::load::load;
use crate::abi::{Address, In, InOut, ModelAttribute, Name, Out};
use crate::calls::wanted;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::named::Named;
use crate::machine::models::{self, LoadSettings, Source, Way};
use ascendcl_rules::MODEL_21;
use ascendcl_sys::constants::*;
use ascendcl_sys::types::*;

/// The lowest priority. It is the highest number.
const LEAST_PRIORITY: i32 = 7;

pub(crate) fn aclmdlCreateConfigHandle() -> Option<Name<aclmdlConfigHandle>> {
    Some(models::create_load_settings())
}

pub(crate) fn aclmdlDestroyConfigHandle(handle: Name<aclmdlConfigHandle>) -> Answer {
    models::destroy_load_settings(handle)
}

/// Texts are copied; other addresses are used when the model is loaded.
pub(crate) fn aclmdlSetConfigOpt(
    handle: Name<aclmdlConfigHandle>,
    attr: aclmdlConfigAttr,
    attr_value: Address,
    value_size: usize,
) -> Answer {
    given(!attr_value.is_null(), "value")?;
    let value = Value { start: attr_value, bytes: value_size };
    let change = load_setting(attr, &value)?;
    models::change_load_settings(handle, change)
}

/// MODEL-21: what the way of loading needs has to be set.
pub(crate) fn aclmdlLoadWithConfig(handle: Name<aclmdlConfigHandle>, mut model_id: Out<'_, u32>) -> Answer {
    wanted(&model_id)?;
    let settings = models::load_settings(handle)?;
    let way = settings.way.ok_or_else(|| not_set("the way of loading (ACL_MDL_LOAD_TYPE_SIZET)"))?;
    let source = if way.from_file {
        Source::File(settings.path.as_deref().ok_or_else(|| not_set("the path of the model (ACL_MDL_PATH_PTR)"))?)
    } else {
        let start = settings.image.ok_or_else(|| not_set("the model's image (ACL_MDL_MEM_ADDR_PTR)"))?;
        let bytes = settings.image_size.ok_or_else(|| not_set("the size of the model's image (ACL_MDL_MEM_SIZET)"))?;
        Source::Image(start, bytes)
    };
    if settings.data.is_some() && (way.from_file || way.with_memory) {
        return Err(Failure::invalid("a folder of weights is for an image alone that is loaded without memory"));
    }
    if way.with_queues {
        check_queues(&settings)?;
        return Err(Failure::unsupported("queues between the host and a device's processor are not simulated"));
    }
    let id = load(source, settings.data.as_deref(), settings.memory(way))?;
    // Another thread may have unloaded it since.
    let _ = models::find(id).map(|model| model.set_priority(settings.priority));
    model_id.set(id);
    Ok(())
}

fn check_queues(settings: &LoadSettings) -> Answer {
    if settings.queues == [true; 4] { Ok(()) } else { Err(not_set("the queues, or their number,")) }
}

/// What a loaded model can be asked and told: the priority of its streams.
pub(crate) fn aclmdlSetAttribute(model_id: u32, attr: aclmdlAttr, attr_value: In<'_, aclmdlAttrValue_t>) -> Answer {
    let value = attr_value.get().ok_or_else(|| Failure::invalid("the value is null"))?;
    check_attribute(attr)?;
    let priority = value.priority();
    if priority > LEAST_PRIORITY.cast_unsigned() {
        return Err(Failure::invalid(format!("{priority} is no priority: 0 to {LEAST_PRIORITY}")));
    }
    models::find(model_id)?.set_priority(priority);
    Ok(())
}

pub(crate) fn aclmdlGetAttribute(
    model_id: u32,
    attr: aclmdlAttr,
    mut attr_value: InOut<'_, aclmdlAttrValue_t>,
) -> Answer {
    let with_priority = |mut value: aclmdlAttrValue_t| {
        check_attribute(attr)?;
        value.mdlPriority = models::find(model_id)?.priority();
        Ok(value)
    };
    attr_value.replace(with_priority).unwrap_or_else(|| Err(Failure::invalid("there is no place for the value")))
}

fn check_attribute(attr: aclmdlAttr) -> Answer {
    if attr == aclmdlAttr::ACL_MDL_ATTR_PRIORITY_INT32 {
        return Ok(());
    }
    Err(Failure::invalid(format!("a model has no attribute {}", attr.0)))
}

pub(crate) fn aclmdlCreateExecConfigHandle() -> Option<Name<aclmdlExecConfigHandle>> {
    Some(models::create_run_settings())
}

pub(crate) fn aclmdlDestroyExecConfigHandle(handle: Name<aclmdlExecConfigHandle>) -> Answer {
    models::destroy_run_settings(handle)
}

/// A run of the simulator ends by itself, so that the time limits have no effect. Working memory is used by each run with
/// these settings: so one model may run several times at once, each time in memory of its own.
pub(crate) fn aclmdlSetExecConfigOpt(
    handle: Name<aclmdlExecConfigHandle>,
    attr: aclmdlExecConfigAttr,
    attr_value: Address,
    value_size: usize,
) -> Answer {
    given(!attr_value.is_null(), "value")?;
    let mut settings = models::run_settings(handle)?;
    let value = Value { start: attr_value, bytes: value_size };
    match attr {
        aclmdlExecConfigAttr::ACL_MDL_WORK_ADDR_PTR => settings.work.0 = Some(value.address()?),
        aclmdlExecConfigAttr::ACL_MDL_WORK_SIZET => settings.work.1 = value.number()?,
        aclmdlExecConfigAttr::ACL_MDL_STREAM_SYNC_TIMEOUT | aclmdlExecConfigAttr::ACL_MDL_EVENT_SYNC_TIMEOUT => {
            let limit = i32::from_ne_bytes(value.array()?);
            if limit < -1 {
                return Err(Failure::invalid(format!("{limit} is no time limit in milliseconds")));
            }
        }
        attr => return Err(Failure::invalid(format!("there is no setting {} of a run", attr.0))),
    }
    models::change_run_settings(handle, settings)
}

/// Like `aclmdlExecute`: the stream only tells the device, and the working memory if the settings have none.
pub(crate) fn aclmdlExecuteV2(
    model_id: u32,
    input: Name<aclmdlDataset>,
    output: Name<aclmdlDataset>,
    stream: aclrtStream,
    handle: Name<aclmdlExecConfigHandle>,
) -> Answer {
    let settings = models::run_settings(handle)?;
    let of_stream = Named::find(stream)?.stream().and_then(|stream| stream.work());
    execute(model_id, input, output, settings.work().or(of_stream))
}

pub(crate) fn aclmdlExecuteAsyncV2(
    model_id: u32,
    input: Name<aclmdlDataset>,
    output: Name<aclmdlDataset>,
    stream: aclrtStream,
    handle: Name<aclmdlExecConfigHandle>,
) -> Answer {
    let settings = models::run_settings(handle)?;
    if stream.is_null() {
        return Err(models::unconfigured(Failure::invalid("the stream is null: this call takes no default stream")));
    }
    execute_async(model_id, input, output, stream, settings.work())
}

/// The bytes of a setting.
pub(in crate::calls) struct Value {
    pub(in crate::calls) start: Address,
    pub(in crate::calls) bytes: usize,
}

impl Value {
    fn array<const N: usize>(&self) -> Answer<[u8; N]> {
        if self.bytes != N {
            return Err(Failure::invalid(format!("the value has {N} bytes, and {} are given", self.bytes)));
        }
        Ok(self.start.array())
    }

    pub(in crate::calls) fn number(&self) -> Answer<usize> {
        self.array().map(usize::from_ne_bytes)
    }

    /// An address, which may be null.
    pub(in crate::calls) fn address(&self) -> Answer<Address> {
        self.array().map(Address::from_bytes)
    }

    fn image(&self) -> Answer<Address> {
        let address = self.address()?;
        given(!address.is_null(), "address")?;
        Ok(address)
    }

    fn text(&self) -> Answer<String> {
        self.image()?.text().ok_or_else(|| Failure::invalid("the text is null"))
    }
}

type Change = Box<dyn FnOnce(&mut LoadSettings)>;

/// What the setting changes.
fn load_setting(attr: aclmdlConfigAttr, value: &Value) -> Answer<Change> {
    use aclmdlConfigAttr as A;
    Ok(match attr {
        A::ACL_MDL_LOAD_TYPE_SIZET => {
            let way = way(value.number()?)?;
            Box::new(move |settings| settings.way = Some(way))
        }
        A::ACL_MDL_PATH_PTR => {
            let path = value.text()?;
            Box::new(move |settings| settings.path = Some(path))
        }
        A::ACL_MDL_WEIGHT_PATH_PTR => {
            let folder = value.text()?;
            Box::new(move |settings| settings.data = Some(folder))
        }
        A::ACL_MDL_MEM_ADDR_PTR => {
            let image = value.image()?;
            Box::new(move |settings| settings.image = Some(image))
        }
        A::ACL_MDL_MEM_SIZET => {
            let bytes = value.number()?;
            Box::new(move |settings| settings.image_size = Some(bytes))
        }
        A::ACL_MDL_WORKSPACE_ADDR_PTR => {
            let start = value.address()?;
            Box::new(move |settings| settings.work.0 = Some(start))
        }
        A::ACL_MDL_WORKSPACE_SIZET => {
            let bytes = value.number()?;
            Box::new(move |settings| settings.work.1 = bytes)
        }
        A::ACL_MDL_WEIGHT_ADDR_PTR => {
            let start = value.address()?;
            Box::new(move |settings| settings.weights.0 = Some(start))
        }
        A::ACL_MDL_WEIGHT_SIZET => {
            let bytes = value.number()?;
            Box::new(move |settings| settings.weights.1 = bytes)
        }
        A::ACL_MDL_PRIORITY_INT32 => match i32::from_ne_bytes(value.array()?) {
            priority @ 0..=LEAST_PRIORITY => Box::new(move |settings| settings.priority = priority.cast_unsigned()),
            other => return Err(Failure::invalid(format!("{other} is no priority: 0 to {LEAST_PRIORITY}"))),
        },
        // Only the vendor's library can take less working memory.
        A::ACL_MDL_WORKSPACE_MEM_OPTIMIZE => match value.number()? {
            0 | 1 => Box::new(|_| ()),
            other => return Err(Failure::invalid(format!("{other} is neither on (1) nor off (0)"))),
        },
        A::ACL_MDL_INPUTQ_NUM_SIZET => queue_setting(0, value.number().map(drop))?,
        A::ACL_MDL_INPUTQ_ADDR_PTR => queue_setting(1, value.image().map(drop))?,
        A::ACL_MDL_OUTPUTQ_NUM_SIZET => queue_setting(2, value.number().map(drop))?,
        A::ACL_MDL_OUTPUTQ_ADDR_PTR => queue_setting(3, value.image().map(drop))?,
        // A model of the simulator keeps no graph beside it.
        A::ACL_MDL_WITHOUT_GRAPH_INT32 => match i32::from_ne_bytes(value.array()?) {
            0 | 1 => Box::new(|_| ()),
            other => return Err(Failure::invalid(format!("{other} is neither on (1) nor off (0)"))),
        },
        attr => return Err(Failure::invalid(format!("there is no setting {} for loading", attr.0))),
    })
}

/// A setting of the queues of a model, which is noted alone.
fn queue_setting(place: usize, value: Answer) -> Answer<Change> {
    value?;
    Ok(Box::new(move |settings| settings.queues.iter_mut().skip(place).take(1).for_each(|made| *made = true)))
}

fn way(number: usize) -> Answer<Way> {
    let (from_file, with_memory, with_queues) = match u32::try_from(number) {
        Ok(ACL_MDL_LOAD_FROM_FILE) => (true, false, false),
        Ok(ACL_MDL_LOAD_FROM_FILE_WITH_MEM) => (true, true, false),
        Ok(ACL_MDL_LOAD_FROM_MEM) => (false, false, false),
        Ok(ACL_MDL_LOAD_FROM_MEM_WITH_MEM) => (false, true, false),
        Ok(ACL_MDL_LOAD_FROM_FILE_WITH_Q) => (true, false, true),
        Ok(ACL_MDL_LOAD_FROM_MEM_WITH_Q) => (false, false, true),
        _ => return Err(Failure::invalid(format!("there is no way {number} of loading"))),
    };
    Ok(Way { from_file, with_memory, with_queues })
}

fn not_set(what: &str) -> Failure {
    let failure = Failure::invalid(format!("{what} was not set with aclmdlSetConfigOpt (MODEL-21)"));
    failure.breaks(MODEL_21, "all settings that the way of loading needs", "set it before aclmdlLoadWithConfig")
}
