//! Attacks on the alignment of memory: copies on the device, and memory from the library.

use super::common::{Alone, alone, c_library, library_at, under_watch};
use super::null::books;
use super::{fail, inside, nothing_fails, with_device};
use ascendcl::{Acl, Current, Error, Scoped};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::ffi::c_int;

/// A slice at its second element begins four bytes after a multiple of 64.
#[repr(align(64))]
struct Aligned([f32; 17]);

fn on_device() -> Alone {
    let alone = alone();
    control::configure(under_watch(Config::new().on_device(true))).unwrap();
    alone
}

#[track_caller]
fn assert_misaligned(error: &Error, expected: usize) {
    assert!(matches!(error, Error::Misaligned { past, alignment: 64 } if *past == expected), "{error}");
}

#[proves(COPY_09)]
#[test]
fn in_run_mode_device_lent_slices_begin_where_copies_on_the_device_may() {
    let alone = on_device();
    inside(|current| {
        let (from, mut to, mut other) = (Aligned([1.0; 17]), Aligned([0.0; 17]), Aligned([0.0; 17]));
        current
            .copy_scope(|current, copies| {
                let stream = current.stream().unwrap();
                let device = current.device_buffer(16).unwrap();
                let refused = copies.copy_to_device(current, &stream, &from.0[1..], device).unwrap_err();
                assert_misaligned(&refused.error, 4);
                let device = copies.copy_to_device(current, &stream, &from.0[..16], refused.value).unwrap();
                let refused = copies.copy_to_host(current, &stream, device, &mut other.0[1..]).unwrap_err();
                assert_misaligned(&refused.error, 4);
                let device = refused.value.wait(current).unwrap();
                assert_eq!(device.to_vec(current).unwrap(), [1.0; 16]);
            })
            .unwrap();
        current
            .copy_scope(|current, copies| {
                let stream = current.stream().unwrap();
                let device = current.upload(&[2.0; 16]).unwrap();
                drop(copies.copy_to_host(current, &stream, device, &mut to.0[..16]).unwrap());
            })
            .unwrap();
        assert_eq!(to.0[..16], [2.0; 16]);
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_09)]
#[test]
fn in_run_mode_device_a_vectors_memory_is_copied_only_if_it_begins_where_copies_on_the_device_may() {
    let alone = on_device();
    inside(|current| {
        let stream = current.stream().unwrap();
        // Many small vectors: some of them begin elsewhere.
        let vectors: Vec<Vec<u64>> = (0..16).map(|value| vec![value; 2]).collect();
        let mut refusals = 0;
        for vector in vectors {
            let past = vector.as_ptr().addr() % 64;
            let (value, pageable) = (vector[0], current.pageable_buffer(vector));
            let device = current.device_buffer(2).unwrap();
            match stream.copy_to_device(current, pageable, device) {
                Ok(copied) => {
                    assert_eq!(past, 0);
                    copied.wait(current).unwrap();
                }
                Err(refused) => {
                    assert_misaligned(&refused.error, past);
                    assert_eq!(*refused.value.0, [value; 2], "the buffer is as it was");
                    let device = current.upload(&[7_u64; 2]).unwrap();
                    let refused = stream.copy_to_host(current, device, refused.value.0).unwrap_err();
                    assert_misaligned(&refused.error, past);
                    assert_eq!(refused.value.1.into_vec(current).unwrap(), [value; 2]);
                    refusals += 1;
                }
            }
        }
        assert!(refusals > 0);
    });
    alone.assert_nothing_lives();
}

/// A part of a buffer is judged by where it is in memory, whatever kind of buffer it is a part of.
#[proves(COPY_09)]
#[test]
fn in_run_mode_device_parts_of_host_buffers_begin_where_copies_on_the_device_may() {
    let alone = on_device();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (host, device) = (current.host_buffer::<f32>(32).unwrap(), current.upload(&[3.0_f32; 32]).unwrap());
        let refused = stream.copy_part_to_device(current, host, 1..17, device, 0).unwrap_err();
        assert_misaligned(&refused.error, 4);
        let (host, device) = refused.value;
        let refused = stream.copy_part_to_host(current, device, 0..16, host, 2).unwrap_err();
        assert_misaligned(&refused.error, 8);
        let (device, host) = refused.value;
        let (_, host) = stream.copy_part_to_host(current, device, 16..32, host, 16).unwrap().wait(current).unwrap();
        assert_eq!((host[15], host[16]), (0.0, 3.0));
    });
    alone.assert_nothing_lives();
}

/// On a host the same copies are between host and device, which begin anywhere.
#[test]
fn in_run_mode_host_slices_and_vectors_are_copied_wherever_they_begin() {
    let alone = alone();
    inside(|current| {
        let (from, mut to) = (Aligned([5.0; 17]), Aligned([0.0; 17]));
        current
            .copy_scope(|current, copies| {
                let stream = current.stream().unwrap();
                let device = current.device_buffer(16).unwrap();
                let device = copies.copy_to_device(current, &stream, &from.0[1..], device).unwrap();
                drop(copies.copy_to_host(current, &stream, device, &mut to.0[1..]).unwrap());
            })
            .unwrap();
        assert_eq!(to.0[1..], [5.0; 16]);
    });
    alone.assert_nothing_lives();
}

/// A library whose pinned memory begins one byte after a multiple of 16, and the calls that tell what is out and that
/// make it refuse to free once.
struct Crooked {
    acl: Acl,
    out: unsafe extern "C" fn() -> c_int,
    refuse: unsafe extern "C" fn(),
}

impl Crooked {
    fn load(name: &str) -> Self {
        let honest = "aclError aclrtMallocHost(void **start, size_t size) { *start = malloc(size); return 0; }\n\
                      aclError aclrtFreeHost(void *start) { free(start); return 0; }\n";
        let crooked = "static int out, refusals;\n\
                       int crooked_out(void) { return out; }\n\
                       void crooked_refuse(void) { refusals = 1; }\n\
                       aclError aclrtMallocHost(void **start, size_t size) {\n\
                           *start = (char *)malloc(size + 1) + 1; out++; return 0;\n\
                       }\n\
                       aclError aclrtFreeHost(void *start) {\n\
                           if (refusals) { refusals--; return 507899; }\n\
                           free((char *)start - 1); out--; return 0;\n\
                       }\n";
        let source = include_str!("../null/library.c").replace(honest, crooked);
        assert!(source.contains(crooked));
        let path = c_library(name, &source);
        // SAFETY: the library has no initialisers, and the functions have these signatures.
        let (out, refuse) = unsafe {
            let library = Box::leak(Box::new(libloading::Library::new(&path).unwrap()));
            (*library.get("crooked_out").unwrap(), *library.get("crooked_refuse").unwrap())
        };
        Self { acl: Acl::init(library_at(path)).unwrap(), out, refuse }
    }
}

/// The library says success and gives no address, as for memory that it counts as there but has not got.
#[proves(MEM_05)]
#[test]
fn memory_without_an_address_is_an_error_and_is_not_freed() {
    let answers_null = include_str!("../null/library.c")
        .replace("*start = block + 1;", "*start = 0;")
        .replace("if (block && !spare) spare = block; else free(block);", "(void)block; abort();")
        .replace("{ *start = malloc(size); return 0; }", "{ (void)size; *start = 0; return 0; }")
        .replace("{ free(start); return 0; }", "{ (void)start; abort(); }");
    assert_eq!((answers_null.matches("*start = 0").count(), answers_null.matches("abort()").count()), (2, 2));
    let _others = books();
    let acl = Acl::init(library_at(c_library("answers-null", &answers_null))).unwrap();
    with_device(acl, |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            let refused = current.device_buffer::<u8>(8).unwrap_err();
            assert!(matches!(refused, Error::NullAnswer { call } if call == "aclrtMalloc"), "{refused}");
            let refused = current.host_buffer::<u8>(8).unwrap_err();
            assert!(matches!(refused, Error::NullAnswer { call } if call == "aclrtMallocHost"), "{refused}");
        };
        device.with_current(thread, program).unwrap();
    });
}

#[test]
fn host_memory_that_is_not_aligned_for_every_element_is_an_error_and_goes_back_at_once() {
    let _others = books();
    let Crooked { acl, out, .. } = Crooked::load("crooked");
    // SAFETY: it takes nothing.
    let out = || unsafe { out() };
    with_device(acl, |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            let error = current.host_buffer::<u8>(8).unwrap_err();
            assert_eq!(
                error.to_string(),
                "aclrtMallocHost succeeded, but the address of the memory is not a multiple of 8"
            );
            assert_eq!(out(), 0);
        };
        device.with_current(thread, program).unwrap();
    });
}

#[test]
fn host_memory_that_is_not_aligned_and_cannot_be_given_back_stays_with_its_scope() {
    let _others = books();
    let Crooked { acl, out, refuse } = Crooked::load("crooked-and-refusing");
    // SAFETY: it takes nothing.
    let out = || unsafe { out() };
    with_device(acl, |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            // SAFETY: it takes nothing.
            unsafe { refuse() };
            assert!(matches!(current.host_buffer::<f64>(8).unwrap_err(), Error::MisalignedAnswer { alignment: 8, .. }));
            assert_eq!(out(), 1);
        };
        device.with_current(thread, program).unwrap();
        assert_eq!(out(), 0);
    });
}

#[test]
fn only_buffers_without_elements_are_empty() {
    let alone = alone();
    inside(|current| {
        let (none, one) = (current.upload::<u8>(&[]).unwrap(), current.upload(&[1_u8]).unwrap());
        assert!(none.is_empty() && !one.is_empty());
        let (none, one) = (current.pageable_buffer(Vec::<u8>::new()), current.pageable_buffer(vec![1_u8]));
        assert!(none.is_empty() && !one.is_empty());
    });
    alone.assert_nothing_lives();
}

/// There, memory for the host is memory of the device, and that is what there was no room for.
#[proves(MEM_04)]
#[test]
fn in_run_mode_device_an_error_names_the_memory_that_was_asked_for() {
    let alone = on_device();
    inside(|current| {
        fail("aclrtMalloc=207001, aclrtMallocHost=207001");
        let (device, host) = (current.device_buffer::<u8>(64).map(drop), current.host_buffer::<u8>(64).map(drop));
        nothing_fails();
        assert!(device.unwrap_err().to_string().contains("device memory"));
        host.unwrap_err();
    });
    alone.assert_nothing_lives();
}
