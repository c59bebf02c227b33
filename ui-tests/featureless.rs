//! What needs a feature, in a program that has none.

use ascendcl::{Acl, Brand, Current, DeviceBuffer, Error, Library, RunError, Runtime};

ascendcl::names!(Vision);

fn run() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| current.synchronize())
}

fn open() -> Result<Runtime<Vision>, Error> {
    Runtime::open(Library::VendorOrSimulator)
}

fn init() -> Result<Acl, Error> {
    Acl::init(Library::Simulator)
}

fn halves<C: Brand>(current: &Current<C>) -> Result<DeviceBuffer<C, half::f16>, Error> {
    current.upload(&[half::f16::from_f32(0.5)])
}

fn main() {}
