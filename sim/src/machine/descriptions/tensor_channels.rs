//! Channels of tensors between a program and a device. No graph takes from them here: what is sent on a channel is received
//! from the channel of the same name on the same device, in order.

use crate::abi::{Address, Block, Name};
use crate::failure::{Answer, Failure};
use crate::locks::{expired, lock, wait};
use crate::machine::handles::Table;
use crate::machine::live::Live;
use crate::machine::memory::{Place, describe};
use crate::machine::watch;
use ascendcl_rules::{ERR_09, Object};
use ascendcl_sys::error_codes::{ACL_ERROR_FEATURE_UNSUPPORTED, ACL_ERROR_RT_QUEUE_EMPTY, ACL_ERROR_RT_QUEUE_FULL};
use ascendcl_sys::types::*;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::CString;
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Instant;

/// A tensor, in memory of the caller's or of its own.
#[derive(Clone)]
pub(crate) struct Item {
    pub(crate) kind: acltdtTensorType,
    pub(crate) dims: Vec<i64>,
    pub(crate) data_type: aclDataType,
    pub(crate) data: Address,
    pub(crate) size: usize,
    _own: Option<Arc<Block>>,
}

/// Tensors that are sent or were received together.
#[derive(Default)]
struct Dataset {
    items: Vec<usize>,
    /// The items were received, and go with the dataset.
    received: bool,
    name: CString,
    /// Where the tensors are, as far as one has data.
    memory: Option<Memory>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Host,
    Device,
}

struct Channel {
    name: CString,
    /// `None` for no limit.
    capacity: Option<usize>,
    state: Mutex<State>,
    moved: Condvar,
}

/// What a program has of a channel.
struct Handle {
    channel: Arc<Channel>,
    /// It was created with a capacity, which makes it a queue. One without can be waited for without a limit alone.
    is_queue: bool,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Vec<Item>>,
    /// How many threads wait for a place or for a tensor.
    blocked: usize,
    stopped: bool,
}

static ITEMS: Table<Item> = Table::new();
static DATASETS: Table<Mutex<Dataset>> = Table::new();
static CHANNELS: Table<Handle> = Table::new();
static NAMES: Mutex<BTreeMap<(u32, CString), Weak<Channel>>> = Mutex::new(BTreeMap::new());

impl Item {
    pub(crate) fn new(
        kind: acltdtTensorType,
        dims: Vec<i64>,
        data_type: aclDataType,
        data: Address,
        size: usize,
    ) -> Self {
        Self { kind, dims, data_type, data, size, _own: None }
    }

    /// Where its data is.
    fn memory(&self) -> Option<Memory> {
        let of_device = || describe(self.data).is_some_and(|found| matches!(found.place, Place::Device(_)));
        (!self.data.is_null()).then(|| if of_device() { Memory::Device } else { Memory::Host })
    }

    /// The same tensor in memory of its own; `None` when the machine has none left.
    fn copied(&self) -> Option<Self> {
        const ALIGNMENT: usize = 64;
        let own = Block::new(self.size, ALIGNMENT)?;
        crate::abi::copy(own.address(), self.data, self.size);
        Some(Self { data: own.address(), _own: Some(Arc::new(own)), ..self.clone() })
    }
}

pub(crate) fn create_item(item: Item) -> Name<acltdtDataItem> {
    described(ITEMS.add(item))
}

pub(crate) fn destroy_item(name: Name<acltdtDataItem>) -> Answer {
    ITEMS.remove(name.0).map(drop).ok_or_else(|| unknown("data item", name.0))?;
    watch::is_described_no_more(name.0);
    Ok(())
}

pub(crate) fn read_item(name: Name<acltdtDataItem>) -> Answer<Arc<Item>> {
    ITEMS.get(name.0).ok_or_else(|| unknown("data item", name.0))
}

pub(crate) fn create_dataset() -> Name<acltdtDataset> {
    described(DATASETS.add(Mutex::default()))
}

/// The items that the program added stay; those that were received go.
pub(crate) fn destroy_dataset(name: Name<acltdtDataset>) -> Answer {
    let dataset = DATASETS.remove(name.0).ok_or_else(|| unknown("dataset of tensors", name.0))?;
    lock(&dataset).forget_received();
    watch::is_described_no_more(name.0);
    Ok(())
}

pub(crate) fn add_item(dataset: Name<acltdtDataset>, item: Name<acltdtDataItem>) -> Answer {
    with_dataset(dataset, |_| ())?;
    let memory = read_item(item)?.memory();
    with_dataset(dataset, |dataset| {
        if dataset.received {
            let text = "the dataset holds tensors that were received, and takes no others";
            return Err(Failure::new(ACL_ERROR_FEATURE_UNSUPPORTED, text));
        }
        if dataset.memory.is_some() && memory.is_some() && dataset.memory != memory {
            return Err(Failure::invalid("tensors of the host and of the device are in one dataset"));
        }
        dataset.memory = dataset.memory.or(memory);
        dataset.items.push(item.0);
        Ok(())
    })?
}

pub(crate) fn item_at(dataset: Name<acltdtDataset>, index: usize) -> Answer<Name<acltdtDataItem>> {
    let found = with_dataset(dataset, |dataset| dataset.items.get(index).map(|number| Name::new(*number)))?;
    found.ok_or_else(|| Failure::invalid(format!("the dataset has no item {index}")))
}

pub(crate) fn count_items(dataset: Name<acltdtDataset>) -> Answer<usize> {
    with_dataset(dataset, |dataset| dataset.items.len())
}

/// Hands the name of the channel that the dataset was received from to `tell`.
pub(crate) fn with_name<R>(dataset: Name<acltdtDataset>, tell: impl FnOnce(&CString) -> R) -> Answer<R> {
    with_dataset(dataset, |dataset| tell(&dataset.name))
}

/// `capacity`: of a queue; `None` for a channel that is none.
pub(crate) fn create_channel(device: u32, name: CString, capacity: Option<usize>) -> Name<acltdtChannelHandle> {
    let mut names = lock(&NAMES);
    names.retain(|_, channel| channel.strong_count() > 0);
    let known = names.get(&(device, name.clone())).and_then(Weak::upgrade);
    let channel = known.unwrap_or_else(|| {
        let (state, moved) = Default::default();
        let channel = Arc::new(Channel { name: name.clone(), capacity, state, moved });
        names.insert((device, name), Arc::downgrade(&channel));
        channel
    });
    described(CHANNELS.add(Handle { channel, is_queue: capacity.is_some() }))
}

fn described<C>(number: usize) -> Name<C> {
    watch::is_described(number);
    Name::new(number)
}

pub(crate) fn destroy_channel(name: Name<acltdtChannelHandle>) -> Answer {
    let channel = find_channel(name)?;
    let blocked = Some(lock(&channel.state)).filter(|state| !state.stopped).map_or(0, |state| state.blocked);
    if blocked > 0 {
        watch::mistaken(|| {
            let failure = Failure::invalid(format!("the channel is destroyed, and {blocked} threads wait on it"));
            let fix = if is_queue(name) {
                "give the waits a limit, join the threads, and destroy the channel then: nothing else stops a queue"
            } else {
                "call acltdtStopChannel first, join the threads, and destroy the channel then"
            };
            failure.breaks(ERR_09, "a channel that was stopped", fix).about(Object::description(name.0 as u64))
        })?;
    }
    // Held until the channel has stopped: one that is created under its name meanwhile would be it, and stop.
    let mut names = lock(&NAMES);
    // Of two threads that destroy it, one finds it destroyed.
    drop(CHANNELS.remove(name.0).ok_or_else(|| unknown("channel", name.0))?);
    watch::is_described_no_more(name.0);
    let other = CHANNELS.select(|other| Arc::ptr_eq(&other.channel, &channel));
    if other.is_empty() {
        // Nobody sends any more. A channel that gets the name now is another one.
        names.retain(|_, known| !known.ptr_eq(&Arc::downgrade(&channel)));
        lock(&channel.state).stopped = true;
        drop(names);
        channel.moved.notify_all();
    }
    Ok(())
}

/// Waits on the channel end with a failure. A queue goes on, and so do the waits on it.
pub(crate) fn stop_channel(name: Name<acltdtChannelHandle>) -> Answer {
    let channel = find_channel(name)?;
    if is_queue(name) {
        return Ok(());
    }
    lock(&channel.state).stopped = true;
    channel.moved.notify_all();
    Ok(())
}

pub(crate) fn clean_channel(name: Name<acltdtChannelHandle>) -> Answer {
    let channel = find_queue(name)?;
    lock(&channel.state).waiting.clear();
    channel.moved.notify_all();
    Ok(())
}

pub(crate) fn waiting_in(name: Name<acltdtChannelHandle>) -> Answer<usize> {
    Ok(lock(&find_queue(name)?.state).waiting.len())
}

/// A channel with a capacity, which alone tells what waits in it (200006).
fn find_queue(name: Name<acltdtChannelHandle>) -> Answer<Arc<Channel>> {
    let channel = find_channel(name)?;
    if is_queue(name) {
        return Ok(channel);
    }
    Err(Failure::new(ACL_ERROR_FEATURE_UNSUPPORTED, "the channel was created without a capacity"))
}

/// Whether the channel was created with a capacity.
pub(crate) fn is_queue(name: Name<acltdtChannelHandle>) -> bool {
    CHANNELS.get(name.0).is_none_or(|handle| handle.is_queue)
}

/// How the names of channels without a capacity begin that receive.
const FOR_RECEIVING: &[u8] = b"TF_RECEIVE_";

/// Slices of tensors come from a device alone.
const SENT: [acltdtTensorType; 3] = [
    acltdtTensorType::ACL_TENSOR_DATA_TENSOR,
    acltdtTensorType::ACL_TENSOR_DATA_END_OF_SEQUENCE,
    acltdtTensorType::ACL_TENSOR_DATA_ABNORMAL,
];

/// Copies the tensors; the program's memory is free again when this returns.
pub(crate) fn send(name: Name<acltdtChannelHandle>, dataset: Name<acltdtDataset>, deadline: Option<Instant>) -> Answer {
    let channel = find_channel(name)?;
    let numbers = with_dataset(dataset, |dataset| dataset.items.clone())?;
    let items = numbers.into_iter().map(|number| {
        let item = read_item(Name::new(number))?;
        if !SENT.contains(&item.kind) {
            return Err(Failure::invalid(format!("tensors of the kind {} are not sent", item.kind.0)));
        }
        if item.data.is_null() && item.size > 0 {
            return Err(Failure::invalid(format!("the data is null, and its size is {}", item.size)));
        }
        item.copied().ok_or_else(|| Failure::invalid(format!("there is no memory for {} bytes", item.size)))
    });
    let items = items.collect::<Answer<Vec<_>>>()?;
    let mut state = lock(&channel.state);
    while let Some(capacity) = channel.capacity.filter(|most| state.waiting.len() >= *most)
        && !state.stopped
    {
        if expired(deadline) {
            let text = format!("the channel is full: it has room for {capacity} datasets");
            return Err(Failure::new(ACL_ERROR_RT_QUEUE_FULL, text));
        }
        state.blocked += 1;
        state = wait(&channel.moved, state, deadline);
        state.blocked -= 1;
    }
    refuse_stopped(&state)?;
    state.waiting.push_back(items);
    channel.moved.notify_all();
    Ok(())
}

pub(crate) fn receive(
    name: Name<acltdtChannelHandle>,
    dataset: Name<acltdtDataset>,
    deadline: Option<Instant>,
) -> Answer {
    let channel = find_channel(name)?;
    with_dataset(dataset, |_| ())?;
    if !is_queue(name) && !channel.name.to_bytes().starts_with(FOR_RECEIVING) {
        return Err(Failure::invalid("a channel without a capacity receives if its name begins with `TF_RECEIVE_`"));
    }
    let given = with_dataset(dataset, |dataset| !dataset.received && !dataset.items.is_empty())?;
    if given {
        return Err(Failure::invalid("the dataset holds items of the program's: an empty one takes what is received"));
    }
    let mut state = lock(&channel.state);
    let items = loop {
        if let Some(items) = state.waiting.pop_front() {
            break items;
        }
        refuse_stopped(&state)?;
        if expired(deadline) {
            return Err(Failure::new(ACL_ERROR_RT_QUEUE_EMPTY, "nothing was sent on the channel in time"));
        }
        state.blocked += 1;
        state = wait(&channel.moved, state, deadline);
        state.blocked -= 1;
    };
    drop(state);
    channel.moved.notify_all();
    with_dataset(dataset, |dataset| {
        dataset.forget_received();
        dataset.items = items.into_iter().map(|item| ITEMS.add(item)).collect();
        dataset.received = true;
        dataset.name.clone_from(&channel.name);
    })
}

impl Dataset {
    fn forget_received(&mut self) {
        if self.received {
            self.items.drain(..).for_each(|number| drop(ITEMS.remove(number)));
        }
    }
}

fn refuse_stopped(state: &State) -> Answer {
    if state.stopped { Err(Failure::invalid("the channel was stopped")) } else { Ok(()) }
}

fn find_channel(name: Name<acltdtChannelHandle>) -> Answer<Arc<Channel>> {
    CHANNELS.get(name.0).map(|handle| Arc::clone(&handle.channel)).ok_or_else(|| unknown("channel", name.0))
}

fn with_dataset<R>(name: Name<acltdtDataset>, with: impl FnOnce(&mut Dataset) -> R) -> Answer<R> {
    let dataset = DATASETS.get(name.0).ok_or_else(|| unknown("dataset of tensors", name.0))?;
    Ok(with(&mut lock(&dataset)))
}

fn unknown(what: &str, number: usize) -> Failure {
    let failure = Failure::invalid(match number {
        0 => format!("the {what} is null"),
        _ => format!("this is no {what}, or it was destroyed"),
    });
    watch::no_description(number, failure)
}

pub(in crate::machine) fn count(live: &mut Live) {
    live.tensor_channel_objects = ITEMS.len() + DATASETS.len() + CHANNELS.len();
}

pub(in crate::machine) fn clear() {
    ITEMS.remove_all(|_| true);
    DATASETS.remove_all(|_| true);
    CHANNELS.remove_all(|_| true);
}
