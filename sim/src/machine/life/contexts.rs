//! The end of contexts.

use crate::config::switches;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::{CONTEXTS, Context, NUMBERS};
use crate::machine::contexts::teardown::{Rest, end_streams};
use crate::machine::device::settings;
use crate::machine::life::devices;
use crate::machine::streams::table;
use crate::machine::thread::current::{self, current_number, set_current_number};
use crate::machine::workers::callback_thread;
use crate::machine::{instances, models};
use ascendcl_sys::error_codes::ACL_ERROR_RT_CONTEXT_NULL;
use ascendcl_sys::types::aclrtContext;

/// Destroys a context that the caller made, with its streams.
pub(crate) fn destroy(handle: aclrtContext) -> Answer {
    destroy_with(handle, Rest::Finish)
}

pub(in crate::machine) fn destroy_with(handle: aclrtContext, rest: Rest) -> Answer {
    let number = handle.0.addr();
    let refuse = |text: &'static str| Err(Failure::new(ACL_ERROR_RT_CONTEXT_NULL, text));
    match CONTEXTS.get(number) {
        None => return refuse("this is not the handle of a live context"),
        Some(context) if context.is_primary() => {
            return refuse("the default context ends with the reset of its device; it cannot be destroyed");
        }
        Some(context) => refuse_self_wait(&context)?,
    }
    // When two threads destroy the same context, one of them finds it destroyed.
    let Some(context) = CONTEXTS.remove(number) else {
        return refuse("this is not the handle of a live context");
    };
    if current_number() == number {
        set_current_number(0);
    }
    run_out(&context, rest);
    if !current::is_left(number) {
        devices::lose_context(context.device());
    }
    Ok(())
}

/// Makes it unreachable, lets its streams run out and tells the other parts.
pub(super) fn end(context: &Context, rest: Rest) {
    CONTEXTS.remove(context.id());
    run_out(context, rest);
}

fn run_out(context: &Context, rest: Rest) {
    let number = context.id();
    // Taken before the wait for the streams: the next default context of the device has the same number, and may be there
    // when the wait is over.
    let (instances, models) = (instances::take_of_context(number), models::take_of_context(number));
    let callbacks = callback_thread::take(number);
    settings::forget_context(number);
    end_streams(number, rest);
    let called = callbacks.is_some_and(|thread| thread.end());
    instances::release(instances);
    models::release(models);
    if called {
        switches::slow_destroy();
    }
    // The next default context of the device has the same number.
    if !context.is_primary() {
        NUMBERS.give_back(number);
    }
}

/// A callback cannot wait for the end of the stream that waits for it.
pub(super) fn refuse_self_wait(context: &Context) -> Answer {
    table::of_context(context.id()).iter().try_for_each(|stream| stream.refuse_self_wait())
}
