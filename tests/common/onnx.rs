//! Models that are written by hand.

/// A model whose output has as many columns as `x`, four floats, has elements that are not zero: ONNX, written by hand.
pub fn positions() -> Vec<u8> {
    let number = |field: u8, value: u8| vec![field << 3, value];
    let port = |name: &[u8], element: u8, dims: &[Vec<u8>]| {
        let shape = dims.iter().flat_map(|dim| field(1, dim)).collect::<Vec<_>>();
        let tensor = [number(1, element), field(2, &shape)].concat();
        [field(1, name), field(2, &field(1, &tensor))].concat()
    };
    let x = port(b"x", 1, &[number(1, 4)]);
    let y = port(b"y", 7, &[number(1, 1), field(2, b"found")]);
    let node = [field(1, b"x"), field(2, b"y"), field(4, b"NonZero")].concat();
    let graph = [field(1, &node), field(2, b"positions"), field(11, &x), field(12, &y)].concat();
    [number(1, 8), field(7, &graph), field(8, &number(2, 17))].concat()
}

/// A model of two inputs of four floats whose output is their difference: ONNX, written by hand.
pub fn difference() -> Vec<u8> {
    let number = |field: u8, value: u8| vec![field << 3, value];
    let port = |name: &[u8]| {
        let tensor = [number(1, 1), field(2, &field(1, &number(1, 4)))].concat();
        [field(1, name), field(2, &field(1, &tensor))].concat()
    };
    let node = [field(1, b"minuend"), field(1, b"subtrahend"), field(2, b"difference"), field(4, b"Sub")].concat();
    let (minuend, subtrahend) = (field(11, &port(b"minuend")), field(11, &port(b"subtrahend")));
    let graph = [field(1, &node), field(2, b"sub"), minuend, subtrahend, field(12, &port(b"difference"))].concat();
    [number(1, 8), field(7, &graph), field(8, &number(2, 17))].concat()
}

/// A field of a protocol buffer that holds bytes.
pub fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let (mut length, mut rest) = (Vec::new(), bytes.len());
    while rest >= 0x80 {
        length.push(0x80 | (rest & 0x7f) as u8);
        rest >>= 7;
    }
    length.push(rest as u8);
    [vec![number << 3 | 2], length, bytes.to_vec()].concat()
}
