//! Tensors on the host: the inputs and outputs of a run.

use super::bindings::{names, same_count};
use super::description::Shape;
use super::{IndexOrName, TensorInfo};
use crate::element::{Element, ElementType, elements_of};
use crate::error::{Error, InputError};
use crate::ffi::{bytes_of, collect_elements};
use ascendcl_macros::rule;
use core::fmt;

/// One input of a run: a shape and the elements, in row-major order.
///
/// Inputs are in the model's order. An input that is [named](Self::named) goes to the input with that name; the
/// others fill the remaining inputs in order.
///
/// ```
/// use ascendcl::Input;
///
/// let pixels = [0.0_f32; 128];
/// let images = Input::new(&[2, 64], &pixels)?;
/// assert!(Input::new(&[2, 63], &pixels).is_err());
/// # drop(images);
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "an input does nothing until a run gets it"]
pub struct Input<'a> {
    name: Option<&'a str>,
    shape: Vec<usize>,
    element: ElementType,
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    /// A tensor of `shape`, outermost size first, over `elements`. [`from_bytes`](Self::from_bytes) takes bytes of elements
    /// of another type.
    ///
    /// # Errors
    ///
    /// [`InputError::Length`] when the shape has more or fewer elements than there are.
    #[rule(DATA_08)]
    pub fn new<E: Element>(shape: &[usize], elements: &'a [E]) -> Result<Self, Error> {
        let expected = elements_of(shape);
        if expected != elements.len() {
            let shape = format!("{shape:?}");
            return Err(InputError::Length { shape, expected, found: elements.len() }.into());
        }
        Ok(Self { name: None, shape: shape.to_vec(), element: E::TYPE, bytes: bytes_of(elements) })
    }

    /// A tensor of `shape`, outermost size first, over the bytes of its elements: in row-major order, in the machine's byte
    /// order, at any address. For data from a file, and for elements that this crate has no type for
    /// ([`ElementType::Other`]).
    ///
    /// ```
    /// use ascendcl::{ElementType, Input};
    ///
    /// let file = 1.5_f32.to_ne_bytes().repeat(64);
    /// let image = Input::from_bytes(&[1, 64], ElementType::F32, &file)?;
    /// assert!(Input::from_bytes(&[1, 64], ElementType::F32, &file[1..]).is_err());
    /// # drop(image);
    /// # Ok::<(), ascendcl::Error>(())
    /// ```
    ///
    /// The size of [`ElementType::Other`] is known only to the library: [`Model::run`](super::Model::run) compares the bytes
    /// with what the library says for an input of a fixed shape, and refuses such an input if its shape is free. So does
    /// [`BoundModel::write_bytes`](super::BoundModel::write_bytes).
    ///
    /// # Errors
    ///
    /// [`InputError::Bytes`] when the shape has more or fewer bytes than there are.
    #[rule(DATA_08)]
    pub fn from_bytes(shape: &[usize], element: ElementType, bytes: &'a [u8]) -> Result<Self, Error> {
        let input = Self { name: None, shape: shape.to_vec(), element, bytes };
        match element.size().map(|size| elements_of(shape).saturating_mul(size)) {
            Some(expected) if expected != bytes.len() => Err(input.bytes_error(expected).into()),
            _ => Ok(input),
        }
    }

    /// The same data, for the model's input of this name instead of the one at its position.
    #[rule(DATA_07)]
    pub fn named(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    fn bytes_error(&self, expected: usize) -> InputError {
        InputError::Bytes {
            shape: format!("{:?}", self.shape),
            element: self.element,
            expected,
            found: self.bytes.len(),
        }
    }

    /// An error if the library could read beyond the bytes, because only it knows the size of an element. `least` is what it
    /// reads of an input of a fixed shape, and 0 for others.
    pub(super) fn check_bytes(&self, info: &TensorInfo, least: usize) -> Result<(), Error> {
        let (is_empty, has) = (self.shape.contains(&0), self.bytes.len());
        match least {
            _ if self.element.size().is_some() => Ok(()),
            0 if is_empty && has == 0 => Ok(()),
            0 => Err(Error::UnknownElement { name: info.name.clone(), element: self.element }),
            least if least == has => Ok(()),
            least => Err(self.bytes_error(least).into()),
        }
    }

    fn check(&self, info: &TensorInfo) -> Result<(), InputError> {
        let name = || info.name.clone();
        let truth_values_as_bytes = info.element == ElementType::Bool && self.element == ElementType::U8;
        if self.element != info.element && !truth_values_as_bytes {
            return Err(InputError::Element { name: name(), expected: info.element, found: self.element });
        }
        if !info.accepts(&self.shape) {
            let (expected, found) = (Shape(&info.shape).to_string(), format!("{:?}", self.shape));
            return Err(InputError::Shape { name: name(), expected, found });
        }
        Ok(())
    }
}

/// The inputs in the model's order, each compared with the model's description.
#[rule(DATA_07, DATA_08)]
pub(super) fn arrange<'i, 'a>(inputs: &'i [Input<'a>], infos: &[TensorInfo]) -> Result<Vec<&'i Input<'a>>, InputError> {
    same_count(infos, inputs.len())?;
    for (index, input) in inputs.iter().enumerate() {
        let Some(name) = input.name else { continue };
        if !infos.iter().any(|info| info.name == name) {
            return Err(InputError::NoSuchName { name: name.to_owned(), names: names(infos) });
        }
        if inputs.iter().skip(index + 1).any(|other| other.name == Some(name)) {
            return Err(InputError::GivenTwice { name: name.to_owned() });
        }
    }
    let mut unnamed = inputs.iter().filter(|input| input.name.is_none());
    let arranged = infos.iter().map(|info| {
        let named = inputs.iter().find(|input| input.name == Some(&info.name));
        // There are as many inputs as ports, and no two have one name. So each port without a named input gets one of
        // the others.
        let count = || InputError::Count { expected: infos.len(), found: inputs.len(), names: names(infos) };
        let input = named.or_else(|| unnamed.next()).ok_or_else(count)?;
        input.check(info).map(|()| input)
    });
    arranged.collect()
}

/// One output of a run, on the host.
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let mut model = current.load_model(file)?;
/// let outputs = model.run(current, &[ascendcl::Input::new(&[1, 64], &[0.0_f32; 64])?])?;
/// let scores = outputs.get(0)?;
/// assert_eq!((scores.shape(), scores.element()), (&[1, 10][..], ascendcl::ElementType::F32));
/// assert_eq!(scores.as_bytes().len(), 4 * scores.to_vec::<f32>()?.len());
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Output {
    name: String,
    element: ElementType,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Output {
    pub(super) fn new(info: &TensorInfo, shape: Vec<usize>, bytes: Vec<u8>) -> Self {
        Self { name: info.name.clone(), element: info.element, shape, bytes }
    }

    /// Its name in the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its element type.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Its sizes in this run, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements as bytes, in row-major order and the machine's byte order.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The elements, in row-major order.
    ///
    /// # Errors
    ///
    /// [`Error::OutputType`] if the output has another element type.
    pub fn to_vec<E: Element>(&self) -> Result<Vec<E>, Error> {
        if self.element.takes::<E>() {
            return Ok(collect_elements(&self.bytes));
        }
        Err(Error::OutputType { name: self.name.as_str().into(), found: self.element, asked: E::TYPE })
    }
}

/// The outputs of a run, in the model's order.
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// # let mut model = current.load_model(file)?;
/// let outputs = model.run(current, &[ascendcl::Input::new(&[2, 64], &[0.0_f32; 128])?])?;
/// assert_eq!((outputs.len(), outputs.get(0)?.shape()), (1, &[2, 10][..]));
/// assert_eq!(outputs.get(0)?.to_vec::<f32>()?.len(), 20);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outputs(pub(super) Vec<Output>);

impl Outputs {
    /// An output, by its index or its name.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchOutput`], [`Error::NoOutputNamed`].
    pub fn get<'n>(&self, output: impl Into<IndexOrName<'n>>) -> Result<&Output, Error> {
        let index = output.into().output(self.iter().map(Output::name))?;
        self.0.get(index).ok_or_else(|| Error::NoSuchOutput { index, count: self.0.len() })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the model has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in order.
    pub fn iter(&self) -> core::slice::Iter<'_, Output> {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a Outputs {
    type Item = &'a Output;
    type IntoIter = core::slice::Iter<'a, Output>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Outputs {
    type Item = Output;
    type IntoIter = std::vec::IntoIter<Output>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Without the elements, of which there may be millions.
impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Input");
        shown.field("name", &self.name).field("element", &self.element).field("shape", &self.shape);
        shown.finish_non_exhaustive()
    }
}

/// Without the elements, of which there may be millions.
impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Output");
        shown.field("name", &self.name).field("element", &self.element).field("shape", &self.shape);
        shown.finish_non_exhaustive()
    }
}
