// MODEL-15: each thread of a loop has a model of its own.
use ascendcl::{Model, Runtime};

ascendcl::names!(Vision);

pub fn serve(runtime: &Runtime<Vision>, models: Vec<Model<Vision>>) {
    std::thread::scope(|scope| {
        for model in models {
            scope.spawn(move || runtime.with(|_| println!("{:?}", model.inputs())));
        }
    });
}

fn main() {}
