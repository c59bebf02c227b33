//! Numbers, shapes and durations: the page of what takes or returns one says what it counts.

use super::{is_hidden, own_files, read, text};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Field, Fields, GenericArgument, ImplItem, Item, ItemImpl, ItemTrait, PathArguments, ReturnType,
    Signature, TraitItem, Type, Visibility,
};

/// Words that say what a number counts.
const OF_NUMBERS: &[&str] = &[
    "address",
    "axis",
    "byte",
    "code",
    "count",
    "dimension",
    "element",
    "float",
    "handle",
    "how many",
    "id of",
    "ids",
    "index",
    "length",
    "millisecond",
    "nanosecond",
    "number",
    "numbers",
    "percent",
    "priority",
    "rows",
    "size of",
    "sizes",
    "times",
    "version",
];
/// Words that say what a shape is. The order of its dimensions is on the pages of `model` and `operator`.
const OF_SHAPES: &[&str] = &["dimension", "index", "numbers", "shape", "sizes"];
/// Words that say in which steps a duration is counted. The library counts in milliseconds, and 0 or less means for ever.
const OF_DURATIONS: &[&str] = &["millisecond", "rounded up", "at most"];
/// Pages that stand for others: "As [`synchronize`]".
const LIKE: &[&str] = &["As [`", "as [`", "Like [`", "like [`"];

/// What a page has to say, with the place that the page is about.
#[derive(Default)]
struct Claims {
    numbers: Vec<(String, String)>,
    shapes: Vec<(String, String)>,
    durations: Vec<(String, String)>,
}

/// The kinds of numbers in a type.
#[derive(Default, Clone, Copy)]
struct Kinds {
    number: bool,
    shape: bool,
    duration: bool,
}

impl Kinds {
    fn of(kind: &Type) -> Self {
        let mut kinds = Self::default();
        kinds.visit_type(kind);
        kinds
    }

    fn and(self, other: Self) -> Self {
        Self {
            number: self.number | other.number,
            shape: self.shape | other.shape,
            duration: self.duration | other.duration,
        }
    }
}

const NUMBERS: [&str; 9] = ["usize", "u8", "u16", "u32", "u64", "i32", "i64", "f32", "f64"];

impl<'ast> Visit<'ast> for Kinds {
    fn visit_type(&mut self, kind: &'ast Type) {
        match kind {
            Type::Slice(slice) if is_named(&slice.elem, "usize") => self.shape = true,
            // The program's own functions and bounds take what they want.
            Type::ImplTrait(_) | Type::BareFn(_) | Type::TraitObject(_) => {}
            _ => visit::visit_type(self, kind),
        }
    }

    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        let name = segment.ident.to_string();
        self.number |= NUMBERS.contains(&name.as_str());
        self.duration |= name == "Duration";
        match &segment.arguments {
            PathArguments::AngleBracketed(of) if name == "Vec" => {
                let first = of.args.first();
                match first {
                    Some(GenericArgument::Type(kind)) if is_named(kind, "usize") => self.shape = true,
                    Some(GenericArgument::Type(kind)) => self.visit_type(kind),
                    _ => {}
                }
            }
            arguments => visit::visit_path_arguments(self, arguments),
        }
    }
}

fn is_named(kind: &Type, name: &str) -> bool {
    matches!(kind, Type::Path(path) if path.path.is_ident(name))
}

fn of_signature(signature: &Signature) -> Kinds {
    let taken = signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(argument) => Some(Kinds::of(&argument.ty)),
        syn::FnArg::Receiver(_) => None,
    });
    let given = match &signature.output {
        ReturnType::Type(_, kind) => Kinds::of(kind),
        ReturnType::Default => Kinds::default(),
    };
    taken.fold(given, Kinds::and)
}

impl Claims {
    fn add(&mut self, name: String, attributes: &[Attribute], kinds: Kinds) {
        if is_hidden(attributes) {
            return;
        }
        let page: String = attributes.iter().filter_map(text).fold(String::new(), |page, line| page + &line + "\n");
        let page = without_programs(&page);
        for (has, claims) in
            [(kinds.number, &mut self.numbers), (kinds.shape, &mut self.shapes), (kinds.duration, &mut self.durations)]
        {
            if has {
                claims.push((name.clone(), page.clone()));
            }
        }
    }

    fn field(&mut self, owner: &str, field: &Field) {
        if let (Visibility::Public(_), Some(name)) = (&field.vis, &field.ident) {
            self.add(format!("{owner}.{name}"), &field.attrs, Kinds::of(&field.ty));
        }
    }
}

impl<'ast> Visit<'ast> for Claims {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(item) if matches!(item.vis, Visibility::Public(_)) => {
                self.add(item.sig.ident.to_string(), &item.attrs, of_signature(&item.sig));
            }
            Item::Struct(item) if matches!(item.vis, Visibility::Public(_)) && !is_hidden(&item.attrs) => {
                if let Fields::Named(fields) = &item.fields {
                    fields.named.iter().for_each(|field| self.field(&item.ident.to_string(), field));
                }
            }
            Item::Enum(item) if matches!(item.vis, Visibility::Public(_)) && !is_hidden(&item.attrs) => {
                for variant in &item.variants {
                    for field in &variant.fields {
                        let name = field.ident.as_ref().map_or_else(String::new, |name| format!(".{name}"));
                        // The variant's own page may say it.
                        let attributes: Vec<_> = variant.attrs.iter().chain(&field.attrs).cloned().collect();
                        self.add(format!("{}::{}{name}", item.ident, variant.ident), &attributes, Kinds::of(&field.ty));
                    }
                }
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let (Type::Path(owner), None) = (&*item.self_ty, &item.trait_) else { return };
        if is_hidden(&item.attrs) {
            return;
        }
        let owner = &owner.path.segments.last().unwrap().ident;
        for method in &item.items {
            if let ImplItem::Fn(method) = method
                && matches!(method.vis, Visibility::Public(_))
            {
                self.add(format!("{owner}::{}", method.sig.ident), &method.attrs, of_signature(&method.sig));
            }
        }
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        if !matches!(item.vis, Visibility::Public(_)) || is_hidden(&item.attrs) {
            return;
        }
        for method in &item.items {
            if let TraitItem::Fn(method) = method {
                self.add(format!("{}::{}", item.ident, method.sig.ident), &method.attrs, of_signature(&method.sig));
            }
        }
    }

    /// What only its own crate sees.
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.ident != "sealed" && item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }
}

fn without_programs(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

fn claims() -> Claims {
    let mut claims = Claims::default();
    own_files().iter().for_each(|file| claims.visit_file(&read(file)));
    claims
}

/// The places whose page has none of the words, and does not lead to another page either.
fn without<'c>(claims: &'c [(String, String)], words: &[&str]) -> BTreeSet<&'c str> {
    let says = |page: &str| {
        let page = page.to_lowercase();
        // Not inside of another word: "grows" has no rows.
        let begins = |place: usize| !page[..place].ends_with(char::is_alphabetic);
        words.iter().any(|word| page.match_indices(word).any(|(place, _)| begins(place)))
    };
    let leads = |page: &str| LIKE.iter().any(|like| page.contains(like));
    claims.iter().filter(|(_, page)| !says(page) && !leads(page)).map(|(name, _)| name.as_str()).collect()
}

#[test]
fn each_number_says_what_it_counts() {
    let claims = claims();
    assert!(claims.numbers.len() >= 100, "{}", claims.numbers.len());
    let without = without(&claims.numbers, OF_NUMBERS);
    assert!(without.is_empty(), "{} pages do not say what their numbers count: {without:#?}", without.len());
}

#[test]
fn each_shape_is_called_one_and_each_duration_says_its_steps() {
    let claims = claims();
    assert!(
        claims.shapes.len() >= 15 && claims.durations.len() >= 12,
        "{} {}",
        claims.shapes.len(),
        claims.durations.len()
    );
    let (shapes, durations) = (without(&claims.shapes, OF_SHAPES), without(&claims.durations, OF_DURATIONS));
    assert!(shapes.is_empty(), "{} pages do not say that a shape is one: {shapes:#?}", shapes.len());
    assert!(durations.is_empty(), "{} pages do not say how a duration is counted: {durations:#?}", durations.len());
}

#[test]
fn a_page_that_says_nothing_of_its_numbers_is_found() {
    let file = syn::parse_str(
        "pub struct Pool { /// How much.\n pub reserved: usize, /// Its bytes.\n pub bytes: u64, pub name: String }
         impl Pool { /// Grows.\n pub fn grow(&mut self, by: usize) {} /// Waits.\n pub fn wait(&self, limit: Duration) {}
             /// Its extent.\n pub fn extent(&self) -> &[usize] {} /// Names it.\n pub fn name(&self) -> &str {} }",
    );
    let mut claims = Claims::default();
    claims.visit_file(&file.unwrap());
    assert_eq!(without(&claims.numbers, OF_NUMBERS), ["Pool.reserved", "Pool::grow"].into());
    assert_eq!(without(&claims.shapes, OF_SHAPES), ["Pool::extent"].into());
    assert_eq!(without(&claims.durations, OF_DURATIONS), ["Pool::wait"].into());
}
