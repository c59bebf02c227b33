//! `state CustomAllocator<A>;`: the documentation and the parameters of a state's type.

use super::Documentation;
use super::declaration::end;
use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Error, Result, Token};

pub(crate) struct StateLine {
    pub(crate) documentation: Documentation,
    pub(crate) name: Ident,
    pub(crate) parameters: Vec<Ident>,
}

impl StateLine {
    pub(super) fn read(documentation: Documentation, input: ParseStream<'_>) -> Result<Self> {
        input.call(Ident::parse_any)?;
        let name = input.call(Ident::parse_any)?;
        let parameters = if input.peek(Token![<]) { input.call(parameters)? } else { Vec::new() };
        end(input, &format!("`state {name}`"))?;
        Ok(Self { documentation, name, parameters })
    }
}

fn parameters(input: ParseStream<'_>) -> Result<Vec<Ident>> {
    let message = "a parameter is the name of a type without bounds, as in `state CustomAllocator<A>;`";
    input.parse::<Token![<]>()?;
    let names = Punctuated::<Ident, Token![,]>::parse_separated_nonempty(input);
    let names = names.map_err(|error| Error::new(error.span(), message))?;
    input.parse::<Token![>]>().map_err(|error| Error::new(error.span(), message))?;
    Ok(names.into_iter().collect())
}
