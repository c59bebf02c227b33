//! The Rust side of the tables of the chapters for who comes from elsewhere: each piece of code in a last column stands
//! in a program of this file, which runs. So a method with another name turns this file red.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use ascendcl::allocator::{Descriptor, PoolAllocator};
use ascendcl::capture::CaptureMode;
use ascendcl::model::{Load, ModelSource};
use ascendcl::{
    Acl, Brand, Current, DeviceAllocator, DeviceBuffer, ElementType, Error, Input, Library, Pending, Runtime, Stream,
    Thread, operator,
};
use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::{NonNull, null_mut};
use std::collections::BTreeSet;

type Any = Result<(), Box<dyn std::error::Error>>;

ascendcl::names!(Vision);

const MODEL: &str = "../examples/data/digits.onnx";

#[test]
#[allow(clippy::redundant_closure, reason = "a generic function itself is of one context, and a closure of each")]
fn library_device_context() -> Any {
    let library = Library::Simulator;
    let acl = Acl::init(library)?;
    let mut thread = Thread::new()?;
    assert!(acl.device_count()? > 0);
    let device_id = 0;
    let device = acl.device(&mut thread, device_id)?;
    device.reset(&mut thread)?;
    let device = acl.device(&mut thread, 0)?;
    assert_eq!(acl.run_mode()?, ascendcl::RunMode::Host);
    let ran = device.context(&mut thread, |context, thread| context.enter(thread, |current| streams(current)));
    ran.map_err(|error| error.to_string())???;
    let ran = device.default_context(&mut thread, |context, thread| context.enter(thread, |current| waits(current)));
    ran.map_err(|error| error.to_string())???;
    let ran = device.with_current(&mut thread, |current| models(current));
    ran.map_err(|error| error.to_string())??;
    let ran = device.with_current(&mut thread, |current| allocators(current));
    ran.map_err(|error| error.to_string())??;
    device.reset(&mut thread)?;
    acl.close()?;
    Ok(())
}

#[test]
fn a_context_of_a_value() -> Any {
    let runtime: Runtime<Vision> = Runtime::open(Library::Simulator)?;
    runtime.with(|current| memory(current))??;
    runtime.close()?;
    Ok(())
}

/// A program on the vendor's machines. There is none here, so this one is compiled only.
#[allow(dead_code, reason = "see above")]
fn on_the_device() -> Any {
    drop((Acl::init(Library::Vendor)?, Runtime::<Vision>::open(Library::Vendor)?));
    drop(Acl::init_with(Library::Vendor, Some("acl.json".as_ref()))?);
    Ok(())
}

fn streams<C: Brand>(current: &Current<C>) -> Result<(), Error> {
    let (stream, other, default) = (current.stream()?, current.stream()?, current.default_stream());
    let start = stream.record(current, current.event()?)?;
    let event = current.event()?;
    let work = stream.set_bytes(current, current.device_buffer::<u8>(4)?, 7)?;
    let event = stream.record(current, event)?;
    other.wait_for(current, &event)?;
    let pending = other.adopt_after(current, work, &event)?;
    assert_eq!(pending.wait(current)?.to_vec(current)?, [7; 4]);
    let end = stream.record(current, current.event()?)?;
    stream.synchronize(current)?;
    assert!(end.milliseconds_since(current, &start)? >= 0.0);
    let f = || 42;
    assert_eq!(stream.launch_host_fn(current, f)?.wait(current)?.into_result()?, 42);
    default.synchronize(current)?;
    stream.destroy(current)?;
    Ok(())
}

fn waits<C: Brand>(current: &Current<C>) -> Result<(), Error> {
    let (stream, event) = (current.stream()?, current.event()?);
    let work = stream.set_bytes(current, current.device_buffer::<u8>(4)?, 7)?;
    let event = stream.record(current, event)?;
    let stream = current.stream()?;
    stream.wait_for(current, &event)?;
    stream.adopt_after(current, work, &event)?.wait(current)?;
    Ok(())
}

fn memory<C: Brand>(current: &Current<C>) -> Result<(), Error> {
    let (stream, count, n, mut slice) = (current.stream()?, 3, 3, [1.0_f32, 2.0, 3.0]);
    let buffer: DeviceBuffer<C, MaybeUninit<f32>> = current.device_buffer::<f32>(count)?;
    let buffer = buffer.write(current, &slice)?;
    assert_eq!(buffer.to_vec(current)?, slice);
    buffer.copy_to(current, &mut slice)?;
    let (src, dst) = (current.host_buffer::<f32>(count)?, current.device_buffer::<f32>(n)?);
    let pending: Pending<C, _> = stream.copy_to_device(current, src, dst)?;
    let (host, device) = pending.wait(current)?;
    let (device, copy) = stream.copy_on_device(current, device, current.device_buffer::<f32>(n)?)?.wait(current)?;
    stream.copy_to_host(current, copy, current.host_buffer::<f32>(n)?)?.wait(current)?;
    let zeros = current.device_buffer::<f32>(n)?.zero(current)?;
    assert_eq!(zeros.to_vec(current)?, [0.0; 3]);
    drop((host, device));
    let buffer = current.device_buffer::<f32>(n)?;
    let buffer = buffer.zero(current)?;
    let shared = buffer.into_shared();
    assert_eq!(shared.slice(2..)?.to_vec(current)?, [0.0]);
    let buffer = shared.try_unshare(current)?;
    buffer.free(current)?;
    let (bytes, length) = (1 << 10, 4);
    let mut arena = current.device_arena(bytes)?;
    let parts: [DeviceBuffer<C, MaybeUninit<u8>>; 2] = [arena.take(length)?, arena.take(length)?];
    drop(parts);
    current.upload(&slice)?.free(current)?;
    Ok(())
}

fn models<C: Brand>(current: &mut Current<C>) -> Result<(), Error> {
    let path = MODEL;
    let mut model = current.load_model(path)?;
    assert_eq!((model.inputs().len(), model.outputs().len()), (1, 1));
    let bytes = [0_u8; 256];
    let inputs = [Input::from_bytes(&[1, 64], ElementType::F32, &bytes)?];
    assert_eq!(model.run(current, &inputs)?.get(0)?.shape(), [1, 10]);
    let (shapes_in, shapes_out): ([&[usize]; 1], [&[usize]; 1]) = ([&[1, 64]], [&[1, 10]]);
    let bound = model.bind(current, &shapes_in, &shapes_out)?;
    let stream = current.stream()?.without_allocator();
    let bound = stream.execute(current, bound)?.wait(current)?;
    let model = bound.into_model(current)?;
    model.unload(current)?;
    // The size of a model is known where its shapes are.
    let source = ModelSource::file("../examples/data/digits-8.onnx");
    let weights = current.weights(source)?;
    let workspace = current.workspace(current.model_size(source)?.workspace)?;
    let model = current.load(Load::builder().source(source).weights(&weights).workspace(workspace).build())?;
    let i = 0;
    assert_eq!(model.inputs()[i].bytes(), Some(8 * 64 * 4));
    Ok(())
}

fn allocators<C: Brand>(current: &mut Current<C>) -> Result<(), Error> {
    let stream = current.stream()?;
    let stream = stream.register(current, PoolAllocator::new(current, 64 << 10)?)?;
    let x = current.upload_tensor(&[1], &[-1.0_f32])?;
    drop(stream.launch(current, operator::relu(current, x)?)?.wait(current)?);
    let (stream, pool) = stream.unregister(current)?;
    let stream = register(current, stream, pool)?;
    let mut stream = descriptor(current, stream)?.without_allocator();
    let operands = current.device_buffer::<u8>(4)?.zero(current)?;
    let mode = CaptureMode::Relaxed;
    let graph = stream.capture(current, mode, operands, |capture, names| {
        let mut bytes = names;
        capture.set_bytes(&mut bytes, 7)
    })?;
    drop(stream.replay(current, graph)?.wait(current)?);
    let (library, buffer) = (current.library().as_raw(), current.device_buffer::<u8>(4)?.zero(current)?);
    // SAFETY: the function queues one set on this stream, and writes the 4 bytes of the operand.
    let work = unsafe {
        stream.submit(current, "aclrtMemsetAsync", buffer, |stream, buffer| {
            let stream = ascendcl_sys::types::aclrtStream(stream);
            library.aclrtMemsetAsync(buffer.start, 4, 9, 4, stream)
        })
    };
    assert_eq!(work?.wait(current)?.to_vec(current)?, [9; 4]);
    Ok(())
}

fn register<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    stream: Stream<C>,
    allocator: A,
) -> Result<Stream<C>, Error> {
    let stream = stream.register(current, allocator)?;
    Ok(stream.unregister(current)?.0)
}

unsafe extern "C" fn allocate(_pool: *mut c_void, _bytes: usize) -> *mut c_void {
    null_mut() // this pool is always empty
}

unsafe extern "C" fn free(_pool: *mut c_void, _block: *mut c_void) {}

unsafe extern "C" fn address(block: *mut c_void) -> *mut c_void {
    block
}

fn descriptor<C: Brand>(current: &Current<C>, stream: Stream<C>) -> Result<Stream<C>, Error> {
    let begun = Descriptor::new().object(NonNull::<u8>::dangling().cast());
    let descriptor = begun.allocate(allocate).free(free).address(address);
    // SAFETY: the functions use nothing, and can be called on any thread.
    let stream = unsafe { stream.register_descriptor(current, descriptor) }?;
    Ok(stream.unregister(current)?.0)
}

/// The code in the last column of a page's tables.
fn spans(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter(|line| line.starts_with('|') && !line.starts_with("| ---"));
    let cells = rows
        .filter_map(|row| row.replace("\\|", "¦").trim_end_matches([' ', '|']).rsplit('|').next().map(str::to_owned));
    let code = |cell: String| cell.split('`').skip(1).step_by(2).map(|code| code.replace('¦', "|")).collect::<Vec<_>>();
    cells.flat_map(code).collect()
}

#[test]
fn the_code_of_the_tables_is_compiled() {
    let without_spaces = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let programs = include_str!("tables.rs").split("/// The code in the last column").next().unwrap();
    let programs = without_spaces(programs);
    let stands = |span: &str| {
        // An ellipsis stands for what the reader knows.
        let parts: Vec<_> = span.split('…').map(without_spaces).collect();
        programs.match_indices(&parts[0]).any(|(start, _)| {
            let mut rest = &programs[start..programs.len().min(start + 300)];
            parts.iter().all(|part| rest.split_once(part.as_str()).map(|(_, after)| rest = after).is_some())
        })
    };
    for name in ["from-cpp.md", "from-cuda.md", "seeds.md"] {
        let page = std::fs::read_to_string(ascendcl_book::repository().join("book/pages").join(name)).unwrap();
        let spans = spans(&page);
        assert!(spans.len() >= 4, "{name}: {spans:?}");
        let missing: Vec<_> = spans.iter().filter(|span| !stands(span.trim_end_matches(';'))).collect();
        assert!(missing.is_empty(), "book/pages/{name}: no program of book/tests/tables.rs has {missing:#?}");
    }
}

/// The C function of a name of pyACL, as the page says that the two go together.
fn c_function(python: &str) -> String {
    let words = python.split('(').next().unwrap().replace('.', "_");
    let mut name = String::new();
    for (place, word) in words.split('_').enumerate() {
        let is_group = place == 1 && ["rt", "mdl", "op"].contains(&word) || place == 0;
        let (first, rest) = word.split_at(1);
        name += &if is_group { word.to_owned() } else { first.to_uppercase() + rest };
    }
    name
}

#[test]
fn the_names_of_pyacl_are_those_of_the_c_functions_beside_them() {
    let page = std::fs::read_to_string(ascendcl_book::repository().join("book/pages/from-cpp.md")).unwrap();
    let mut compared = 0;
    for row in page.lines().filter(|line| line.starts_with("| `acl")) {
        let cells: Vec<_> = row.split('|').collect();
        for python in cells[2].split('`').filter(|code| code.starts_with("acl.")) {
            let c = c_function(python);
            let c = if c == "aclrtSetContext" { "aclrtSetCurrentContext".to_owned() } else { c };
            assert!(cells[1].contains(&c), "{python} is {c}, which is not in {row}");
            compared += 1;
        }
    }
    assert!(compared >= 25, "{compared}");
}
