//! The sizes of errors: clippy's `result_large_err` warns about functions that return larger ones.

#![allow(clippy::panic)]

use ascendcl::capture::CapturedGraph;
use ascendcl::model::InputMemory;
use ascendcl::operator::{AnyTensor, DeviceTensor, SharedAnyTensor, SharedTensor};
use ascendcl::raw::KeptMemory;
use ascendcl::runtime::CloseError;
use ascendcl::stream::{CustomAllocator, DefaultAllocator};
use ascendcl::{
    Acl, BoundModel, Device, DeviceBuffer, Error, Event, Failed, HostBuffer, Model, Pending, RunError, ScopeError,
    SharedBuffer, Stream, allocator::PoolAllocator,
};

ascendcl::names!(Vision);

/// What clippy takes for large, in bytes.
const LARGE: usize = 128;

type Floats = DeviceBuffer<Vision, f32>;
type Host = HostBuffer<Vision, f32>;
type Shared = SharedBuffer<Vision, f32>;

#[test]
fn errors_that_give_values_back_are_not_large() {
    macro_rules! sizes {
        ($($error:ty),* $(,)?) => { [$((stringify!($error), size_of::<$error>())),*] };
    }
    let sizes = sizes![
        Error,
        CloseError,
        RunError<Error>,
        ScopeError<Option<Vec<f32>>>,
        Failed<Acl>,
        Failed<Device<'static>>,
        Failed<Floats>,
        Failed<Host>,
        Failed<Shared>,
        Failed<DeviceTensor<Vision, f32>>,
        Failed<SharedTensor<Vision, f32>>,
        Failed<AnyTensor<Vision>>,
        Failed<SharedAnyTensor<Vision>>,
        Failed<KeptMemory>,
        Failed<InputMemory<Vision, f32>>,
        Failed<Event<Vision>>,
        Failed<Model<Vision>>,
        Failed<BoundModel<Vision>>,
        Failed<CapturedGraph<Vision, (Floats, Host)>>,
        Failed<Stream<Vision>>,
        Failed<(Stream<Vision>, PoolAllocator)>,
        Failed<(Stream<Vision, CustomAllocator<PoolAllocator>>, PoolAllocator)>,
        Failed<(Host, Floats)>,
        Failed<(Shared, Host)>,
        Failed<(BoundModel<Vision>, Floats)>,
        Failed<Pending<Vision, Floats>>,
        Failed<Pending<Vision, Shared>>,
        Failed<Pending<Vision, (Host, Floats)>>,
        Failed<Box<(Pending<Vision, Shared>, Pending<Vision, (Host, Floats)>)>>,
        Failed<Stream<Vision, DefaultAllocator>>,
    ];
    let large: Vec<_> = sizes.into_iter().filter(|(_, bytes)| *bytes >= LARGE).collect();
    assert!(large.is_empty(), "{large:?}");
}

#[test]
fn two_pieces_of_work_that_are_not_put_together_come_back_behind_one_pointer() {
    let refused = ascendcl::run(ascendcl::Library::Simulator, |current| {
        let streams = [current.stream()?, current.stream()?];
        let set = |at: &Stream<_>| at.set_bytes(current, current.device_buffer::<u8>(4)?, 1).map_err(Error::from);
        let failed = set(&streams[0])?.join(set(&streams[1])?).err();
        let (first, second) = failed.map(|failed| *failed.value).ok_or(Error::NotCovered)?;
        Ok::<_, Error>(first.wait(current)?.to_vec(current)? == second.wait(current)?.to_vec(current)?)
    });
    assert!(refused.is_ok_and(|same| same));
}

/// An operation writes its result. The error of a failed one takes no room beside the work in flight.
#[test]
fn the_result_of_an_operation_is_as_large_as_the_work_in_flight() {
    type Queued<T, O> = Result<Pending<Vision, T>, Failed<O>>;
    assert_eq!(size_of::<Queued<Floats, Floats>>(), size_of::<Pending<Vision, Floats>>());
    assert_eq!(size_of::<Queued<(Host, Floats), (Host, Floats)>>(), size_of::<Pending<Vision, (Host, Floats)>>());
    assert_eq!(
        size_of::<Queued<BoundModel<Vision>, BoundModel<Vision>>>(),
        size_of::<Pending<Vision, BoundModel<Vision>>>()
    );
}
