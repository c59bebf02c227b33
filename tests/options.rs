//! Options: the pages of device memory, what a device says of itself, and half-precision floats.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;
mod null;

use ascendcl::memory::MemoryPolicy;
use ascendcl::{Acl, Bf16, Element, ElementType, Error, F16, InterfaceVersion, Library, Package};
use ascendcl_macros::proves;
use ascendcl_sim::{Plan, control};
use ascendcl_sys::constants::{ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION};
use ascendcl_sys::types::aclrtMemMallocPolicy;
use common::alone;
use null::{books, in_books};

#[proves(MEM_09)]
#[test]
fn the_library_is_given_the_one_policy_that_was_chosen() {
    let books = books();
    let given = |policy: MemoryPolicy| {
        in_books(&books, |current| drop(current.device_buffer_with::<u8>(64, policy).unwrap()));
        aclrtMemMallocPolicy(books.last_policy())
    };
    for (policy, raw) in [
        (MemoryPolicy::HugeFirst, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST),
        (MemoryPolicy::HugeOnly, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_ONLY),
        (MemoryPolicy::NormalOnly, aclrtMemMallocPolicy::ACL_MEM_MALLOC_NORMAL_ONLY),
        (MemoryPolicy::GigabyteOnly, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE1G_ONLY),
        (MemoryPolicy::HugeFirstForPeers, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST_P2P),
        (MemoryPolicy::HugeOnlyForPeers, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_ONLY_P2P),
        (MemoryPolicy::NormalOnlyForPeers, aclrtMemMallocPolicy::ACL_MEM_MALLOC_NORMAL_ONLY_P2P),
    ] {
        assert_eq!(given(policy), raw, "{policy:?}");
    }
    assert_eq!(MemoryPolicy::default(), MemoryPolicy::HugeFirst);
    in_books(&books, |current| drop(current.device_buffer::<u8>(64).unwrap()));
    assert_eq!(books.last_policy(), aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST.0);
}

#[test]
fn a_library_tells_its_versions_before_it_is_initialised() {
    let _alone = alone();
    let library = Library::Simulator.load().unwrap();
    assert!(library.is_simulator() && library.missing_functions().is_empty());
    let InterfaceVersion { major, minor, patch } = library.interface_version().unwrap();
    let known = [ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION].map(|number| number as i32);
    assert_eq!([major, minor, patch], known);
    let name = format!("{major}.{minor}.{patch}");
    assert_eq!(library.interface_version().unwrap().to_string(), name);
    for package in Package::ALL {
        let version = library.package_version(*package).unwrap();
        assert!(version.starts_with(|c: char| c.is_ascii_digit()) && version.ends_with("simulator"), "{version:?}");
    }
    control::fail("aclsysGetCANNVersion=100000".parse().unwrap()).unwrap();
    let error = library.package_version(Package::Driver).unwrap_err();
    control::fail(Plan::new()).unwrap();
    assert!(matches!(&error, Error::Vendor(error) if error.code.number() == 100_000), "{error}");
    // Older releases lack the functions.
    let books = books();
    let old = books.acl();
    for error in
        [old.library().interface_version().unwrap_err(), old.library().package_version(Package::Cann).unwrap_err()]
    {
        assert!(matches!(error, Error::MissingFunction(_)), "{error}");
    }
    old.close().unwrap();
}

#[test]
fn a_device_tells_its_properties_without_being_taken() {
    let alone = alone();
    let acl = Acl::init(Library::Simulator).unwrap();
    let properties = acl.device_properties(1).unwrap();
    assert_eq!((properties.chip, properties.is_virtual), (Some(1), Some(false)));
    assert!(properties.memory_bytes.unwrap() >= 1 << 20 && properties.ai_cores.unwrap() > 0, "{properties:?}");
    let count = acl.device_count().unwrap();
    let error = acl.device_properties(count).unwrap_err();
    assert!(matches!(error, Error::NoSuchDevice { count: found, .. } if found == count), "{error}");
    let error = acl.device_properties(-1).unwrap_err();
    assert!(matches!(error, Error::NoSuchDevice { id: -1, .. }), "{error}");
    alone.assert_nothing_lives();

    // One attribute that the device does not have leaves the others as they are.
    control::fail("aclrtGetDeviceInfo#1=107000".parse().unwrap()).unwrap();
    let some = acl.device_properties(1).unwrap();
    control::fail(Plan::new()).unwrap();
    assert_eq!((some.ai_cores, some.memory_bytes), (None, properties.memory_bytes));
    acl.close().unwrap();
}

#[test]
fn a_library_without_the_function_says_so() {
    let books = books();
    let error = books.acl().device_properties(0).unwrap_err();
    let Error::MissingFunction(missing) = error else { panic!("{error}") };
    assert_eq!((missing.symbol, missing.doing.as_str()), ("aclrtGetDeviceInfo", "ask for the properties of device 0"));
}

fn there_and_back<E: Element>(elements: &[E]) {
    let back = ascendcl::run(Library::Simulator, |current| current.upload(elements)?.to_vec(current));
    assert_eq!(back.unwrap(), elements);
}

#[test]
fn floats_of_sixteen_bits_are_copied_as_they_are() {
    let _alone = alone();
    there_and_back(&[F16(0x3c00), F16(0x7e00)]);
    there_and_back(&[Bf16(0x3f80), Bf16(0x7fc0)]);
    assert_eq!((Bf16::TYPE, Bf16::TYPE.size(), Bf16::TYPE.to_string()), (ElementType::Bf16, Some(2), "bf16".into()));
}

#[cfg(feature = "half")]
#[test]
fn the_types_of_half_are_elements_of_the_same_types() {
    use half::{bf16, f16};
    let _alone = alone();
    there_and_back(&[f16::from_f32(1.5), f16::MAX]);
    there_and_back(&[bf16::from_f32(1.5), bf16::MAX]);
    assert_eq!((f16::TYPE, bf16::TYPE), (F16::TYPE, Bf16::TYPE));
}
