//! Small ONNX models, written by hand.

pub const FLOAT: u8 = 1;
pub const INT64: u8 = 7;
pub const BOOL: u8 = 9;

/// A model whose output has as many columns as `x`, four floats, has elements that are not zero.
pub fn positions() -> Vec<u8> {
    model(&[node("NonZero", &["x"], "y"), input("x", FLOAT, &["4"]), output("y", INT64, &["1", "found"])])
}

/// A model whose output is the float of `x`, four floats, at the place `i`. It fails when there is none.
pub fn pick() -> Vec<u8> {
    let inputs = [input("x", FLOAT, &["4"]), input("i", INT64, &["1"])].concat();
    model(&[node("Gather", &["x", "i"], "y"), inputs, output("y", FLOAT, &["1"])])
}

/// A model whose output is the opposite of `x`, two truth values.
pub fn opposite() -> Vec<u8> {
    model(&[node("Not", &["x"], "y"), input("x", BOOL, &["2"]), output("y", BOOL, &["2"])])
}

/// A model of two inputs of four floats whose output is their difference.
pub fn difference() -> Vec<u8> {
    difference_of("4")
}

/// The same for this many floats, or for any number with a name: `n`.
pub fn difference_of(floats: &str) -> Vec<u8> {
    let [minuend, subtrahend] = ["minuend", "subtrahend"].map(|name| input(name, FLOAT, &[floats]));
    let node = node("Sub", &["minuend", "subtrahend"], "difference");
    model(&[node, minuend, subtrahend, output("difference", FLOAT, &[floats])])
}

/// A model whose output is `-x`, for an image `x` of any size; compiled for sizes like `2,3;4,4`.
pub fn negated_image(sizes: &str) -> Vec<u8> {
    let dims = ["1", "1", "h", "w"];
    let model = model(&[node("Neg", &["x"], "y"), input("x", FLOAT, &dims), output("y", FLOAT, &dims)]);
    [model, metadata("ascendcl.dynamic_image_size", sizes)].concat()
}

/// A model that multiplies `a`, n by 3, and `b`, 3 by m; compiled for values of n and m like `2,5;1,1`.
pub fn product(sizes: &str) -> Vec<u8> {
    let inputs = [input("a", FLOAT, &["n", "3"]), input("b", FLOAT, &["3", "m"])].concat();
    let model = model(&[node("MatMul", &["a", "b"], "y"), inputs, output("y", FLOAT, &["n", "m"])]);
    [model, metadata("ascendcl.dynamic_dims", sizes)].concat()
}

/// A model whose graph has these fields.
pub fn model(fields: &[Vec<u8>]) -> Vec<u8> {
    let graph = [field(2, b"graph"), fields.concat()].concat();
    [number(1, 8), field(7, &graph), field(8, &number(2, 17))].concat()
}

pub fn node(operator: &str, inputs: &[&str], output: &str) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| field(1, name.as_bytes())).collect();
    field(1, &[inputs, field(2, output.as_bytes()), field(4, operator.as_bytes())].concat())
}

pub fn input(name: &str, element: u8, dims: &[&str]) -> Vec<u8> {
    field(11, &port(name, element, dims))
}

pub fn output(name: &str, element: u8, dims: &[&str]) -> Vec<u8> {
    field(12, &port(name, element, dims))
}

/// A constant of two axes whose floats are all zero.
pub fn zeros(name: &str, rows: u8, columns: u8) -> Vec<u8> {
    let data = vec![0; usize::from(rows) * usize::from(columns) * 4];
    let dims = [number(1, rows), number(1, columns)].concat();
    field(5, &[dims, number(2, FLOAT), field(8, name.as_bytes()), field(9, &data)].concat())
}

/// An entry of a model's metadata. Data that is appended to a message of this format counts as part of the message.
pub fn metadata(key: &str, value: &str) -> Vec<u8> {
    field(14, &[field(1, key.as_bytes()), field(2, value.as_bytes())].concat())
}

/// A size that is not a number is open.
fn port(name: &str, element: u8, dims: &[&str]) -> Vec<u8> {
    let dim = |dim: &str| dim.parse().map_or_else(|_| field(2, dim.as_bytes()), |size| number(1, size));
    let shape: Vec<u8> = dims.iter().flat_map(|size| field(1, &dim(size))).collect();
    let tensor = [number(1, element), field(2, &shape)].concat();
    [field(1, name.as_bytes()), field(2, &field(1, &tensor))].concat()
}

/// A field of a protocol buffer that holds a small number.
fn number(field: u8, value: u8) -> Vec<u8> {
    vec![field << 3, value]
}

/// A field of a protocol buffer that holds bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let (mut length, mut rest) = (Vec::new(), bytes.len());
    while rest >= 0x80 {
        length.push(0x80 | (rest & 0x7f) as u8);
        rest >>= 7;
    }
    length.push(rest as u8);
    [vec![number << 3 | 2], length, bytes.to_vec()].concat()
}
