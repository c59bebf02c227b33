//! Numbers by chance.

use crate::support::stream;
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

const COUNT: u64 = 4096;

fn parameter(bytes: &[u8]) -> aclrtRandomParaInfo {
    let mut value = [0; 8];
    value[..bytes.len()].copy_from_slice(bytes);
    aclrtRandomParaInfo { isAddr: 0, valueOrAddr: value, size: bytes.len() as u8, rsv: [0; 6] }
}

struct Task {
    info: aclrtRandomNumTaskInfo,
    result: *mut c_void,
}

impl Task {
    fn new(data_type: aclDataType, function: aclrtRandomNumFuncType, first: &[u8], second: &[u8]) -> Self {
        let result = device_memory(COUNT as usize * 8);
        let both = aclrtUniformDisInfo { min: parameter(first), max: parameter(second) };
        let info = aclrtRandomNumTaskInfo {
            dataType: data_type,
            randomNumFuncParaInfo: aclrtRandomNumFuncParaInfo {
                funcType: function,
                paramInfo: aclrtRandomNumFuncParam { uniformDisInfo: both },
            },
            randomParaAddr: null_mut(),
            randomResultAddr: result,
            randomCounterAddr: on_device(&[0; 16]),
            randomSeed: parameter(&7_u64.to_le_bytes()),
            randomNum: parameter(&COUNT.to_le_bytes()),
            rsv: [0; 8],
        };
        Self { info, result }
    }

    fn run(&self) -> Vec<u8> {
        let stream = stream();
        ok!(copy::aclrtRandomNumAsync(&self.info, stream, null_mut()));
        ok!(stream::aclrtSynchronizeStream(stream));
        from_device(self.result, COUNT as usize * 8)
    }

    fn floats(&self) -> Vec<f32> {
        self.run()
            .chunks_exact(4)
            .take(COUNT as usize)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
            .collect()
    }
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len() as f32
}

const UNIFORM: aclrtRandomNumFuncType = aclrtRandomNumFuncType::ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
const NORMAL: aclrtRandomNumFuncType = aclrtRandomNumFuncType::ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS;
const CUT_OFF: aclrtRandomNumFuncType = aclrtRandomNumFuncType::ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS;
const BITMASK: aclrtRandomNumFuncType = aclrtRandomNumFuncType::ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK;

#[test]
fn uniform_numbers_lie_between_their_bounds_and_go_on_from_the_counter() {
    let _world = world();
    let task = Task::new(aclDataType::ACL_FLOAT, UNIFORM, &2.0_f32.to_le_bytes(), &6.0_f32.to_le_bytes());
    let first = task.floats();
    assert!(first.iter().all(|value| (2.0..6.0).contains(value)));
    assert!((mean(&first) - 4.0).abs() < 0.1, "{}", mean(&first));
    assert_ne!(first, task.floats(), "the counter moved on");
    let again = Task::new(aclDataType::ACL_FLOAT, UNIFORM, &2.0_f32.to_le_bytes(), &6.0_f32.to_le_bytes());
    assert_eq!(first, again.floats(), "the same seed and counter");
}

#[test]
fn integers_are_drawn_in_their_own_type() {
    let _world = world();
    let task = Task::new(aclDataType::ACL_INT32, UNIFORM, &(-3_i32).to_le_bytes(), &4_i32.to_le_bytes());
    let bytes = task.run();
    let numbers: Vec<i32> =
        bytes.chunks_exact(4).take(COUNT as usize).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert!((-3..4).all(|value| numbers.contains(&value)));
    assert!(numbers.iter().all(|value| (-3..4).contains(value)));
}

#[test]
fn normal_numbers_have_their_mean_and_can_be_cut_off() {
    let _world = world();
    let (mean_of, deviation) = (3.0_f32.to_le_bytes(), 2.0_f32.to_le_bytes());
    let normal = Task::new(aclDataType::ACL_FLOAT, NORMAL, &mean_of, &deviation).floats();
    assert!((mean(&normal) - 3.0).abs() < 0.2, "{}", mean(&normal));
    assert!(normal.iter().any(|value| (value - 3.0).abs() > 4.0));
    let cut = Task::new(aclDataType::ACL_FLOAT, CUT_OFF, &mean_of, &deviation).floats();
    assert!(cut.iter().all(|value| (value - 3.0).abs() <= 4.0));
}

#[test]
fn a_bitmask_has_as_many_zeros_as_its_ratio_says() {
    let _world = world();
    let task = Task::new(aclDataType::ACL_FLOAT, BITMASK, &0.4_f32.to_le_bytes(), &[]);
    let bytes = task.run();
    let ones: u32 = bytes[..COUNT as usize / 8].iter().map(|byte| byte.count_ones()).sum();
    let share = f64::from(ones) / COUNT as f64;
    assert!((share - 0.6).abs() < 0.05, "{share}");
}

#[test]
fn wrong_parameters_are_refused_or_fail_the_stream() {
    let _world = world();
    let named = stream();
    let one = 1_i32.to_le_bytes();
    let mut task = Task::new(aclDataType::ACL_INT32, UNIFORM, &one, &one);
    ok!(copy::aclrtRandomNumAsync(&task.info, named, null_mut()));
    assert_eq!(call!(stream::aclrtSynchronizeStream(named)), ACL_ERROR_RT_AICPU_EXCEPTION);
    task.info.dataType = aclDataType::ACL_BOOL;
    let code = ACL_ERROR_RT_PARAM_INVALID;
    fails!(ACL_ERROR_INVALID_PARAM, "data type 12", copy::aclrtRandomNumAsync(&task.info, named, null_mut()));
    task.info.dataType = aclDataType::ACL_INT32;
    task.info.randomNum = parameter(&(1_u64 << 40).to_le_bytes());
    fails!(code, "run over the block's end", copy::aclrtRandomNumAsync(&task.info, named, null_mut()));
    fails!(ACL_ERROR_INVALID_PARAM, "null", copy::aclrtRandomNumAsync(core::ptr::null(), named, null_mut()));
}

#[test]
fn a_normal_distribution_without_a_mean_or_a_width_fails_the_stream() {
    let _world = world();
    let wrong = [(0.0, -1.0), (0.0, f32::NAN), (f32::NAN, 1.0), (f32::INFINITY, 1.0), (0.0, f32::INFINITY)];
    for function in [NORMAL, CUT_OFF] {
        for (mean, deviation) in wrong {
            let (named, wrong) = (stream(), [mean, deviation].map(f32::to_le_bytes));
            let task = Task::new(aclDataType::ACL_FLOAT, function, &wrong[0], &wrong[1]);
            ok!(copy::aclrtRandomNumAsync(&task.info, named, null_mut()));
            let code = call!(stream::aclrtSynchronizeStreamWithTimeout(named, 5000));
            assert_eq!(code, ACL_ERROR_RT_AICPU_EXCEPTION, "{mean} and {deviation}: {}", text());
        }
    }
    let zero = 0.0_f32.to_le_bytes();
    let same = Task::new(aclDataType::ACL_FLOAT, CUT_OFF, &2.0_f32.to_le_bytes(), &zero).floats();
    assert!(same.iter().all(|value| *value == 2.0), "a width of 0 is one");
}

#[test]
fn null_addresses_of_random_numbers_are_refused() {
    let _world = world();
    let named = stream();
    let task = |change: &dyn Fn(&mut aclrtRandomNumTaskInfo)| {
        let (low, high) = (0.0_f32.to_le_bytes(), 1.0_f32.to_le_bytes());
        let mut task = Task::new(aclDataType::ACL_FLOAT, UNIFORM, &low, &high);
        change(&mut task.info);
        task.info
    };
    let null = |size| aclrtRandomParaInfo { isAddr: 1, valueOrAddr: [0; 8], size, rsv: [0; 6] };
    let code = ACL_ERROR_INVALID_PARAM;
    let info = task(&|info| info.randomResultAddr = null_mut());
    fails!(code, "the address is null", copy::aclrtRandomNumAsync(&info, named, null_mut()));
    let info = task(&|info| info.randomCounterAddr = null_mut());
    fails!(code, "the address is null", copy::aclrtRandomNumAsync(&info, named, null_mut()));
    let info = task(&|info| info.randomSeed = null(8));
    fails!(code, "the address is null", copy::aclrtRandomNumAsync(&info, named, null_mut()));
    let info = task(&|info| info.randomSeed = null(0));
    ok!(copy::aclrtRandomNumAsync(&info, named, null_mut()));
    ok!(stream::aclrtSynchronizeStream(named));
}
