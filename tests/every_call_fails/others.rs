//! Shared memory, and an object of other code.

use ascendcl::raw::{Attach, Ending, EndsBefore};
use ascendcl::{Brand, Current, Error, Scoped};
use ascendcl_sys::types::aclrtNotify;
use std::mem;

pub(crate) fn shared_memory(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (first, second) = (current.stream()?, current.stream()?);
    let table = current.upload(&[1_u32, 2, 3, 4])?.into_shared();
    let one = first.copy_to_host(current, table.clone(), current.host_buffer(4)?)?;
    let two = second.copy_to_host(current, table.slice(2..)?, current.host_buffer(2)?)?;
    drop(first.copy_to_host(current, table.clone(), current.host_buffer(4)?)?);
    mem::forget(second.copy_on_device(current, current.upload(&[5_u32])?.into_shared(), current.device_buffer(1)?)?);
    assert_eq!(*one.wait(current)?.1, [1, 2, 3, 4]);
    assert_eq!(*two.wait(current)?.1, [3, 4]);
    let mut table = table.try_unshare(current)?;
    table.copy_from(current, &[6; 4])?;
    table.free(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

/// A notify of the library.
struct Notify(aclrtNotify);

// SAFETY: a notify has no state on the host, and any thread that has its context uses it.
unsafe impl Send for Notify {}
// SAFETY: a notify has no state on the host, and any thread that has its context uses it.
unsafe impl Sync for Notify {}

// SAFETY: `take_down` destroys the notify, which is not used with streams here, and calls nothing else.
unsafe impl Attach for Notify {
    const NAME: &'static str = "notify";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, from: &Ending<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        // SAFETY: the notify is live: this is not called again once it has answered `Ok`.
        let code = unsafe { from.library().as_raw().aclrtDestroyNotify(self.0) }.unwrap();
        Ok(from.library().checked("destroy a notify", "aclrtDestroyNotify", code)?)
    }
}

fn notify<C: Brand>(current: &Current<C>) -> Result<Notify, Error> {
    let (library, mut notify) = (current.library(), aclrtNotify(std::ptr::null_mut()));
    // SAFETY: the context is current, and the answer goes to a live local.
    let code = unsafe { library.as_raw().aclrtCreateNotify(&raw mut notify, 0) }.unwrap();
    library.checked("create a notify", "aclrtCreateNotify", code).map(|()| Notify(notify))
}

pub(crate) fn attached_objects(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let attached = current.attach(notify(current)?, (current.stream()?, current.upload(&[1_u8])?))?;
    mem::forget(current.attach(notify(current)?, current.event()?)?);
    drop(current.attach(notify(current)?, ())?);
    attached.get(current)?;
    let (stream, buffer) = attached.take_down(current)?;
    stream.destroy(current)?;
    buffer.free(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}
