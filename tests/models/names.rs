//! Inputs and outputs by name, in copies on a stream.

use super::{inside, strict};
use crate::common::{alone, difference};
use ascendcl::Error;
use ascendcl::model::ModelSource;
use ascendcl_macros::proves;

#[proves(DATA_07)]
#[test]
fn copies_on_a_stream_find_inputs_and_outputs_by_name_and_give_all_back_where_there_is_none() {
    let _alone = alone();
    strict(false);
    let image = difference();
    inside(|current| {
        let stream = current.stream()?.without_allocator();
        let model = current.load(ModelSource::memory(&image).into())?;
        let model = model.bind(current, &[&[4], &[4]], &[&[4]])?;
        let numbers = |number: f32| current.pageable_buffer(vec![number; 4]);
        // In the other order than that of the model.
        let (subtrahend, model) = stream.copy_to_input(current, numbers(1.0), model, "subtrahend")?.split();
        let (minuend, model) = stream.copy_to_input(current, numbers(1.5), model, &"minuend".to_owned())?.split();
        let refused = stream.copy_to_input(current, numbers(2.0), model, "factor").unwrap_err();
        assert_eq!(
            refused.error.to_string(),
            "the model has no input `factor`; its inputs are `minuend`, `subtrahend` [DATA-07]"
        );
        assert_eq!(refused.value.0.slice(current)?, [2.0; 4]);
        let model = stream.execute(current, refused.value.1)?;
        let refused = stream.copy_from_output(current, model, "sum", numbers(0.0)).unwrap_err();
        assert!(matches!(refused.error, Error::NoOutputNamed { .. }), "{}", refused.error);
        let (model, numbers) = refused.value;
        let copied = stream.copy_from_output(current, model, "difference", numbers)?;
        let ((_model, numbers), _) = copied.join(subtrahend.join(minuend)?)?.wait(current)?;
        assert_eq!(numbers.slice(current)?, [0.5; 4]);
        Ok(())
    });
}
