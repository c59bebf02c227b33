//! The life of devices: how often each is set, and its default context.

use crate::failure::{Answer, Failure};
use crate::locks::{self, lock};
use crate::machine::callbacks::notices;
use crate::machine::contexts::context::Context;
use crate::machine::contexts::teardown::Rest;
use crate::machine::device::{self, Device, settings};
use crate::machine::handles::Table;
use crate::machine::life::contexts;
use crate::machine::streams::table;
use crate::machine::thread::{current, inside};
use crate::machine::workers::pool;
use crate::machine::{event, memory};
use ascendcl_sys::error_codes::ACL_ERROR_RT_CONTEXT_RELEASE_ERROR;
use ascendcl_sys::types::aclrtDeviceState;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Life {
    /// Sets without their reset, of all threads together.
    sets: u64,
    primary: Option<Arc<Context>>,
    /// The thread that is in the reset that ends the default context. The next one has the same number.
    ending: Option<ThreadId>,
    /// Contexts that callers made. The device keeps its memory and events while there is one.
    explicit: usize,
}

/// A default context has ended.
static ENDED: Condvar = Condvar::new();

/// By the numbers of the devices' default contexts, which no other device has.
static LIVES: Table<Mutex<Life>> = Table::new();

fn life_of(device: &Device) -> Arc<Mutex<Life>> {
    LIVES.get_or_default(device.primary_number())
}

/// Whether any device is set.
pub(crate) fn any_is_set() -> bool {
    !LIVES.select(|life| lock(life).primary.is_some()).is_empty()
}

/// Devices of a new configuration replace these.
pub(crate) fn forget_all() {
    device::forget_all();
    LIVES.remove_all(|_| true);
}

/// Counts a set and makes the default context current on this thread. `counted` hears of it, with the number of the context,
/// before any other thread's set or reset is counted.
pub(crate) fn set(device: &Arc<Device>, counted: impl FnOnce(usize)) -> Answer {
    notices::device(device.id(), aclrtDeviceState::ACL_RT_DEVICE_STATE_SET_PRE);
    let (primary, created) = {
        let life = life_of(device);
        let mut life = when_ended(lock(&life));
        let (primary, created) = match &life.primary {
            Some(primary) => (Arc::clone(primary), false),
            None => {
                if life.explicit == 0 {
                    settings::check_stacks()?;
                }
                (Context::create(device, true)?, true)
            }
        };
        life.primary = Some(Arc::clone(&primary));
        life.sets += 1;
        counted(primary.id());
        (primary, created)
    };
    primary.make_current();
    if created {
        // Measured: each function is called twice for a set, and once for the reset. It was not measured for which
        // stream.
        notices::stream_created(&primary.default_stream());
        notices::stream_created(&primary.default_stream());
    }
    notices::device(device.id(), aclrtDeviceState::ACL_RT_DEVICE_STATE_SET_POST);
    Ok(())
}

/// Waits until no other thread is in the reset that ends the default context. Code of the caller that such a reset may wait
/// for does not wait for it. The reset may also wait for callbacks that this thread has yet to run, so the wait has a limit.
fn when_ended(mut life: MutexGuard<'_, Life>) -> MutexGuard<'_, Life> {
    const LIMIT: Duration = Duration::from_secs(2);
    let (own, deadline) = (thread::current().id(), Some(Instant::now() + LIMIT));
    let waits = !inside::is_inside() && !pool::on_worker();
    while waits && life.ending.is_some_and(|ending| ending != own) && !locks::expired(deadline) {
        life = locks::wait(&ENDED, life, deadline);
    }
    life
}

/// Counts a reset; the last one, or a forced one, ends the default context. `counted` hears of it before any other thread's
/// set or reset is counted.
pub(crate) fn reset(device: &Device, forced: bool, counted: impl FnOnce()) -> Answer {
    notices::device(device.id(), aclrtDeviceState::ACL_RT_DEVICE_STATE_RESET_PRE);
    let ended = {
        let life = life_of(device);
        let mut life = lock(&life);
        if life.sets == 0 {
            let text = format!("device {} is not set (any more)", device.id());
            return Err(Failure::new(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, text));
        }
        let last = forced || life.sets == 1;
        if last && let Some(primary) = &life.primary {
            contexts::refuse_self_wait(primary)?;
        }
        life.sets = if last { 0 } else { life.sets - 1 };
        let ended = if last { life.primary.take() } else { None };
        if ended.is_some() {
            life.ending = Some(thread::current().id());
        }
        counted();
        ended
    };
    if let Some(primary) = ended {
        // This thread also loses a default context of another device, unless there were streams to end.
        let with_streams =
            table::of_context(primary.id()).iter().any(|stream| !stream.is_default() && !stream.is_of_model());
        contexts::end(&primary, if forced { Rest::Discard } else { Rest::Finish });
        if !with_streams || current::current_number() == primary.id() {
            current::drop_current_default();
        }
        release_when_unused(device);
        lock(&*life_of(device)).ending = None;
        ENDED.notify_all();
    }
    notices::device(device.id(), aclrtDeviceState::ACL_RT_DEVICE_STATE_RESET_POST);
    Ok(())
}

/// A context of the caller on this device.
pub(crate) fn create_context(device: &Arc<Device>) -> Answer<Arc<Context>> {
    {
        let life = life_of(device);
        let mut life = lock(&life);
        if life.primary.is_none() && life.explicit == 0 {
            settings::check_stacks()?;
        }
        life.explicit += 1;
    }
    let context = Context::create(device, false).inspect_err(|_| lose_context(device))?;
    notices::stream_created(&context.default_stream());
    Ok(context)
}

/// A context of the caller has ended.
pub(super) fn lose_context(device: &Device) {
    let life = life_of(device);
    let mut life = lock(&life);
    life.explicit = life.explicit.saturating_sub(1);
    drop(life);
    release_when_unused(device);
}

/// Without any context the device loses what belongs to it: at once, so that nothing of the next context is lost.
fn release_when_unused(device: &Device) {
    let life = life_of(device);
    let life = lock(&life);
    if life.sets == 0 && life.explicit == 0 {
        release(device);
    }
}

fn release(device: &Device) {
    event::lose_all_of(device.id());
    memory::lose_all_of(device);
    device.forget_settings();
}

/// Whether its default context is there.
pub(crate) fn is_set(device: &Device) -> bool {
    lock(&*life_of(device)).primary.is_some()
}

/// Ends everything, even what is in use.
pub(super) fn clear(device: &Device) {
    let primary = {
        let life = life_of(device);
        let mut life = lock(&life);
        life.sets = 0;
        // This includes those of threads that have ended.
        life.explicit = 0;
        life.primary.take()
    };
    if let Some(primary) = primary {
        contexts::end(&primary, Rest::Discard);
    }
    // Also when a callback that is still running has set it since.
    release(device);
}
