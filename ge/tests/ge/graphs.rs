//! Graphs, from the file to the outputs.

use crate::common;
use crate::support::{bytes, digits, images, two_digits, world};
use ascendcl::allocator::PoolAllocator;
use ascendcl_ge::{GraphSource, Options};
use ascendcl_macros::proves;

#[test]
#[proves(GE_02, GE_14, GE_15, GE_16, GE_17)]
fn a_graph_recognises_digits_with_memory_of_a_pool() {
    let world = world();
    let labels = common::digits().0;
    world.session(|session, current| {
        let graph = digits(session, current).compile(session, current).unwrap();
        let pool = PoolAllocator::new(current, 1 << 20).unwrap();
        let graph = graph.register(session, current, current.stream().unwrap(), pool).unwrap();
        let mut graph = graph.load(session, current).unwrap();
        for batch in [1, 7, 200] {
            let inputs = images(current, batch);
            let done = graph.execute(session, current, inputs).unwrap().wait(current).unwrap();
            assert_eq!(done.outputs.shape(0).unwrap(), [batch, 10]);
            let right = common::predictions(&done.outputs.to_vec::<f32>(current, 0).unwrap());
            let right = right.iter().zip(&labels).filter(|(read, label)| read == label).count();
            assert!(right * 100 >= batch * 95, "{right} of {batch}");
            done.outputs.release(session, current).unwrap();
            graph = done.graph;
        }
        let (_stream, pool) = graph.remove(session, current).unwrap();
        let statistics = pool.statistics();
        assert!(
            statistics.misses + statistics.hits >= 6,
            "an output and a piece to work in, three times: {statistics:?}"
        );
        assert_eq!(statistics.blocks_in_use, 0);
        pool.release(current).unwrap();
    });
    let made = ["Session", "~Session", "Session", "AddGraph", "CompileGraph", "RegisterExternalAllocator"];
    assert_eq!(world.calls()[1..7], made);
    let ends = ["RemoveGraph", "UnregisterExternalAllocator", "~Session", "GEFinalize"];
    assert!(world.calls().ends_with(&ends.map(String::from)));
}

#[test]
fn a_graph_without_an_allocator_runs_in_memory_of_the_engine() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.load_on(session, current, current.stream().unwrap()).unwrap();
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        assert_eq!(common::predictions(&done.outputs.to_vec::<f32>(current, 0).unwrap()), common::digits().0[..2]);
        done.outputs.release(session, current).unwrap();
        let (stream, ()) = done.graph.remove(session, current).unwrap();
        stream.destroy(current).unwrap();
    });
    assert!(!world.calls().iter().any(|call| call == "RegisterExternalAllocator"));
}

#[test]
fn a_graph_runs_in_memory_that_was_set() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let needs = graph.summary(session, current).unwrap();
        assert!(needs.is_static && needs.constants > 0 && needs.features > 0);
        let (constants, features) = (bytes(current, needs.constants), bytes(current, needs.features));
        let graph = graph.set_memory(session, current, constants, features).unwrap();
        let graph = graph.load_on(session, current, current.stream().unwrap()).unwrap();
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        assert_eq!(common::predictions(&done.outputs.to_vec::<f32>(current, 0).unwrap()), common::digits().0[..2]);
    });
}

#[test]
#[proves(GE_24)]
fn one_file_makes_as_many_graphs_as_it_is_added_and_ids_are_not_used_again() {
    let world = world();
    world.session(|session, current| {
        let (one, two) = (two_digits(session, current), two_digits(session, current));
        assert_eq!(world.double.count("graphs"), 2);
        one.remove(session, current).unwrap();
        let three = two_digits(session, current);
        let two = two.compile(session, current).unwrap();
        let three = three.compile(session, current).unwrap();
        assert_eq!(world.double.count("graphs"), 2);
        three.remove(session, current).unwrap();
        two.remove(session, current).unwrap();
        assert_eq!(world.double.count("graphs"), 0);
    });
    let added: Vec<_> = world.double.log().into_iter().filter(|call| call.starts_with("AddGraph")).collect();
    assert_eq!(added, ["AddGraph 1", "AddGraph 2", "AddGraph 3"]);
}

#[test]
fn a_saved_graph_is_read_from_its_file() {
    let world = world();
    world.session(|session, current| {
        // To the double, a saved graph is a model file under another name.
        let file = common::scratch("air").join("digits.air");
        std::fs::write(&file, common::digits_in_batches_of(2)).unwrap();
        let graph = session.add(current, GraphSource::air_file(&file), &Options::new()).unwrap();
        let graph = graph.compile(session, current).unwrap();
        assert!(graph.summary(session, current).unwrap().is_static);
    });
}

#[test]
fn an_output_tells_its_type_and_is_read_as_nothing_else() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.load_on(session, current, current.stream().unwrap()).unwrap();
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        assert_eq!(done.outputs.len(), 1);
        assert_eq!(done.outputs.element(0).unwrap(), ascendcl::ElementType::F32);
        let wrong = done.outputs.to_vec::<i32>(current, 0).unwrap_err();
        assert!(matches!(wrong, ascendcl::Error::OutputType { .. }), "{wrong}");
        let none = done.outputs.shape(1).unwrap_err();
        assert!(matches!(none, ascendcl::Error::NoSuchOutput { index: 1, count: 1 }), "{none}");
    });
}
