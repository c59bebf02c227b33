//! What kind of expression, attribute or type a piece of source is.

use syn::{BinOp, Expr, ReturnType, Type};

/// The expression without the parentheses around it.
pub(super) fn bare(mut expr: &Expr) -> &Expr {
    while let Expr::Paren(inner) = expr {
        expr = &inner.expr;
    }
    expr
}

pub(super) fn is_lazy(op: &BinOp) -> bool {
    matches!(op, BinOp::And(_) | BinOp::Or(_))
}

pub(super) fn is_comparison(op: &BinOp) -> bool {
    matches!(op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_))
}

pub(super) fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::MulAssign(_)
    )
}

/// Whether the condition binds names.
pub(super) fn binds(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Let(_) => true,
        Expr::Binary(both) if is_lazy(&both.op) => binds(&both.left) || binds(&both.right),
        _ => false,
    }
}

/// The operands of a chain of one operator, from left to right.
pub(super) fn operands<'e>(expr: &'e Expr, is_and: bool, into: &mut Vec<&'e Expr>) {
    match bare(expr) {
        Expr::Binary(both) if is_lazy(&both.op) && matches!(both.op, BinOp::And(_)) == is_and => {
            operands(&both.left, is_and, into);
            operands(&both.right, is_and, into);
        }
        _ => into.push(expr),
    }
}

/// Whether the statement can be left out: a call that returns and whose result nobody uses, or an assignment.
pub(super) fn can_be_left_out(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => call.method != "resume",
        Expr::Try(_) | Expr::Assign(_) => true,
        // Without its `drop`, a value is still borrowed or locked: such a mutant hangs, or does not compile. A
        // constructor does nothing.
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => !path.path.is_ident("drop") && !path.path.segments.last().is_some_and(is_of_a_type),
            _ => true,
        },
        Expr::Binary(both) => is_assignment(&both.op),
        _ => false,
    }
}

/// Whether the name is that of a type or a variant.
pub(super) fn is_of_a_type(segment: &syn::PathSegment) -> bool {
    segment.ident.to_string().starts_with(char::is_uppercase)
}

/// Whether the value of `let _ = …` does something: names alone only count as used.
pub(super) fn acts(value: &syn::LocalInit) -> bool {
    let is_name = |value: &Expr| matches!(value, Expr::Path(_));
    match &*value.expr {
        Expr::Tuple(several) => !several.elems.iter().all(is_name),
        value => !is_name(value),
    }
}

pub(super) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    let is_test = |list: &syn::MetaList| list.tokens.to_string() == "test";
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.meta.require_list().is_ok_and(is_test)
            || attribute.path().is_ident("test")
    })
}

/// What a function can return without doing anything.
pub(super) fn constants(output: &ReturnType) -> &'static [&'static str] {
    let ReturnType::Type(_, of) = output else { return &[""] };
    let Type::Path(path) = &**of else { return &[] };
    let Some(last) = path.path.segments.last() else { return &[] };
    match last.ident.to_string().as_str() {
        "bool" => &["true", "false"],
        "Option" => &["None"],
        "Result" if gives_nothing(last) => &["Ok(())"],
        _ => &[],
    }
}

/// Whether the first argument of the type is `()`.
pub(super) fn gives_nothing(segment: &syn::PathSegment) -> bool {
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else { return false };
    let first = arguments.args.first();
    matches!(first, Some(syn::GenericArgument::Type(Type::Tuple(tuple))) if tuple.elems.is_empty())
}
