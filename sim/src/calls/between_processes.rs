//! What processes on one machine share: blocks of memory, physical memory, notifies, events.
//!
//! Which codes the vendor's library answers to a wrong key was not measured.

use super::event::hand_out;
use super::memory::not_null;
use super::{store_text, wanted};
use crate::abi::{Address, In, Out, Text};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::device::{self, Device};
use crate::machine::memory::{exported, physical};
use crate::machine::signals::{notify, shared_event};
use crate::machine::thread::errors;
use crate::machine::watch;
use ascendcl_rules::{Flag, IPC_02, Object, Op, Place, Role};
use ascendcl_sys::constants::*;
use ascendcl_sys::types::*;
use core::ffi::{c_char, c_void};
use std::sync::Arc;

pub(crate) fn aclrtIpcMemGetExportKey(
    dev_ptr: Address,
    size: usize,
    mut key: Out<'_, c_char>,
    len: usize,
    flags: u64,
) -> Answer {
    not_null(dev_ptr)?;
    wanted(&key)?;
    if size == 0 || len == 0 {
        return Err(Failure::refused(format!("{size} bytes to share, and {len} bytes for the key: neither is 0")));
    }
    let for_all = one_flag(flags, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION)?;
    current_context()?;
    let call = watch::call(Op::Offer, dev_ptr).begin()?;
    let text = exported::export(dev_ptr, size, for_all)?;
    call.end(store_text(&mut key, &text, len).inspect_err(|_| drop(exported::close(&text))))
}

pub(crate) fn aclrtIpcMemSetImportPid(key: Text<'_>, pid: In<'_, i32>, num: usize) -> Answer {
    let (key, processes) = (given(key)?, processes(&pid, num, Failure::refused)?);
    current_context()?;
    exported::allow(&key, &processes)
}

/// The links between devices are all the same here.
pub(crate) fn aclrtIpcMemSetAttr(key: Text<'_>, kind: aclrtIpcMemAttrType, attr: u64) -> Answer {
    let key = key.get().ok_or_else(|| Failure::refused("the key is null"))?.into_owned();
    if kind != aclrtIpcMemAttrType::ACL_RT_IPC_MEM_ATTR_ACCESS_LINK {
        return Err(Failure::refused(format!("shared memory has no attribute {}", kind.0)));
    }
    if attr > u64::from(ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH) {
        return Err(Failure::refused(format!("there is no link {attr}")));
    }
    current_context()?;
    exported::exported(&key).map(drop)
}

/// Every device of the simulator reaches the memory of every other.
pub(crate) fn aclrtIpcMemImportByKey(mut dev_ptr: Out<'_, *mut c_void>, key: Text<'_>, flags: u64) -> Answer {
    wanted(&dev_ptr)?;
    let key = given(key)?;
    one_flag(flags, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)?;
    let call = watch::call(Op::Allocate, Object::memory(0)).flag(Flag::Imported, true);
    let own = exported::exported(&key).is_ok();
    let call = if own { call.with(Object::PROCESS) } else { call };
    let context = current_context()?;
    if own {
        // It fails, and the checker says why.
        drop(call.begin()?);
        return exported::import(&key, context.device()).map(drop);
    }
    let address = exported::import(&key, context.device())?;
    // The size is known only now. The other process has written the memory, as far as this one can know.
    let size = exported::size_of_import(address);
    let call = call.writes(Address::NULL, size, Role::Contents, Some(Place::Device)).begin_always();
    call.made(address.number());
    dev_ptr.set(address.pointer());
    Ok(())
}

pub(crate) fn aclrtIpcMemClose(key: Text<'_>) -> Answer {
    let key = given(key)?;
    current_context()?;
    match exported::imported(&key)? {
        Some(address) => watch::call(Op::Free, address).flag(Flag::Imported, true).begin()?.end(exported::close(&key)),
        None => {
            let address = exported::exported(&key)?;
            watch::call(Op::Withdraw, address).begin()?.end(exported::close(&key))
        }
    }
}

/// Only an event of the flag `ACL_EVENT_IPC` can be shared. The handle holds its key.
pub(crate) fn aclrtIpcGetEventHandle(event: aclrtEvent, mut handle: Out<'_, aclrtIpcEventHandle>) -> Answer {
    wanted(&handle)?;
    let Some(shared) = shared_event::find(event) else {
        crate::machine::event::find(event)?;
        let failure = Failure::unsupported("the event was created without ACL_EVENT_IPC");
        let failure =
            failure.breaks(IPC_02, "an event that was made to be shared", "create it with ACL_EVENT_IPC alone");
        return Err(failure.about(Object::event(event.0.addr() as u64)));
    };
    let key = shared.key()?;
    let mut found = aclrtIpcEventHandle { reserved: [0; 64] };
    // A key leaves room for the zero at its end.
    found.reserved.iter_mut().zip(key.bytes()).for_each(|(place, byte)| *place = byte as c_char);
    handle.set(found);
    Ok(())
}

pub(crate) fn aclrtIpcOpenEventHandle(handle: aclrtIpcEventHandle, event: Out<'_, aclrtEvent>) -> Answer {
    wanted(&event)?;
    let bytes: Vec<u8> = handle.reserved.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
    let key = String::from_utf8_lossy(&bytes);
    hand_out(event, || shared_event::open(&key))
}

pub(crate) fn aclrtMemExportToShareableHandle(
    handle: aclrtDrvMemHandle,
    handle_type: aclrtMemHandleType,
    flags: u64,
    mut shareable_handle: Out<'_, u64>,
) -> Answer {
    exportable(handle)?;
    if handle_type != aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE {
        return Err(Failure::invalid(format!("there is no type of handle {}", handle_type.0)));
    }
    wanted(&shareable_handle)?;
    shareable_handle.set(export(handle, flags)?);
    Ok(())
}

pub(crate) fn aclrtMemExportToShareableHandleV2(
    handle: aclrtDrvMemHandle,
    flags: u64,
    share_type: aclrtMemSharedHandleType,
    shareable_handle: Address,
) -> Answer {
    exportable(handle)?;
    not_null(shareable_handle)?;
    let room = size_of_shared(share_type)?;
    let mut bytes = export(handle, flags)?.to_ne_bytes().to_vec();
    bytes.resize(room, 0);
    shareable_handle.write(&bytes);
    Ok(())
}

fn exportable(handle: aclrtDrvMemHandle) -> Answer {
    if handle.is_null() { Err(Failure::invalid("the handle is null")) } else { Ok(()) }
}

fn export(handle: aclrtDrvMemHandle, flags: u64) -> Answer<u64> {
    physical::export(handle, one_flag(flags, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION)?)
}

pub(crate) fn aclrtMemSetPidToShareableHandle(shareable_handle: u64, pid: In<'_, i32>, pid_num: usize) -> Answer {
    physical::allow_import(shareable_handle, &processes(&pid, pid_num, Failure::invalid)?)
}

pub(crate) fn aclrtMemSetPidToShareableHandleV2(
    shareable_handle: Address,
    share_type: aclrtMemSharedHandleType,
    pid: In<'_, i32>,
    pid_num: usize,
) -> Answer {
    not_null(shareable_handle)?;
    processes(&pid, pid_num, Failure::invalid)?;
    size_of_shared(share_type)?;
    aclrtMemSetPidToShareableHandle(u64::from_ne_bytes(shareable_handle.array()), pid, pid_num)
}

pub(crate) fn aclrtMemImportFromShareableHandle(
    shareable_handle: u64,
    device_id: i32,
    mut handle: Out<'_, aclrtDrvMemHandle>,
) -> Answer {
    wanted(&handle)?;
    handle.set(import(shareable_handle, device::device_to_use(device_id)?)?);
    Ok(())
}

/// The memory belongs to the device of the current context.
pub(crate) fn aclrtMemImportFromShareableHandleV2(
    shareable_handle: Address,
    share_type: aclrtMemSharedHandleType,
    flags: u64,
    mut handle: Out<'_, aclrtDrvMemHandle>,
) -> Answer {
    not_null(shareable_handle)?;
    wanted(&handle)?;
    if flags != 0 {
        return Err(Failure::invalid(format!("the flags are reserved as 0, not {flags:#x}")));
    }
    let device = current_context()?.device().clone();
    size_of_shared(share_type)?;
    handle.set(import(u64::from_ne_bytes(shareable_handle.array()), device)?);
    Ok(())
}

fn import(number: u64, device: Arc<Device>) -> Answer<aclrtDrvMemHandle> {
    let call = watch::call(Op::Allocate, Object::physical(0)).with(Object::device(device.id().into()));
    let call = call.flag(Flag::Imported, true);
    let made = physical::import(number, device).inspect_err(|failure| {
        if failure.breach.is_some() {
            // A finding says so, and what follows from it is no further mistake.
            watch::made_to_fail(errors::current_call(), Vec::new());
        }
    })?;
    // The size is known only now.
    let call = call.writes(Address::NULL, physical::size_of(made)?, Role::Contents, None).begin()?;
    call.made(made.0.addr());
    Ok(made)
}

pub(crate) fn aclrtNotifyGetExportKey(notify: aclrtNotify, mut key: Out<'_, c_char>, len: usize, flags: u64) -> Answer {
    let notify = notify::find(notify)?;
    wanted(&key)?;
    let for_all = one_flag(flags, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION)?;
    current_context()?;
    store_text(&mut key, &notify.export(for_all)?, len)
}

pub(crate) fn aclrtNotifySetImportPid(notify: aclrtNotify, pid: In<'_, i32>, num: usize) -> Answer {
    let (notify, processes) = (notify::find(notify)?, processes(&pid, num, Failure::refused)?);
    current_context()?;
    notify.allow(&processes)
}

/// Every device of the simulator reaches the notifies of every other.
pub(crate) fn aclrtNotifyImportByKey(notify: Out<'_, aclrtNotify>, key: Text<'_>, flags: u64) -> Answer {
    wanted(&notify)?;
    let key = given(key)?;
    one_flag(flags, ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS).map_err(|unknown| Failure::invalid(unknown.text))?;
    super::notify::hand_out(notify, true, || notify::import(&key))
}

fn given(key: Text<'_>) -> Answer<String> {
    key.get().map(std::borrow::Cow::into_owned).ok_or_else(|| Failure::invalid("the key is null"))
}

/// The list, which is not null (100000), and has `none` for an answer if nothing is in it.
fn processes(pid: &In<'_, i32>, num: usize, none: fn(&'static str) -> Failure) -> Answer<Vec<i32>> {
    if pid.is_null() {
        return Err(Failure::invalid("the list of processes is null"));
    }
    if num == 0 {
        return Err(none("there is no process in the list"));
    }
    Ok(pid.list(num))
}

/// Whether the one flag is set that there is (107000 for others).
fn one_flag(flags: u64, known: u64) -> Answer<bool> {
    match flags {
        0 => Ok(false),
        flags if flags == known => Ok(true),
        flags => Err(Failure::refused(format!("{flags:#x} is no flag of this call"))),
    }
}

/// How many bytes a handle of this type has.
fn size_of_shared(share_type: aclrtMemSharedHandleType) -> Answer<usize> {
    match share_type {
        aclrtMemSharedHandleType::ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT => Ok(size_of::<u64>()),
        aclrtMemSharedHandleType::ACL_MEM_SHARE_HANDLE_TYPE_FABRIC => Ok(size_of::<aclrtMemFabricHandle>()),
        _ => Err(Failure::refused(format!("there is no type of shared handle {}", share_type.0))),
    }
}
