//! Addresses without memory, and memory that stands at several addresses at once, also in several processes.

use super::arguments::Address;

/// A range of addresses that nothing else in the process gets. It is never given back, so that an address in it never
/// comes to be somebody else's memory; touching it faults while nothing is [mapped](Self::map) there.
#[derive(Debug)]
pub(crate) struct Pages {
    start: Address,
    size: usize,
}

impl Pages {
    /// `size` is a multiple of `align`, which is a power of two and at least a page. `None` when the system has no such
    /// range.
    pub(crate) fn reserve(size: usize, align: usize) -> Option<Self> {
        let room = size.checked_add(align)?;
        let found = system::reserve(room)?;
        let gap = found.number().next_multiple_of(align) - found.number();
        Some(Self { start: found.offset(gap), size })
    }

    pub(crate) fn start(&self) -> Address {
        self.start
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Puts all of the memory at `offset`, over what stood there. Both are multiples of the page.
    pub(crate) fn map(&self, offset: usize, memory: &Shared) -> Option<()> {
        self.map_part(offset, memory, 0, memory.size)
    }

    /// Puts `size` bytes of the memory, those from `from` on, at `offset`, over what stood there. All three are multiples
    /// of the page.
    pub(crate) fn map_part(&self, offset: usize, memory: &Shared, from: usize, size: usize) -> Option<()> {
        let ends_inside = from.checked_add(size).is_some_and(|end| end <= memory.size);
        let place = self.part(offset, size).filter(|_| ends_inside)?;
        system::map(place, memory, from, size)
    }

    /// Leaves nothing at these addresses.
    pub(crate) fn unmap(&self, offset: usize, size: usize) -> Option<()> {
        system::unmap(self.part(offset, size)?, size)
    }

    /// Whether anybody can use `size` bytes at an offset. Both are multiples of the page; memory is mapped there.
    pub(crate) fn protect(&self, offset: usize, size: usize, open: bool) -> Option<()> {
        system::protect(self.part(offset, size)?, size, open)
    }

    fn part(&self, offset: usize, size: usize) -> Option<Address> {
        (offset.checked_add(size)? <= self.size).then(|| self.start.offset(offset))
    }
}

/// Memory without an address of its own. All its mappings show the same contents.
#[derive(Debug)]
pub(crate) struct Shared {
    file: system::File,
    size: usize,
}

impl Shared {
    pub(crate) fn new(size: usize) -> Option<Self> {
        Some(Self { file: system::file(size)?, size })
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The number by which another process of the same user [finds](Self::of_process) the memory, while this one has it.
    pub(crate) fn descriptor(&self) -> u32 {
        system::descriptor(&self.file)
    }

    /// The memory of another process. `None` when there is none, or the system does not let this process at it.
    pub(crate) fn of_process(process: u32, descriptor: u32) -> Option<Self> {
        let (file, size) = system::open(process, descriptor)?;
        Some(Self { file, size })
    }
}

/// Whether the system promises memory of this size now. The allocator is not asked: that of a sanitizer ends the process
/// where it has none.
pub(crate) fn is_promised(size: usize) -> bool {
    system::is_promised(size)
}

#[cfg(all(target_os = "linux", not(miri)))]
mod system {
    use super::{Address, Shared};
    use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect, munmap};
    use std::os::fd::AsRawFd;

    pub(super) type File = std::fs::File;

    const NAME: &core::ffi::CStr = c"ascendcl-sim";

    pub(super) fn file(size: usize) -> Option<File> {
        let file = memfd_create(NAME, MemfdFlags::CLOEXEC).ok()?;
        ftruncate(&file, u64::try_from(size).ok()?).ok()?;
        Some(file.into())
    }

    pub(super) fn descriptor(file: &File) -> u32 {
        file.as_raw_fd().cast_unsigned()
    }

    /// Only what [`file`] has made is opened: the other process may have given the number to another file.
    pub(super) fn open(process: u32, descriptor: u32) -> Option<(File, usize)> {
        let path = format!("/proc/{process}/fd/{descriptor}");
        let target = std::fs::read_link(&path).ok()?;
        if !target.to_str()?.starts_with(&format!("/memfd:{}", NAME.to_str().ok()?)) {
            return None;
        }
        let file = File::options().read(true).write(true).open(path).ok()?;
        let size = usize::try_from(file.metadata().ok()?.len()).ok()?;
        Some((file, size))
    }

    pub(super) fn reserve(size: usize) -> Option<Address> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: `mmap` must not replace memory that is in use. Without `FIXED` the system picks addresses where
        // nothing is.
        unsafe { mmap_anonymous(core::ptr::null_mut(), size, ProtFlags::empty(), flags) }.ok().map(Address)
    }

    pub(super) fn is_promised(size: usize) -> bool {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: `mmap` must not replace memory that is in use. Without `FIXED` the system picks addresses where
        // nothing is.
        let found = unsafe { mmap_anonymous(core::ptr::null_mut(), size, access, MapFlags::PRIVATE) };
        // SAFETY: `munmap` must not take memory away that is in use. Nothing knows the address of this mapping.
        found.is_ok_and(|at| unsafe { munmap(at, size) }.is_ok())
    }

    pub(super) fn map(at: Address, memory: &Shared, from: usize, size: usize) -> Option<()> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let (flags, from) = (MapFlags::SHARED | MapFlags::FIXED, u64::try_from(from).ok()?);
        // SAFETY: `mmap` with `FIXED` replaces what is at the place, to which nothing may refer. The caller checked
        // that the place is in `Pages`, where nothing of Rust's or of the program's own is: only mappings made here.
        unsafe { mmap(at.0, size, access, flags, &memory.file, from) }.ok().map(drop)
    }

    pub(super) fn protect(at: Address, size: usize, open: bool) -> Option<()> {
        let flags = if open { MprotectFlags::READ | MprotectFlags::WRITE } else { MprotectFlags::empty() };
        // SAFETY: `mprotect` must not take access away that Rust code relies on. The caller checked that the place is in
        // `Pages`. Where a view of the program is locked, this crate uses its own view of the same memory instead.
        unsafe { mprotect(at.0, size, flags) }.ok()
    }

    pub(super) fn unmap(at: Address, size: usize) -> Option<()> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED;
        // SAFETY: `mmap` with `FIXED` replaces what is at the place, to which nothing may refer. The caller checked
        // that the place is in `Pages`, where nothing of Rust's or of the program's own is: only mappings made here.
        unsafe { mmap_anonymous(at.0, size, ProtFlags::empty(), flags) }.ok().map(drop)
    }
}

/// Other systems have no such memory.
#[cfg(any(not(target_os = "linux"), miri))]
mod system {
    use super::{Address, Shared};

    #[derive(Debug)]
    pub(super) enum File {}

    pub(super) fn file(_: usize) -> Option<File> {
        None
    }

    pub(super) fn descriptor(file: &File) -> u32 {
        match *file {}
    }

    pub(super) fn open(_: u32, _: u32) -> Option<(File, usize)> {
        None
    }

    pub(super) fn reserve(_: usize) -> Option<Address> {
        None
    }

    pub(super) fn is_promised(size: usize) -> bool {
        Vec::<u8>::new().try_reserve_exact(size).is_ok()
    }

    pub(super) fn map(_: Address, _: &Shared, _: usize, _: usize) -> Option<()> {
        None
    }

    pub(super) fn protect(_: Address, _: usize, _: bool) -> Option<()> {
        None
    }

    pub(super) fn unmap(_: Address, _: usize) -> Option<()> {
        None
    }
}
