//! The library's life in this process.

use crate::callback_guard::InCallback;
use crate::error::{Error, Failed};
use crate::ffi::{Api, Initialised, c_path};
use crate::ledger::DeviceRow;
use crate::library::{Library, Loaded};
use crate::life_cycle::leads;
use crate::properties::DeviceProperties;
use crate::run_mode::RunMode;
use ascendcl_macros::rule;
#[cfg(feature = "ge")]
use core::sync::atomic::{AtomicUsize, Ordering};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// The initialised library (`aclInit`), and everything that was taken from it.
///
/// Having an `Acl` tells you that the library is initialised, and that it stays so while anything borrows from it. It
/// owes one counted finalisation (`aclFinalizeReference`), which [`close`](Self::close) pays. An `Acl` that is
/// dropped leaves the library initialised: destructors never call the library. What its contexts could not release, and
/// work that goes on may still use, then stays for the rest of the process: memory, allocators, state of callbacks.
///
/// ```
/// use ascendcl::{Acl, Library};
///
/// let acl = Acl::init(Library::Simulator)?;
/// assert!(acl.device_count()? > 0);
/// acl.close().map_err(|failed| failed.error)?;
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an `Acl` that is not closed leaves the library initialised"]
#[rule(INIT_01, INIT_04, INIT_08, INIT_10)]
#[diagnostic::on_move(
    message = "the library was closed",
    note = "INIT-02, INIT-08: it is closed once and last: move `acl.close()` behind all uses"
)]
pub struct Acl {
    library: Loaded,
    joined: bool,
    /// Asked for once.
    run_mode: OnceLock<RunMode>,
    /// Every device that was set through this value and not reset yet, whatever became of its handle.
    devices: Mutex<Vec<Arc<DeviceRow>>>,
    /// How many graph engines are initialised over the library.
    #[cfg(feature = "ge")]
    engines: Arc<AtomicUsize>,
}

impl Acl {
    /// Loads a library and initialises it (`aclInit`).
    ///
    /// Something else in the process may have initialised it before (100002): that is no error, the count goes up by
    /// one, and [`joined`](Self::joined) says so.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] when there is no library, [`Error::Vendor`] when it cannot be initialised.
    #[rule(INIT_05)]
    pub fn init(library: Library) -> Result<Self, Error> {
        Self::init_with(library, None)
    }

    /// Like [`init`](Self::init), with a configuration file in the vendor's JSON format. Only the first initialisation
    /// in a process reads it (INIT-06).
    ///
    /// # Errors
    ///
    /// As for [`init`](Self::init); a file that is missing or wrong is an [`Error::Vendor`].
    pub fn init_with(library: Library, config: Option<&Path>) -> Result<Self, Error> {
        leads!(acl: Start --> Initialised : Init);
        InCallback::refuses()?;
        let library = library.load()?;
        let config = config.map(c_path).transpose()?;
        let joined = library.api().init(config.as_deref())? == Initialised::Again;
        Ok(Self {
            library,
            joined,
            run_mode: OnceLock::new(),
            devices: Mutex::default(),
            #[cfg(feature = "ge")]
            engines: Arc::default(),
        })
    }

    /// The library that was loaded.
    pub fn library(&self) -> Loaded {
        self.library
    }

    /// Whether the library was initialised before, by another part of the process.
    pub fn joined(&self) -> bool {
        self.joined
    }

    /// How many devices there are (`aclrtGetDeviceCount`); they are numbered from 0.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot tell.
    pub fn device_count(&self) -> Result<u32, Error> {
        self.api().device_count()
    }

    /// The properties of a device (`aclrtGetDeviceInfo`). The device need not be taken.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchDevice`]; [`Error::MissingFunction`] on releases that lack the function; [`Error::Vendor`] when
    /// the library cannot count its devices.
    pub fn device_properties(&self, id: u32) -> Result<DeviceProperties, Error> {
        let count = self.device_count()?;
        if id >= count {
            return Err(Error::NoSuchDevice { id: i32::try_from(id).unwrap_or(i32::MAX), count });
        }
        DeviceProperties::of(self.api(), id)
    }

    /// The name of the devices' system on chip (`aclrtGetSocName`), if the library tells.
    pub fn soc_name(&self) -> Option<String> {
        self.api().soc_name()
    }

    /// Where the program runs (`aclrtGetRunMode`): on a host beside the device, or on the device itself.
    ///
    /// The library is asked once. What follows from the answer is decided by this crate: where the buffers of transfers
    /// and the images of models live, and which direction a copy states (MODE-01).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot tell.
    #[rule(MODE_01)]
    pub fn run_mode(&self) -> Result<RunMode, Error> {
        self.api().is_of_this_process()?;
        if let Some(known) = self.run_mode.get() {
            return Ok(*known);
        }
        let mode = self.api().run_mode()?;
        Ok(*self.run_mode.get_or_init(|| mode))
    }

    /// From now on each call of this library in this process compares the thread's current context with the entered
    /// one. This finds code outside this crate that changes the current context (see [`foreign`](crate::foreign)).
    ///
    /// A call that finds another context current does not reach the library: [`Error::CurrentChanged`]. It costs a call
    /// of `aclrtGetCurrentContext` each time. The environment variable `ASCENDCL_VERIFY_CURRENT=1` switches it on when
    /// the library is loaded.
    #[rule(CTX_05, CTX_08)]
    pub fn verify_current(&self, on: bool) {
        self.api().verify_current(on);
    }

    /// Gives back the devices that were not reset yet, and finalises (`aclFinalizeReference`).
    ///
    /// # Errors
    ///
    /// The first error, and the `Acl` as it is then: what was given back before it stays given back. Before anything,
    /// an error while a graph engine of this `Acl` is initialised, which needs the library.
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `cargo run -p ascendcl-explain ERR-01`"]
    #[rule(INIT_02, INIT_07, INIT_09)]
    pub fn close(
        self, // INIT-02, INIT-08: an `Acl` is closed once and last: move this `close()` behind all uses
    ) -> Result<(), Failed<Self>> {
        leads!(acl: Initialised --> End : Finalize);
        if let Err(error) = self.api().is_of_this_process() {
            return Err(Failed { error, value: self });
        }
        #[cfg(feature = "ge")]
        if self.engines.load(Ordering::Acquire) > 0 {
            return Err(Failed { error: crate::error::EngineError::StillInitialised.into(), value: self });
        }
        let rows: Vec<_> = self.devices().clone();
        for row in rows {
            if let Err(error) = self.reset(&row) {
                return Err(Failed { error, value: self });
            }
        }
        self.api().finalize_reference().map_err(|error| Failed { error, value: self })
    }

    pub(crate) fn reset(&self, row: &Arc<DeviceRow>) -> Result<(), Error> {
        row.reset(self.api())?;
        self.forget(row);
        Ok(())
    }

    /// The device was given back.
    pub(crate) fn forget(&self, row: &Arc<DeviceRow>) {
        self.devices().retain(|known| !Arc::ptr_eq(known, row));
    }

    #[cfg(feature = "ge")]
    pub(crate) fn engines(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.engines)
    }

    pub(crate) fn api(&self) -> Api {
        self.library.api()
    }

    /// It is given back by `close` at the latest.
    pub(crate) fn keep(&self, row: &Arc<DeviceRow>) {
        self.devices().push(Arc::clone(row));
    }

    fn devices(&self) -> MutexGuard<'_, Vec<Arc<DeviceRow>>> {
        self.devices.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
