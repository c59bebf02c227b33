//! Data that a model keeps in other files: brought into the model before anything else looks at it, and taken out of it
//! for the engine.

use super::ceiling::can_be_had;
use super::failure::LoadFailure;
use rten_onnx::onnx::{DataLocation, GraphProto, StringStringEntryProto, TensorProto};
use std::cell::RefCell;
use std::fmt::Display;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path};

/// An address that is a multiple of it is aligned for elements of each type.
const ALIGNED: usize = 8;

/// Reads the data of all constants of a graph that are in other files of this folder.
pub(super) fn bring(graph: &mut GraphProto, folder: Option<&Path>) -> Result<(), LoadFailure> {
    each_constant(graph, &mut |tensor| load(tensor, folder))
}

/// Takes the bytes of all constants out of a graph, each with the name of a file that the graph then says it is in.
///
/// The engine looks at the bytes of a constant as elements, where they are. Bytes that are in the model it copies to where
/// the program's allocator has room for bytes, and refuses the model if they are not aligned there. Bytes in other files it
/// gets as they are.
pub(super) fn take(graph: &mut GraphProto) -> Result<Vec<(String, Vec<u8>)>, LoadFailure> {
    let mut files = Vec::new();
    each_constant(graph, &mut |tensor| {
        if let Some(bytes) = tensor.raw_data.take().map(RefCell::into_inner) {
            let file = format!("{}.data", files.len());
            let length = bytes.len();
            let (offset, bytes) = aligned(bytes).ok_or_else(|| {
                let name = tensor.name.clone().unwrap_or_default();
                LoadFailure::port(&name, no_memory(length))
            })?;
            let entry =
                |key: &str, value: String| StringStringEntryProto { key: Some(key.to_owned()), value: Some(value) };
            tensor.data_location = Some(DataLocation::EXTERNAL);
            tensor.external_data = vec![
                entry("location", file.clone()),
                entry("offset", offset.to_string()),
                entry("length", length.to_string()),
            ];
            files.push((file, bytes));
        }
        Ok(())
    })?;
    Ok(files)
}

/// The bytes at an aligned address, and how far that is behind the first byte.
fn aligned(bytes: Vec<u8>) -> Option<(usize, Vec<u8>)> {
    if bytes.as_ptr().addr().is_multiple_of(ALIGNED) {
        return Some((0, bytes));
    }
    let mut moved = room(bytes.len().checked_add(ALIGNED)?)?;
    let start = moved.as_ptr().addr();
    let offset = start.next_multiple_of(ALIGNED) - start;
    moved.resize(offset, 0);
    moved.extend_from_slice(&bytes);
    Some((offset, moved))
}

/// Room for so many bytes, if there is memory for them.
fn room(bytes: usize) -> Option<Vec<u8>> {
    let mut room = Vec::new();
    (can_be_had(bytes) && room.try_reserve_exact(bytes).is_ok()).then_some(room)
}

/// Does this to the constants of a graph and of the graphs inside of its nodes.
fn each_constant(
    graph: &mut GraphProto,
    each: &mut dyn FnMut(&mut TensorProto) -> Result<(), LoadFailure>,
) -> Result<(), LoadFailure> {
    for tensor in &mut graph.initializer {
        each(tensor)?;
    }
    for attribute in graph.node.iter_mut().flat_map(|node| &mut node.attribute) {
        if let Some(tensor) = &mut attribute.t {
            each(tensor)?;
        }
        if let Some(inner) = &mut attribute.g {
            each_constant(inner, each)?;
        }
    }
    Ok(())
}

fn load(tensor: &mut TensorProto, folder: Option<&Path>) -> Result<(), LoadFailure> {
    if tensor.data_location != Some(DataLocation::EXTERNAL) {
        return Ok(());
    }
    let name = tensor.name.clone().unwrap_or_default();
    let bytes = read(tensor, folder).map_err(|why| LoadFailure::port(&name, why))?;
    tensor.raw_data = Some(RefCell::new(bytes));
    tensor.data_location = None;
    tensor.external_data.clear();
    Ok(())
}

fn read(tensor: &TensorProto, folder: Option<&Path>) -> Result<Vec<u8>, String> {
    let entry = |key: &str| {
        let mut entries = tensor.external_data.iter();
        entries.find(|entry| entry.key.as_deref() == Some(key)).and_then(|entry| entry.value.as_deref())
    };
    let number = |key: &str| match entry(key) {
        None => Ok(None),
        Some(text) => text.parse::<u64>().map(Some).map_err(|_| format!("`{key}` of its data is \"{text}\"")),
    };
    let location = entry("location").ok_or("its data are in another file, and the model does not say in which")?;
    let Some(folder) = folder else {
        return Err(format!(
            "its data are in the file `{location}`, and a model from memory has no folder to look in; load it from its file"
        ));
    };
    // A model says what is beside it, not what is anywhere on the machine.
    let inside = Path::new(location).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside {
        return Err(format!("its data are in the file `{location}`, which is not below the model's folder"));
    }
    let path = folder.join(location);
    let failed = |error: std::io::Error| format!("its data in the file `{}` cannot be read: {error}", path.display());
    // Opening a pipe would wait for who writes to it.
    let about = std::fs::metadata(&path).map_err(failed)?;
    if !about.is_file() {
        return Err(format!("its data are in `{}`, which is no ordinary file", path.display()));
    }
    let (mut file, whole) = (File::open(&path).map_err(failed)?, about.len());
    let offset = number("offset")?.unwrap_or(0);
    let rest = whole.saturating_sub(offset);
    let length = number("length")?.unwrap_or(rest);
    if offset > whole || length > rest {
        return Err(format!("its data are {length} bytes at {offset} of the file `{location}`, which has {whole}"));
    }
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut bytes = usize::try_from(length).ok().and_then(room).ok_or_else(|| no_memory(length))?;
    file.take(length).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn no_memory(length: impl Display) -> String {
    format!("there is no memory for its data, {length} bytes")
}
