//! Queues of data, and the routes between them.

use super::model::told;
use super::wanted;
use crate::abi::{Address, Name, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::descriptions::queues::{self, ATTRIBUTES, Attributes, QUERIES, Query, ROUTE_LISTS, ROUTES, Route};
use crate::machine::memory::hold;
use ascendcl_sys::types::*;
use std::ffi::CString;
use std::time::{Duration, Instant};

/// The longest name of a queue, with its end.
const NAME: usize = 128;
/// The most that goes with a message beside its data.
const USER_DATA: usize = 96;

pub(crate) fn acltdtCreateQueueAttr() -> Option<Name<acltdtQueueAttr>> {
    Some(ATTRIBUTES.create(Attributes::default()))
}

pub(crate) fn acltdtDestroyQueueAttr(attr: Name<acltdtQueueAttr>) -> Answer {
    ATTRIBUTES.destroy(attr)
}

/// `param` is the place of the value. Of a name it is the place of its address.
pub(crate) fn acltdtSetQueueAttr(
    attr: Name<acltdtQueueAttr>,
    kind: acltdtQueueAttrType,
    len: usize,
    param: Address,
) -> Answer {
    ATTRIBUTES.read(attr)?;
    match kind {
        acltdtQueueAttrType::ACL_TDT_QUEUE_NAME_PTR => {
            let name = Address::from_bytes(taken(param, len)?);
            let name = name.text().ok_or_else(|| Failure::invalid("the queue's name is null"))?;
            if name.len() >= NAME {
                return Err(Failure::invalid(format!("the name has {} bytes, {} are possible", name.len(), NAME - 1)));
            }
            let name = CString::new(name).map_err(|_| Failure::invalid("the queue's name has a zero in it"))?;
            ATTRIBUTES.change(attr, |attributes| attributes.name = name)
        }
        acltdtQueueAttrType::ACL_TDT_QUEUE_DEPTH_UINT32 => {
            let depth = u32::from_ne_bytes(taken(param, len)?);
            ATTRIBUTES.change(attr, |attributes| attributes.depth = depth)
        }
        _ => given(param).and(unknown("attribute", kind.0)),
    }
}

/// The address of a name is that of the one in the attribute, until it gets another one.
pub(crate) fn acltdtGetQueueAttr(
    attr: Name<acltdtQueueAttr>,
    kind: acltdtQueueAttrType,
    len: usize,
    param_ret_size: Out<'_, usize>,
    param: Address,
) -> Answer {
    let depth = ATTRIBUTES.read(attr)?.depth;
    match kind {
        acltdtQueueAttrType::ACL_TDT_QUEUE_NAME_PTR => {
            let name = ATTRIBUTES.look(attr, |attributes| attributes.name.as_ptr().expose_provenance())?;
            handed((param, len), param_ret_size, &name.to_ne_bytes())
        }
        acltdtQueueAttrType::ACL_TDT_QUEUE_DEPTH_UINT32 => handed((param, len), param_ret_size, &depth.to_ne_bytes()),
        _ => given(param).and(wanted(&param_ret_size)).and(unknown("attribute", kind.0)),
    }
}

/// Null stands for a queue without a name and with the usual depth.
pub(crate) fn acltdtCreateQueue(attr: Name<acltdtQueueAttr>, mut qid: Out<'_, u32>) -> Answer {
    wanted(&qid)?;
    let device = device()?;
    let attributes = if attr.0 == 0 { Attributes::default() } else { ATTRIBUTES.read(attr)? };
    qid.set(queues::create(device, attributes)?);
    Ok(())
}

pub(crate) fn acltdtDestroyQueue(qid: u32) -> Answer {
    queues::destroy(device()?, qid)
}

pub(crate) fn acltdtEnqueueData(
    qid: u32,
    data: Address,
    data_size: usize,
    user_data: Address,
    user_data_size: usize,
    timeout: i32,
    _rsv: u32,
) -> Answer {
    given(data).and(some(data_size))?;
    let device = device()?;
    let user_data_size = beside(user_data, user_data_size)?;
    let until = until(timeout)?;
    let _held = hold(data, data_size)?;
    let [data, user_data] = [(data, data_size), (user_data, user_data_size)]
        .map(|(at, size)| if size == 0 { Vec::new() } else { at.with_bytes(size, <[u8]>::to_vec) });
    queues::enqueue(device, qid, &data, &user_data, until)
}

pub(crate) fn acltdtDequeueData(
    qid: u32,
    data: Address,
    data_size: usize,
    mut ret_data_size: Out<'_, usize>,
    user_data: Address,
    user_data_size: usize,
    timeout: i32,
) -> Answer {
    given(data).and(wanted(&ret_data_size)).and(some(data_size))?;
    let device = device()?;
    let user_data_size = beside(user_data, user_data_size)?;
    let until = until(timeout)?;
    let _held = hold(data, data_size)?;
    let tell = |length| ret_data_size.set(length);
    queues::dequeue(device, qid, (data, data_size), (user_data, user_data_size), tell, until)
}

pub(crate) fn acltdtCreateQueueRoute(src_id: u32, dst_id: u32) -> Option<Name<acltdtQueueRoute>> {
    Some(ROUTES.create(Route::new(src_id, dst_id)))
}

pub(crate) fn acltdtDestroyQueueRoute(route: Name<acltdtQueueRoute>) -> Answer {
    ROUTES.destroy(route)
}

pub(crate) fn acltdtGetQueueRouteParam(
    route: Name<acltdtQueueRoute>,
    kind: acltdtQueueRouteParamType,
    len: usize,
    param_ret_size: Out<'_, usize>,
    param: Address,
) -> Answer {
    let Route { source, target, status } = ROUTES.read(route)?;
    given(param).and(wanted(&param_ret_size))?;
    let number = match kind {
        acltdtQueueRouteParamType::ACL_TDT_QUEUE_ROUTE_SRC_UINT32 => source,
        acltdtQueueRouteParamType::ACL_TDT_QUEUE_ROUTE_DST_UINT32 => target,
        acltdtQueueRouteParamType::ACL_TDT_QUEUE_ROUTE_STATUS_INT32 => status,
        _ => return unknown("parameter of a route", kind.0),
    };
    handed((param, len), param_ret_size, &number.to_ne_bytes())
}

pub(crate) fn acltdtCreateQueueRouteList() -> Option<Name<acltdtQueueRouteList>> {
    Some(ROUTE_LISTS.create(Vec::new()))
}

pub(crate) fn acltdtDestroyQueueRouteList(list: Name<acltdtQueueRouteList>) -> Answer {
    ROUTE_LISTS.destroy(list)
}

/// The list gets a copy.
pub(crate) fn acltdtAddQueueRoute(list: Name<acltdtQueueRouteList>, route: Name<acltdtQueueRoute>) -> Answer {
    ROUTE_LISTS.look(list, |_| ())?;
    let route = ROUTES.read(route)?;
    ROUTE_LISTS.change(list, |routes| routes.push(route))
}

/// `route` becomes a copy of the one in the list.
pub(crate) fn acltdtGetQueueRoute(
    list: Name<acltdtQueueRouteList>,
    index: usize,
    route: Name<acltdtQueueRoute>,
) -> Answer {
    let routes = ROUTE_LISTS.read(list)?;
    ROUTES.read(route)?;
    let found = routes.get(index).copied();
    let found =
        found.ok_or_else(|| Failure::invalid(format!("the list has {} routes, and no {index}", routes.len())))?;
    ROUTES.change(route, |route| *route = found)
}

pub(crate) fn acltdtGetQueueRouteNum(list: Name<acltdtQueueRouteList>) -> usize {
    told(ROUTE_LISTS.look(list, Vec::len)).unwrap_or_default()
}

pub(crate) fn acltdtCreateQueueRouteQueryInfo() -> Option<Name<acltdtQueueRouteQueryInfo>> {
    Some(QUERIES.create(Query::default()))
}

pub(crate) fn acltdtDestroyQueueRouteQueryInfo(info: Name<acltdtQueueRouteQueryInfo>) -> Answer {
    QUERIES.destroy(info)
}

pub(crate) fn acltdtSetQueueRouteQueryInfo(
    info: Name<acltdtQueueRouteQueryInfo>,
    kind: acltdtQueueRouteQueryInfoParamType,
    len: usize,
    value: Address,
) -> Answer {
    QUERIES.read(info)?;
    given(value)?;
    let number = || taken(value, len).map(|bytes| Some(u32::from_ne_bytes(bytes)));
    match kind {
        acltdtQueueRouteQueryInfoParamType::ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM => {
            let mode = number()?;
            QUERIES.change(info, |query| query.mode = mode)
        }
        acltdtQueueRouteQueryInfoParamType::ACL_TDT_QUEUE_ROUTE_QUERY_SRC_ID_UINT32 => {
            let source = number()?;
            QUERIES.change(info, |query| query.source = source)
        }
        acltdtQueueRouteQueryInfoParamType::ACL_TDT_QUEUE_ROUTE_QUERY_DST_ID_UINT32 => {
            let target = number()?;
            QUERIES.change(info, |query| query.target = target)
        }
        _ => unknown("parameter of a query", kind.0),
    }
}

pub(crate) fn acltdtBindQueueRoutes(list: Name<acltdtQueueRouteList>) -> Answer {
    let mut routes = ROUTE_LISTS.read(list)?;
    let bound = queues::bind(device()?, &mut routes);
    ROUTE_LISTS.change(list, |kept| *kept = routes)?;
    bound
}

pub(crate) fn acltdtUnbindQueueRoutes(list: Name<acltdtQueueRouteList>) -> Answer {
    let mut routes = ROUTE_LISTS.read(list)?;
    device()?;
    let unbound = queues::unbind(&mut routes);
    ROUTE_LISTS.change(list, |kept| *kept = routes)?;
    unbound
}

/// The list has the found routes afterwards, and no others.
pub(crate) fn acltdtQueryQueueRoutes(
    info: Name<acltdtQueueRouteQueryInfo>,
    list: Name<acltdtQueueRouteList>,
) -> Answer {
    ROUTE_LISTS.look(list, |_| ())?;
    let Query { mode, source, target } = QUERIES.read(info)?;
    ROUTE_LISTS.change(list, Vec::clear)?;
    let end = |queue: Option<u32>, what| {
        queue.ok_or_else(|| Failure::invalid(format!("the query does not name the {what} of the routes")))
    };
    let mode = mode.ok_or_else(|| Failure::invalid("the query has no mode"))?;
    let routes = match acltdtQueueRouteQueryMode(mode) {
        acltdtQueueRouteQueryMode::ACL_TDT_QUEUE_ROUTE_QUERY_SRC => {
            let source = end(source, "source")?;
            queues::routes(|from, _| from == source)
        }
        acltdtQueueRouteQueryMode::ACL_TDT_QUEUE_ROUTE_QUERY_DST => {
            let target = end(target, "target")?;
            queues::routes(|_, to| to == target)
        }
        acltdtQueueRouteQueryMode::ACL_TDT_QUEUE_ROUTE_QUERY_SRC_AND_DST => {
            let ends = (end(source, "source")?, end(target, "target")?);
            queues::routes(|from, to| (from, to) == ends)
        }
        // No route here fails after it was bound.
        acltdtQueueRouteQueryMode::ACL_TDT_QUEUE_ROUTE_QUERY_ABNORMAL => Vec::new(),
        _ => return unknown("mode of a query", mode),
    };
    device()?;
    ROUTE_LISTS.change(list, |kept| *kept = routes)
}

fn device() -> Answer<u32> {
    let device = current_context()?.device().id();
    Ok(device)
}

fn given(param: Address) -> Answer {
    if param.is_null() { Err(Failure::invalid("the pointer to the value is null")) } else { Ok(()) }
}

fn some(size: usize) -> Answer {
    if size == 0 { Err(Failure::invalid("the size of the data is 0")) } else { Ok(()) }
}

/// How many bytes there are beside the data.
fn beside(user_data: Address, size: usize) -> Answer<usize> {
    match size {
        _ if user_data.is_null() => Ok(0),
        0..=USER_DATA => Ok(size),
        _ => Err(Failure::refused(format!("found {size} bytes of user data, expected at most {USER_DATA}"))),
    }
}

fn unknown(what: &str, number: u32) -> Answer {
    Err(Failure::invalid(format!("there is no {what} {number}")))
}

/// A value of `len` bytes, which have to fit; the rest is zero.
fn taken<const N: usize>(param: Address, len: usize) -> Answer<[u8; N]> {
    given(param)?;
    let mut bytes = [0; N];
    let place = bytes
        .get_mut(..len)
        .ok_or_else(|| Failure::invalid(format!("the value is said to have {len} bytes, expected at most {N}")))?;
    if len > 0 {
        param.with_bytes(len, |value| place.copy_from_slice(value));
    }
    Ok(bytes)
}

/// Stores a value, for which there has to be room, and its length.
fn handed((param, len): (Address, usize), mut length: Out<'_, usize>, value: &[u8]) -> Answer {
    given(param).and(wanted(&length))?;
    if value.len() > len {
        let text = format!("the value has {} bytes, and there is room for {len}", value.len());
        return Err(Failure::invalid(text));
    }
    param.write(value);
    length.set(value.len());
    Ok(())
}

/// -1 waits without end, 0 does not wait.
fn until(timeout: i32) -> Answer<Option<Instant>> {
    match u64::try_from(timeout) {
        Ok(milliseconds) => Ok(Instant::now().checked_add(Duration::from_millis(milliseconds))),
        Err(_) if timeout == -1 => Ok(None),
        Err(_) => Err(Failure::refused(format!("{timeout} is no time limit: it is -1, 0 or positive"))),
    }
}
