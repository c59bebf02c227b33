// GE-11: a session is closed last.
use ascendcl_ge::{GraphSource, Options, Session};
use ascendcl::{Current, Error};

ascendcl::names!(Vision);

pub fn program(mut session: Session<Vision>, current: &Current<Vision>) -> Result<(), Error> {
    drop(session.add(current, GraphSource::onnx_file("digits.onnx"), &Options::new())?);
    session.close(current)?;
    Ok(())
}

fn main() {}
