//! What calls say of the size of memory, and what is in it.

use crate::support::*;

#[test]
fn a_destination_that_is_shorter_than_the_call_says_is_found_even_if_the_copy_fits() {
    for queued in [false, true] {
        breaks_without(rules::COPY_01, |true_size| {
            let (block, pinned, stream) = (malloc(100), malloc_host(64), stream());
            let room = if true_size { 92 } else { 93 };
            let to = block.wrapping_byte_add(8);
            match queued {
                true => ok!(aclrtMemcpyAsync(to, room, pinned, 16, TO_DEVICE, stream)),
                false => ok!(aclrtMemcpy(to, room, pinned, 16, TO_DEVICE)),
            }
            sync(stream);
        });
        breaks_without(rules::COPY_01, |true_size| {
            let (pinned, stream) = (malloc_host(100), stream());
            let room = if true_size { 100 } else { 128 };
            match queued {
                true => ok!(aclrtMemsetAsync(pinned, room, 0, 16, stream)),
                false => ok!(aclrtMemset(pinned, room, 0, 16)),
            }
            sync(stream);
        });
    }
}

/// The library gives more memory than it is asked for, by 32 bytes at least: a copy of these succeeds, and is found.
#[test]
fn a_source_that_is_shorter_than_the_copy_is_found() {
    let on_device = |bytes: usize| {
        let block = malloc(bytes);
        ok!(aclrtMemset(block, bytes, 1, bytes));
        (block, ON_DEVICE)
    };
    let pinned = |bytes: usize| (malloc_host(bytes), TO_DEVICE);
    for source in [on_device, pinned] {
        for (queued, count) in
            [false, true].into_iter().flat_map(|queued| [(queued, 101), (queued, 128), (queued, 1024)])
        {
            breaks_without(rules::COPY_01, |in_bounds| {
                let ((block, kind), target, stream) = (source(100), malloc(4096), stream());
                let count = if in_bounds { 100 } else { count };
                let code = match queued {
                    true => acl!(aclrtMemcpyAsync(target, 4096, block, count, kind, stream)),
                    false => acl!(aclrtMemcpy(target, 4096, block, count, kind)),
                };
                assert_eq!(code == 0, count <= 128);
                sync(stream);
            });
        }
    }
}

/// Four rows of 24 bytes, whose starts are 32 bytes apart: 120 bytes.
#[test]
fn rows_that_are_not_all_in_their_memory_are_found() {
    for (short, queued) in [[1, 0], [0, 1]].into_iter().flat_map(|short| [(short, false), (short, true)]) {
        breaks_without(rules::COPY_01, |in_bounds| {
            let [to, from] = short.map(|less| malloc(if in_bounds { 120 } else { 120 - less }));
            let (pinned, stream) = (malloc_host(120), stream());
            ok!(aclrtMemset(from, 119, 1, 119));
            let (dst, src, kind) = if short[0] > 0 { (to, pinned, TO_DEVICE) } else { (pinned, from, TO_HOST) };
            match queued {
                true => ok!(aclrtMemcpy2dAsync(dst, 32, src, 32, 24, 4, kind, stream)),
                false => ok!(aclrtMemcpy2d(dst, 32, src, 32, 24, 4, kind)),
            }
            sync(stream);
        });
    }
}

/// Four rows of 8 bytes, whose starts are 32 bytes apart, in memory that was asked for three of them: the last row begins in
/// bytes that the library gives beyond that.
#[test]
fn a_last_row_that_begins_behind_the_memory_is_too_long_and_not_in_the_wrong_place() {
    for (writes, queued) in [(true, false), (true, true), (false, false), (false, true)] {
        breaks_without(rules::COPY_01, |in_bounds| {
            let (block, pinned, stream) = (malloc(if in_bounds { 104 } else { 96 }), malloc_host(128), stream());
            ok!(aclrtMemset(block, 96, 1, 96));
            let (dst, src, kind) = if writes { (block, pinned, TO_DEVICE) } else { (pinned, block, TO_HOST) };
            match queued {
                true => ok!(aclrtMemcpy2dAsync(dst, 32, src, 32, 8, 4, kind, stream)),
                false => ok!(aclrtMemcpy2d(dst, 32, src, 32, 8, 4, kind)),
            }
            sync(stream);
        });
    }
}

/// The library gives more memory than it is asked for, so these runs succeed.
#[test]
fn a_data_buffer_that_ends_behind_what_was_allocated_is_found() {
    for (reads, queued) in [(true, false), (true, true), (false, false), (false, true)] {
        breaks_without(rules::DATA_08, |is_enough| {
            let (file, mut id) = (files::sum("64", None), 0);
            ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
            let [short, other] = [if is_enough { 1024 } else { 1008 }, 1024].map(|size| {
                let (memory, dataset) = (malloc(size), acl!(aclmdlCreateDataset()));
                ok!(aclrtMemset(memory, size, 0, size));
                ok!(aclmdlAddDatasetBuffer(dataset, acl!(aclCreateDataBuffer(memory, 1024))));
                dataset
            });
            let (input, output) = if reads { (short, other) } else { (other, short) };
            if queued {
                let stream = stream();
                ok!(aclmdlExecuteAsync(id, input, output, stream));
                sync(stream);
            } else {
                ok!(aclmdlExecute(id, input, output));
            }
        });
    }
}

#[test]
fn copying_to_the_host_what_nobody_has_written_is_found() {
    for queued in [false, true] {
        breaks_without(rules::MEM_07, |written| {
            let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
            if written {
                ok!(aclrtMemsetAsync(block, 64, 0xa5, 1, stream));
            }
            match queued {
                true => queue_copy(pinned, block, TO_HOST, stream),
                false => {
                    sync(stream);
                    ok!(aclrtMemcpy(pinned, 64, block, 64, TO_HOST));
                }
            }
            sync(stream);
        });
    }
    // A stand-in for a kernel writes without the library.
    let stand_in = || {
        let (block, pinned) = (malloc(64), malloc_host(64));
        // SAFETY: the block has 64 bytes, and no call works on it.
        unsafe { block.cast::<u8>().write(1) };
        ok!(aclrtMemcpy(pinned, 64, block, 64, TO_HOST));
    };
    assert_eq!(broken(stand_in), []);
    // So may a host function, when the stream comes to it.
    unsafe extern "C" fn nothing(_: *mut std::ffi::c_void) {}
    let queued = || {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        ok!(aclrtLaunchHostFunc(stream, Some(nothing), std::ptr::null_mut()));
        queue_copy(pinned, block, TO_HOST, stream);
        sync(stream);
    };
    assert_eq!(broken(queued), []);
}
