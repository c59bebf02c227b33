//! A model through the simulator, and the same model in `rten` alone, in turn.

use super::{median, ok, stream};
use ascendcl_sim::exports::{base::*, copy::*, memory::*, model::*, stream::*, tensor_desc::*};
use ascendcl_sys::types::*;
use rten::{RunOptions, ThreadPool, Value, ValueOrView};
use rten_onnx::onnx::*;
use rten_tensor::{AsView, Tensor};
use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A model, what goes into it, and how much comes out.
pub(crate) struct Case {
    file: Vec<u8>,
    dims: [usize; 2],
    elements: Vec<f32>,
    outputs: usize,
}

impl Case {
    fn new(file: Vec<u8>, dims: [usize; 2], outputs: usize) -> Self {
        let elements = (0..dims[0] * dims[1]).map(|n| (n % 17) as f32 / 16.0).collect();
        Self { file, dims, elements, outputs }
    }
}

/// One image of the digits example: a run of microseconds, where what is around it shows.
pub(crate) fn digits() -> Case {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx");
    Case::new(std::fs::read(file).unwrap(), [1, 64], 10)
}

/// Four layers of 1024 columns over 64 rows: a run of milliseconds, as a model in use has.
pub(crate) fn layers() -> Case {
    Case::new(products(4, 1024), [64, 1024], 64 * 1024)
}

/// Prints times. They have no bound, because they depend on what else the machine does: instructions have one.
pub(crate) fn times() {
    for (name, case, rounds) in [("digits, one image", digits(), 2_000), ("four layers of 1024 columns", layers(), 300)]
    {
        let [alone, simulated] = compare(&case, rounds);
        println!("{name}: {alone:?} in rten, {simulated:?} on a stream");
    }
}

/// What a run took: in time, and of the processor.
#[derive(Clone, Copy, Debug)]
struct Took {
    elapsed: Duration,
    busy: Duration,
}

impl Took {
    fn of<R>(run: impl FnOnce() -> R) -> (Self, R) {
        let (start, busy) = (Instant::now(), busy());
        let result = run();
        (Self { elapsed: start.elapsed(), busy: self::busy().saturating_sub(busy) }, result)
    }

    fn median(runs: &[Self]) -> Self {
        let median = |part: fn(&Self) -> Duration| median(runs.iter().map(part).collect());
        Self { elapsed: median(|run| run.elapsed), busy: median(|run| run.busy) }
    }
}

/// The processor time of the process so far.
#[cfg(target_os = "linux")]
fn busy() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.try_into().unwrap())
}

/// Elsewhere the time itself has to do.
#[cfg(not(target_os = "linux"))]
fn busy() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// The medians of runs in `rten`, and of runs that are queued on a stream and waited for.
fn compare(case: &Case, rounds: usize) -> [Took; 2] {
    let (alone, simulated) = (Alone::new(case), Simulated::new(case));
    let (mut direct, mut queued) = (Vec::new(), Vec::new());
    // The threads of either side look out for more work before they sleep; the other side is not to be charged for that.
    let pause = Duration::from_micros(500);
    for _ in 0..rounds {
        let (took, expected) = Took::of(|| alone.run());
        direct.push(took);
        std::thread::sleep(pause);
        queued.push(Took::of(|| simulated.run()).0);
        assert_eq!(simulated.results(), expected);
        std::thread::sleep(pause);
    }
    simulated.end();
    [Took::median(&direct), Took::median(&queued)]
}

/// The model in `rten`.
pub(crate) struct Alone<'m> {
    case: &'m Case,
    graph: rten::Model,
    options: RunOptions,
}

impl<'m> Alone<'m> {
    pub(crate) fn new(case: &'m Case) -> Self {
        let graph = rten::Model::load(case.file.clone()).unwrap();
        // One thread, as the simulator has for a stream.
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        Self { case, graph, options: RunOptions::default().with_thread_pool(Some(pool)) }
    }

    /// A run from elements to elements: as the simulator does, it copies both.
    pub(crate) fn run(&self) -> Vec<f32> {
        let (input, output) = (self.graph.input_ids()[0], self.graph.output_ids()[0]);
        let value = Value::from(Tensor::from_data(&self.case.dims, self.case.elements.clone()));
        let inputs = vec![(input, ValueOrView::Value(value))];
        let results = self.graph.run(inputs, &[output], Some(self.options.clone())).unwrap();
        let result: Tensor<f32> = results.into_iter().next().unwrap().try_into().unwrap();
        result.to_vec()
    }
}

/// The model, loaded, with its datasets.
pub(crate) struct Simulated {
    id: u32,
    stream: aclrtStream,
    input: *mut aclmdlDataset,
    output: *mut aclmdlDataset,
    place: *mut c_void,
    bytes: usize,
}

impl Simulated {
    pub(crate) fn new(case: &Case) -> Self {
        let mut id = 0;
        ok!(aclmdlLoadFromMem(case.file.as_ptr().cast(), case.file.len(), &mut id));
        let size = size_of_val(case.elements.as_slice());
        let from = device_memory(size);
        ok!(aclrtMemcpy(from, size, case.elements.as_ptr().cast(), size, aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE));
        let bytes = case.outputs * size_of::<f32>();
        let place = device_memory(bytes);
        let (input, output) = (dataset(from, size), dataset(place, bytes));
        let dims = case.dims.map(|dim| dim as i64);
        let (float, format) = (aclDataType::ACL_FLOAT, aclFormat::ACL_FORMAT_ND);
        // SAFETY: the array has two dims.
        let desc = unsafe { aclCreateTensorDesc(float, 2, dims.as_ptr(), format) };
        ok!(aclmdlSetDatasetTensorDesc(input, desc, 0));
        Self { id, stream: stream(), input, output, place, bytes }
    }

    pub(crate) fn run(&self) {
        ok!(aclmdlExecuteAsync(self.id, self.input, self.output, self.stream));
        ok!(aclrtSynchronizeStream(self.stream));
    }

    fn results(&self) -> Vec<f32> {
        let mut found = vec![0_f32; self.bytes / size_of::<f32>()];
        let kind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
        ok!(aclrtMemcpy(found.as_mut_ptr().cast(), self.bytes, self.place, self.bytes, kind));
        found
    }

    pub(crate) fn end(self) {
        ok!(aclrtDestroyStream(self.stream));
        ok!(aclmdlUnload(self.id));
    }
}

fn device_memory(bytes: usize) -> *mut c_void {
    let mut place = null_mut();
    ok!(aclrtMalloc(&mut place, bytes, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    place
}

fn dataset(place: *mut c_void, bytes: usize) -> *mut aclmdlDataset {
    // SAFETY: the area is device memory of that size.
    let (dataset, buffer) = unsafe { (aclmdlCreateDataset(), aclCreateDataBuffer(place, bytes)) };
    ok!(aclmdlAddDatasetBuffer(dataset, buffer));
    dataset
}

/// `count` times `x = relu(x * weights)`, square weights of so many columns.
fn products(count: usize, columns: usize) -> Vec<u8> {
    let port = |name: &str| ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(TypeProto {
            tensor_type: Some(TypeProtoTensor {
                elem_type: Some(DataType::FLOAT),
                shape: Some(TensorShapeProto {
                    dim: vec![
                        Dimension { dim_param: Some("rows".to_owned()), ..Default::default() },
                        Dimension { dim_value: Some(columns as i64), ..Default::default() },
                    ],
                }),
            }),
            ..Default::default()
        }),
    };
    let weights = (0..columns * columns).flat_map(|n| ((n % 13) as f32 / 1024.0).to_le_bytes()).collect();
    let weights = TensorProto {
        dims: vec![columns as i64; 2],
        data_type: Some(DataType::FLOAT),
        raw_data: Some(RefCell::new(weights)),
        name: Some("weights".to_owned()),
        ..Default::default()
    };
    let node = |operator: &str, inputs: &[&str], output: String| NodeProto {
        op_type: Some(operator.to_owned()),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output],
        ..Default::default()
    };
    let steps = (0..count).flat_map(|layer| {
        let product = format!("p{layer}");
        let (before, after) = (format!("x{layer}"), format!("x{}", layer + 1));
        [node("MatMul", &[&before, "weights"], product.clone()), node("Relu", &[&product], after)]
    });
    let model = ModelProto {
        ir_version: Some(8),
        graph: Some(GraphProto {
            input: vec![port("x0")],
            output: vec![port(&format!("x{count}"))],
            node: steps.collect(),
            initializer: vec![weights],
            ..Default::default()
        }),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(17) }],
        ..Default::default()
    };
    model.write_buf().unwrap()
}
