// THREAD-03: threads that launch one operator would queue it on two streams.
use ascendcl::{Brand, operator::{BoundOperator, DeviceTensor}};

pub fn share<C: Brand>(operators: [BoundOperator<C, DeviceTensor<C, f32>, DeviceTensor<C, f32>>; 2])
where
    C: 'static,
{
    std::thread::scope(|scope| {
        for operator in &operators {
            scope.spawn(move || println!("{:?}", operator.tensors().0));
        }
    });
}

fn main() {}
