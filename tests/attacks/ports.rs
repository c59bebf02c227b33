//! Inputs that only the library knows the size of, inputs with preprocessing inside of the model, and outputs that are read
//! into memory of the program.

use super::common::{alone, library_at, library_with_ports};
use super::null::books;
use super::{inside, model, with_device};
use ascendcl::error::InputError;
use ascendcl::{Acl, Current, ElementType, Error, Input, Scoped, model::OutputBuffer};
use ascendcl_macros::proves;
use std::time::Duration;

/// A library whose model has an input that `INPUT` describes, and an output of as many bytes. It computes nothing.
const LIBRARY: &str = r#"
    INPUT
    static aclError put(struct dims *dims, const int64_t *sizes) {
        for (dims->count = 0; sizes[dims->count]; dims->count++) dims->sizes[dims->count] = sizes[dims->count];
        return 0;
    }
    aclError aclmdlGetInputDims(handle d, size_t i, struct dims *dims) {
        static const int64_t sizes[] = {V1, 0};
        (void)d; (void)i;
        return put(dims, sizes);
    }
    aclError aclmdlGetOutputDims(handle d, size_t i, struct dims *dims) {
        static const int64_t sizes[] = {SIZE, 0};
        (void)d; (void)i;
        return put(dims, sizes);
    }
    int aclmdlGetInputDataType(handle d, size_t i) { (void)d; (void)i; return TYPE; }
    int aclmdlGetOutputDataType(handle d, size_t i) { (void)d; (void)i; return 4; }
    size_t aclmdlGetInputSizeByIndex(handle d, size_t i) { (void)d; (void)i; return FREE ? 0 : SIZE; }
    size_t aclmdlGetOutputSizeByIndex(handle d, size_t i) { (void)d; (void)i; return SIZE; }
    /* A buffer of another size would be read or written beyond its end. */
    handle aclCreateDataBuffer(void *start, size_t size) { return start && (FREE || size == SIZE) ? fresh() : (abort(), NULL); }
    aclError aclUpdateDataBuffer(handle b, void *start, size_t size) { return b && start && size == SIZE ? 0 : (abort(), 1); }
    handle aclmdlGetDatasetTensorDesc(handle d, size_t i) { (void)d; (void)i; return NULL; }
    aclError aclmdlSetDatasetTensorDesc(handle d, handle t, size_t i) { (void)d; (void)t; (void)i; return 0; }
    handle aclCreateTensorDesc(int t, int n, const int64_t *s, int f) { (void)t; (void)n; (void)s; (void)f; return fresh(); }
    void aclDestroyTensorDesc(handle d) { (void)d; }
"#;

/// Runs in a context of such a library.
fn with_input(name: &str, input: &str, program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>)) {
    let _books = books();
    let library = library_at(library_with_ports(name, &LIBRARY.replace("INPUT", input)));
    with_device(Acl::init(library).unwrap(), |device, thread| device.with_current(thread, program).unwrap());
}

/// `aclDataType` 29: numbers of four bits. Two of them are a byte.
const FOUR_BITS: ElementType = ElementType::Other(29);

#[proves(DATA_08)]
#[test]
fn an_input_of_elements_without_a_type_here_takes_exactly_the_bytes_that_the_library_says() {
    let input = "enum { TYPE = 29, SIZE = 8, FREE = 0 };\n#define V1 4, 4\n";
    with_input("four-bits", input, |current| {
        let mut model = current.load_model("model").unwrap();
        assert_eq!(model.inputs()[0].element, FOUR_BITS);
        for bytes in [0, 7, 9, 16] {
            let bytes = vec![0; bytes];
            let refused = model.run(current, &[Input::from_bytes(&[4, 4], FOUR_BITS, &bytes).unwrap()]).unwrap_err();
            let Error::Input(reason) = refused else { panic!("{refused:?}") };
            let expected =
                InputError::Bytes { shape: "[4, 4]".into(), element: FOUR_BITS, expected: 8, found: bytes.len() };
            assert_eq!(*reason, expected);
        }
        // At an odd address.
        let bytes = [7_u8; 9];
        let ran = model.run(current, &[Input::from_bytes(&[4, 4], FOUR_BITS, &bytes[1..]).unwrap()]).unwrap();
        assert_eq!(ran.get(0).unwrap().as_bytes().len(), 8);
        let other = Input::from_bytes(&[4, 4], ElementType::Other(30), &bytes[1..]).unwrap();
        let refused = model.run(current, &[other]).unwrap_err();
        assert!(
            matches!(&refused, Error::Input(reason) if matches!(**reason, InputError::Element { .. })),
            "{refused}"
        );
        let shape = Input::from_bytes(&[2, 8], FOUR_BITS, &bytes[1..]).unwrap();
        let refused = model.run(current, &[shape]).unwrap_err();
        assert!(matches!(&refused, Error::Input(reason) if matches!(**reason, InputError::Shape { .. })), "{refused}");
    });
}

/// Nobody says how many bytes the library reads of it.
#[proves(DATA_08)]
#[test]
fn an_input_of_a_free_shape_of_elements_without_a_type_here_is_refused() {
    let input = "enum { TYPE = 29, SIZE = 8, FREE = 1 };\n#define V1 -1, 4\n";
    with_input("four-bits-free", input, |current| {
        let mut model = current.load_model("model").unwrap();
        for bytes in [0, 8, 1 << 12] {
            let bytes = vec![0; bytes];
            let refused = model.run(current, &[Input::from_bytes(&[4, 4], FOUR_BITS, &bytes).unwrap()]).unwrap_err();
            assert!(matches!(refused, Error::UnknownElement { .. }), "{refused}");
        }
    });
}

#[test]
fn bytes_of_known_elements_have_the_length_of_the_shape() {
    let alone = alone();
    inside(|current| {
        let mut model = model(current);
        let pixels: Vec<u8> = (0..64).flat_map(|pixel| (pixel as f32).to_ne_bytes()).collect();
        let from_bytes =
            model.run(current, &[Input::from_bytes(&[1, 64], ElementType::F32, &pixels).unwrap()]).unwrap();
        let numbers: Vec<_> = (0..64).map(|pixel| pixel as f32).collect();
        assert_eq!(from_bytes, model.run(current, &[Input::new(&[1, 64], &numbers).unwrap()]).unwrap());
        for bytes in [&pixels[1..], &pixels[..64], &[]] {
            let refused = Input::from_bytes(&[1, 64], ElementType::F32, bytes).unwrap_err().to_string();
            let expected =
                format!("the shape [1, 64] of f32 has 256 bytes, but the data has {} [DATA-08]", bytes.len());
            assert_eq!(refused, expected);
        }
        assert!(Input::from_bytes(&[usize::MAX, 2], ElementType::F32, &pixels).is_err());
        // No bytes of another type.
        let bytes =
            model.run(current, &[Input::from_bytes(&[1, 64], ElementType::U8, &pixels[..64]).unwrap()]).unwrap_err();
        assert!(matches!(&bytes, Error::Input(reason) if matches!(**reason, InputError::Element { .. })), "{bytes}");
    });
    alone.assert_nothing_lives();
}

/// Bound, too: the library says how many bytes a tensor of a fixed shape has, and reads and writes so many.
#[proves(DATA_08)]
#[test]
fn bound_tensors_of_elements_without_a_type_here_are_written_and_read_as_bytes() {
    let input = "enum { TYPE = 29, SIZE = 8, FREE = 0 };\n#define V1 4, 4\n";
    let library = LIBRARY.replace("(void)i; return 4; }", "(void)i; return 30; }").replace("INPUT", input);
    assert_ne!(library, LIBRARY.replace("INPUT", input));
    let _books = books();
    let library = library_at(library_with_ports("four-bits-bound", &library));
    let ran = with_device(Acl::init(library).unwrap(), |device, thread| {
        device.with_current(thread, |current| {
            let stream = current.stream().unwrap().without_allocator();
            let model = current.load_model("model").unwrap();
            let refused = model.bind_with(current, &[&[4, 4]], &[OutputBuffer::AtMost(8)]).unwrap_err();
            assert!(matches!(refused.error, Error::UnknownElement { .. }), "{refused}");
            let mut bound = refused.value.bind(current, &[&[4, 4]], &[&[8]]).unwrap();
            for bytes in [0, 7, 9, 16] {
                let Err(Error::Input(reason)) = bound.write_bytes(current, 0, &vec![0; bytes]) else {
                    panic!("{bytes}")
                };
                let expected =
                    InputError::Bytes { shape: "[4, 4]".into(), element: FOUR_BITS, expected: 8, found: bytes };
                assert_eq!(*reason, expected);
            }
            bound.write_bytes(current, 0, &[7; 9][1..]).unwrap();
            assert!(matches!(bound.write_bytes(current, 1, &[7; 8]), Err(Error::NoSuchInput { .. })));
            let typed = bound.write(current, 0, &[7_u8; 8]).unwrap_err();
            assert!(
                matches!(&typed, Error::Input(reason) if matches!(**reason, InputError::Element { .. })),
                "{typed}"
            );
            assert!(matches!(bound.read_bytes(current, 0), Err(Error::NotExecuted)));
            stream.run_bound(current, &mut bound).unwrap();
            assert_eq!(bound.read_bytes(current, 0).unwrap().len(), 8);
            assert!(matches!(bound.read::<u8>(current, 0), Err(Error::OutputType { .. })));
            bound.reshape(current, &[&[4, 4]]).unwrap();
            let shape = bound.reshape(current, &[&[2, 8]]).unwrap_err();
            assert!(matches!(&shape, Error::Input(reason) if matches!(**reason, InputError::Shape { .. })), "{shape}");
        })
    });
    ran.unwrap();
}

#[proves(DATA_08)]
#[test]
fn a_bound_model_is_not_written_or_read_as_bytes_of_another_length_or_while_it_is_not_executed() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let mut bound = model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        for bytes in [0, 64, 255, 257, 512] {
            let refused = bound.write_bytes(current, 0, &vec![0; bytes]).unwrap_err().to_string();
            let expected = format!("the shape [1, 64] of f32 has 256 bytes, but the data has {bytes} [DATA-08]");
            assert_eq!(refused, expected);
        }
        assert!(matches!(bound.read_bytes(current, 0), Err(Error::NotExecuted)));
        let pixels: Vec<_> = (0..64).map(|pixel| pixel as f32).collect();
        let bytes: Vec<_> = pixels.iter().flat_map(|pixel| pixel.to_ne_bytes()).collect();
        bound.write_bytes(current, 0, &bytes).unwrap();
        stream.run_bound(current, &mut bound).unwrap();
        let scores: Vec<_> =
            bound.read::<f32>(current, 0).unwrap().iter().flat_map(|score| score.to_ne_bytes()).collect();
        assert_eq!(bound.read_bytes(current, 0).unwrap(), scores);
        bound.write(current, 0, &pixels).unwrap();
        stream.run_bound(current, &mut bound).unwrap();
        assert_eq!(bound.read_bytes(current, 0).unwrap(), scores);
    });
    alone.assert_nothing_lives();
}

/// A picture of 4 × 4 in YUV420SP: 24 bytes, where RGB has 48.
const PICTURE: &str = "enum { TYPE = 4, SIZE = 24, FREE = 0 };\n#define V1 1, 4, 4, 3\n";

#[proves(DATA_08)]
#[test]
fn an_input_with_preprocessing_inside_takes_what_the_model_reads() {
    let v2 = "aclError aclmdlGetInputDimsV2(handle d, size_t i, struct dims *dims) {
        (void)d; (void)i;
        dims->count = 4; dims->sizes[0] = 1; dims->sizes[1] = 6; dims->sizes[2] = 4; dims->sizes[3] = 1;
        return 0;
    }";
    with_input("preprocessing", &(PICTURE.to_owned() + v2), |current| {
        let mut model = current.load_model("model").unwrap();
        assert_eq!(model.inputs()[0].shape, [Some(1), Some(6), Some(4), Some(1)]);
        let picture = [1_u8; 24];
        let ran = model.run(current, &[Input::new(&[1, 6, 4, 1], &picture).unwrap()]).unwrap();
        assert_eq!(ran.get(0).unwrap().as_bytes().len(), 24);
        let whole = model.run(current, &[Input::new(&[1, 4, 4, 3], &[1_u8; 48]).unwrap()]).unwrap_err();
        assert!(matches!(&whole, Error::Input(reason) if matches!(**reason, InputError::Shape { .. })), "{whole}");
        let mut bound = model.bind(current, &[&[1, 6, 4, 1]], &[&[24]]).unwrap();
        bound.write(current, 0, &picture).unwrap();
        drop(bound.exchange_input(current, 0, current.upload(&picture).unwrap()).unwrap());
    });
}

/// Without an answer that fits, the shape is the one of the older function.
#[test]
fn an_answer_about_preprocessing_that_does_not_fit_changes_nothing() {
    let answers = [
        ("missing", String::new()),
        ("failing", second("return 507899;")),
        ("other", second("dims->count = 1; dims->sizes[0] = 25; return 0;")),
        ("free", second("dims->count = 2; dims->sizes[0] = -1; dims->sizes[1] = 24; return 0;")),
        ("huge", second("dims->count = 1000; for (int a = 0; a < 128; a++) dims->sizes[a] = 1 << 30; return 0;")),
    ];
    for (name, answer) in answers {
        with_input(&format!("preprocessing-{name}"), &(PICTURE.to_owned() + &answer), |current| {
            let model = current.load_model("model").unwrap();
            assert_eq!(model.inputs()[0].shape, [Some(1), Some(4), Some(4), Some(3)], "{name}");
        });
    }
}

fn second(body: &str) -> String {
    format!(
        "aclError aclmdlGetInputDimsV2(handle d, size_t i, struct dims *dims) {{ (void)d; (void)i; (void)dims; {body} }}"
    )
}

#[proves(MEM_02)]
#[test]
fn an_output_is_read_into_memory_of_exactly_its_length() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let mut bound = model(current).bind(current, &[&[2, 64]], &[&[2, 10]]).unwrap();
        let mut scores = [7.0_f32; 21];
        let early = bound.read_into(current, 0, &mut scores[..20]).unwrap_err();
        assert!(matches!(early, Error::NotExecuted), "{early}");
        bound.write(current, 0, &[1.0_f32; 128]).unwrap();
        stream.run_bound(current, &mut bound).unwrap();
        for length in [0, 19, 21] {
            let refused = bound.read_into(current, 0, &mut scores[..length]).unwrap_err();
            let Error::LengthMismatch { expected: 20, found, .. } = refused else { panic!("{refused}") };
            assert_eq!(found, length);
        }
        let other = bound.read_into(current, 0, &mut [0_u8; 20]).unwrap_err();
        assert!(matches!(other, Error::OutputType { .. }), "{other}");
        let none = bound.read_into(current, 1, &mut scores[..20]).unwrap_err();
        assert!(matches!(none, Error::NoSuchOutput { .. }), "{none}");
        assert_eq!(scores, [7.0; 21], "nothing was written");
        bound.read_into(current, 0, &mut scores[..20]).unwrap();
        assert_eq!(scores[..20], bound.read::<f32>(current, 0).unwrap());
        assert_eq!(scores[20], 7.0);

        // The run has not ended.
        let (release, released) = std::sync::mpsc::channel::<()>();
        let held =
            stream.launch_host_fn(current, move || released.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap();
        let late = stream.run_bound_within(current, &mut bound, Duration::from_millis(1)).unwrap_err();
        assert!(late.code().is_some_and(|code| code.is_timeout()), "{late}");
        let before = scores;
        let refused = bound.read_into(current, 0, &mut scores[..20]).unwrap_err();
        assert!(matches!(refused, Error::NotExecuted | Error::StillRunning { .. }), "{refused}");
        assert_eq!(scores, before);
        drop(release);
        assert!(!held.wait(current).unwrap().into_result().unwrap(), "nothing was sent");
    });
    alone.assert_nothing_lives();
}
