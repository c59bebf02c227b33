//! The initialised library in this process.

use crate::callback_guard::InCallback;
use crate::error::{Error, Failed};
use crate::ffi::{Api, Initialised, Verified, c_path};
use crate::ledger::takes::TakeBack;
use crate::ledger::{DeviceRow, takes};
use crate::library::{Library, Loaded};
use crate::library_user::{LibraryHold, LibraryUser, Users};
use crate::life_cycle::leads;
use crate::panics::Panics;
use crate::properties::DeviceProperties;
use crate::run_mode::RunMode;
use crate::undelivered;
use ascendcl_macros::rule;
use core::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// The initialised library (`aclInit`), and everything that was taken from it.
///
/// Having an `Acl` tells you that the library is initialised, and that it stays initialised while anything borrows from
/// the `Acl`. The `Acl` owes one counted finalisation (`aclFinalizeReference`), which [`close`](Self::close) makes. An
/// `Acl` that is dropped leaves the library initialised, because destructors never call the library. If work may still
/// use objects that its contexts could not release (memory, allocators, state of callbacks), these objects stay
/// allocated for the rest of the process.
///
/// ```
/// use ascendcl::{Acl, Library};
///
/// let acl = Acl::init(Library::Simulator)?;
/// assert!(acl.device_count()? > 0);
/// acl.close()?;
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[must_use = "an `Acl` that is not closed leaves the library initialised"]
#[rule(INIT_01, INIT_04, INIT_08, INIT_10)]
#[diagnostic::on_move(
    message = "the library was closed",
    note = "INIT-02, INIT-08: it is closed once and last: move `acl.close()` behind all uses"
)]
pub struct Acl {
    library: Loaded,
    joined: bool,
    /// The library is asked once.
    run_mode: OnceLock<RunMode>,
    /// Every device that was set through this value and not reset yet. A dropped or forgotten handle does not remove
    /// its device.
    devices: Mutex<Vec<Arc<DeviceRow>>>,
    /// Other libraries that use this one.
    users: Users,
    /// Calls are verified until this is dropped.
    _verified: Option<Verified>,
}

impl Acl {
    /// Loads a library and initialises it (`aclInit`).
    ///
    /// Other code in the process may have initialised the library before (100002). That is no error: the count goes up
    /// by one, and [`joined`](Self::joined) returns `true`.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] if there is no library, [`Error::Vendor`] if it cannot be initialised.
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
        InCallback::check_outside()?;
        let library = library.load()?;
        let config = config.map(c_path).transpose()?;
        let joined = library.api().init(config.as_deref())? == Initialised::Again;
        let (devices, users) = (Mutex::default(), Users::default());
        Ok(Self { library, joined, run_mode: OnceLock::new(), devices, users, _verified: None })
    }

    /// Initialises the library of a [`Setup`](crate::Setup).
    pub(crate) fn set_up(library: Library, config: Option<&Path>, verify_current: bool) -> Result<Self, Error> {
        let acl = Self::init_with(library, config)?;
        let _verified = if verify_current { acl.api().verified() } else { None };
        Ok(Self { _verified, ..acl })
    }

    /// This `Acl` without the [verification](crate::Setup::verify_current) that its [`Setup`](crate::Setup) asked for.
    pub(crate) fn without_verification(self) -> Self {
        Self { _verified: None, ..self }
    }

    /// The library that was loaded.
    pub fn library(&self) -> Loaded {
        self.library
    }

    /// Whether the library was initialised before, by another part of the process.
    pub fn joined(&self) -> bool {
        self.joined
    }

    /// How many devices there are (`aclrtGetDeviceCount`). They are numbered from 0:
    ///
    /// ```
    /// use ascendcl::{Acl, Library, Thread};
    ///
    /// let (acl, mut thread) = (Acl::init(Library::Simulator)?, Thread::new()?);
    /// for id in 0..acl.device_count()? {
    ///     println!("device {id}: {:?}", acl.device_properties(id)?);
    ///     acl.device(&mut thread, id)?.reset(&mut thread)?;
    /// }
    /// # Ok::<(), ascendcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot tell.
    pub fn device_count(&self) -> Result<i32, Error> {
        self.api().device_count()
    }

    /// The properties of a device (`aclrtGetDeviceInfo`). The device need not be taken.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchDevice`]; [`Error::MissingFunction`] on releases that lack the function; [`Error::Vendor`] when
    /// the library cannot count its devices.
    pub fn device_properties(&self, id: i32) -> Result<DeviceProperties, Error> {
        let count = self.device_count()?;
        match u32::try_from(id) {
            Ok(number) if id < count => DeviceProperties::of(self.api(), number),
            _ => Err(Error::NoSuchDevice { id, count }),
        }
    }

    /// The name of the devices' system on chip (`aclrtGetSocName`). `None` if the library does not report one.
    pub fn soc_name(&self) -> Option<String> {
        self.api().soc_name()
    }

    /// Where the program runs (`aclrtGetRunMode`): on a host beside the device, or on the device itself.
    ///
    /// The library is asked once. This crate derives from the answer where it allocates the buffers of transfers and
    /// the images of models, and which direction it passes to copies (MODE-01).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot tell.
    #[rule(MODE_01)]
    pub fn run_mode(&self) -> Result<RunMode, Error> {
        self.api().check_process()?;
        if let Some(known) = self.run_mode.get() {
            return Ok(*known);
        }
        let mode = self.api().run_mode()?;
        Ok(*self.run_mode.get_or_init(|| mode))
    }

    /// Switches a check of each call of this library in this process on or off. The check compares the thread's current
    /// context with the entered one. It finds code outside this crate that changes the current context (see
    /// [`foreign`](crate::foreign)).
    ///
    /// A call that finds another current context returns [`Error::CurrentChanged`] and does not reach the library. Each
    /// check costs one call of `aclrtGetCurrentContext`. The environment variable `ASCENDCL_VERIFY_CURRENT=1` switches
    /// the check on when the library is loaded, and [`Setup::verify_current`](crate::Setup::verify_current) for as long as
    /// a runtime is open.
    #[rule(CTX_05, CTX_08)]
    pub fn verify_current(&self, on: bool) {
        self.api().verify_current(on);
    }

    /// Resets the devices that were not reset yet, and finalises the library (`aclFinalizeReference`).
    ///
    /// # Errors
    ///
    /// The first error, and the `Acl`. Devices that were reset before the error stay reset. [`Error::LibraryInUse`] while
    /// another library [holds](Self::hold) this one, and [`Error::ObjectsLeft`] inside of a context while objects of another
    /// one are left: nothing was reset then. Close the library outside of the context.
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `ascendcl-explain ERR-01`"]
    #[rule(INIT_02, INIT_07, INIT_09)]
    pub fn close(
        self, // INIT-02, INIT-08: an `Acl` is closed once and last: move this `close()` behind all uses
    ) -> Result<(), Failed<Self>> {
        leads!(acl: Initialised --> End : Finalize);
        if let Err(error) = self.api().check_process() {
            return Err(Failed { error, value: self });
        }
        if let Some(user) = self.users.first() {
            return Err(Failed { error: Error::LibraryInUse { user }, value: self });
        }
        let rows: Vec<_> = self.devices().clone();
        if let Err(error) = rows.iter().try_for_each(|row| row.check_reset_allowed()) {
            return Err(Failed { error, value: self });
        }
        let mut panics = Panics::default();
        let reset = rows.iter().try_for_each(|row| self.reset_in_steps(row, &mut panics));
        let closed = reset.and_then(|()| self.api().finalize_reference());
        undelivered::unless_panicked(panics, closed, |error| vec![error]).map_err(|error| Failed { error, value: self })
    }

    /// Prevents finalising the library while the returned value exists, for another library that uses this one. Until
    /// then, [`close`](Self::close) returns [`Error::LibraryInUse`].
    ///
    /// ```
    /// use ascendcl::{Acl, Error, Library, raw::LibraryUser};
    ///
    /// static COLLECTIVES: LibraryUser =
    ///     LibraryUser { why: "the collectives are still initialised: close them first", rules: &[] };
    ///
    /// let acl = Acl::init(Library::Simulator)?;
    /// let held = acl.hold(&COLLECTIVES)?;
    /// let failed = acl.close().unwrap_err();
    /// assert!(matches!(failed.error, Error::LibraryInUse { .. }));
    /// drop(held);
    /// failed.value.close()?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Forked`] in a forked child.
    #[rule(INIT_02)]
    pub fn hold(&self, user: &'static LibraryUser) -> Result<LibraryHold, Error> {
        self.api().check_process()?;
        Ok(self.users.hold(user))
    }

    pub(crate) fn reset(&self, row: &Arc<DeviceRow>) -> Result<(), Error> {
        let mut panics = Panics::default();
        let reset = self.reset_in_steps(row, &mut panics);
        undelivered::unless_panicked(panics, reset, |error| vec![error])
    }

    /// Taking a context down runs code of the user, which may panic. The device is reset nevertheless.
    fn reset_in_steps(&self, row: &Arc<DeviceRow>, panics: &mut Panics) -> Result<(), Error> {
        self.api().check_process()?;
        let was_given_up = takes::take_back(row, TakeBack::ForItsOwner)?;
        row.reset(self.api(), panics).inspect_err(|_| {
            if was_given_up {
                takes::give_up(row);
            }
        })?;
        self.forget(row);
        Ok(())
    }

    /// Removes a device that was reset.
    pub(crate) fn forget(&self, row: &Arc<DeviceRow>) {
        self.devices().retain(|known| !Arc::ptr_eq(known, row));
    }

    pub(crate) fn api(&self) -> Api {
        self.library.api()
    }

    /// Adds a device that was taken. `close` resets it at the latest.
    pub(crate) fn keep(&self, row: &Arc<DeviceRow>) {
        self.devices().push(Arc::clone(row));
    }

    fn devices(&self) -> MutexGuard<'_, Vec<Arc<DeviceRow>>> {
        self.devices.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Without the devices, whose list is locked: the program's writer may use this value.
impl fmt::Debug for Acl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (library, joined) = (&self.library, &self.joined);
        f.debug_struct("Acl").field("library", library).field("joined", joined).finish_non_exhaustive()
    }
}
