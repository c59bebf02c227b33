//! The mutants of a source file: what to change, and where.

use super::shapes::{acts, bare, binds, can_be_left_out, constants, is_comparison, is_for_tests, is_lazy, operands};
use super::text::{Change, Mutant, squeezed};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Lit, Pat, ReturnType, Signature, Stmt, Type};

/// The methods whose last argument is a closure that answers a question.
const ASKS: [&str; 11] = [
    "all",
    "any",
    "filter",
    "find",
    "is_none_or",
    "is_ok_and",
    "is_some_and",
    "position",
    "retain",
    "skip_while",
    "take_while",
];

/// The mutants of the file, which begin with this number.
pub(crate) fn mutants(file: &str, source: &str, first: usize) -> Result<Vec<Mutant>, String> {
    let parsed = syn::parse_file(source).map_err(|error| format!("{file}: {error}"))?;
    let (function, within) = ("-".to_owned(), 0..source.len());
    let mut finder = Finder { file, source, first, function, within, found: Vec::new() };
    finder.visit_file(&parsed);
    Ok(finder.found)
}

struct Finder<'s> {
    file: &'s str,
    source: &'s str,
    first: usize,
    function: String,
    within: Range<usize>,
    found: Vec<Mutant>,
}

impl Finder<'_> {
    fn range(&self, of: &impl Spanned) -> Range<usize> {
        of.span().byte_range()
    }

    fn add(&mut self, how: &str, range: Range<usize>, make: impl FnOnce(&str) -> Vec<Change>) {
        let text = squeezed(self.source.get(range.clone()).unwrap_or_default());
        let line = self.source.get(..range.start).unwrap_or_default().matches('\n').count() + 1;
        let change = if text.is_empty() { how.to_owned() } else { format!("{how}: {text}") };
        let changes = make(&format!("::guards_switch::on({})", self.first + self.found.len()));
        let (file, function, within) = (self.file.to_owned(), self.function.clone(), self.within.clone());
        self.found.push(Mutant { file, function, within, line, change, changes });
    }

    /// The expression is true, or false.
    fn forced(&mut self, expr: &Expr, to: bool) {
        let range = self.range(expr);
        let around = range.clone();
        let (how, tail) = if to { ("true", " || ") } else { ("false", " && !") };
        self.add(how, range, |on| Change::around(around, "((", &format!("){tail}{on})")));
    }

    fn boolean(&mut self, expr: &Expr) {
        self.forced(expr, true);
        self.forced(expr, false);
        self.parts(expr);
    }

    /// The parts of an expression that is true or false.
    fn parts(&mut self, expr: &Expr) {
        match bare(expr) {
            Expr::Binary(both) if is_lazy(&both.op) => {
                let is_and = matches!(both.op, BinOp::And(_));
                let mut list = Vec::new();
                operands(bare(expr), is_and, &mut list);
                for operand in list {
                    // An operand that makes no difference: whatever it says, the others decide.
                    if !binds(operand) {
                        self.forced(operand, is_and);
                        self.parts(operand);
                    } else {
                        visit::visit_expr(self, operand);
                    }
                }
            }
            Expr::Binary(both) if is_comparison(&both.op) => self.comparison(both),
            Expr::Unary(not) if matches!(not.op, syn::UnOp::Not(_)) => self.parts(&not.expr),
            other => visit::visit_expr(self, other),
        }
    }

    fn comparison(&mut self, both: &syn::ExprBinary) {
        let (sign, equal) = match both.op {
            BinOp::Lt(_) => ("<", "|| left == right && "),
            BinOp::Gt(_) => (">", "|| left == right && "),
            BinOp::Le(_) => ("<=", "&& !(left == right && "),
            BinOp::Ge(_) => (">=", "&& !(left == right && "),
            _ => {
                self.visit_expr(&both.left);
                return self.visit_expr(&both.right);
            }
        };
        let (range, left, right, op) =
            (self.range(both), self.range(&both.left), self.range(&both.right), self.range(&both.op));
        let close = if sign.len() == 2 { ")" } else { "" };
        self.add("at equality", range, |on| {
            let end = format!(")) {{ (left, right) => left {sign} right {equal}{on}{close} }})");
            let mut changes = Change::around(left, "(match (&(", ")");
            changes.push(Change::Instead(op, ",".to_owned()));
            changes.extend(Change::around(right, "&(", &end));
            changes
        });
        self.visit_expr(&both.left);
        self.visit_expr(&both.right);
    }

    fn condition(&mut self, expr: &Expr) {
        if !binds(expr) {
            return self.boolean(expr);
        }
        self.never(expr);
        self.parts(expr);
    }

    /// The condition does not hold.
    fn never(&mut self, expr: &Expr) {
        let range = self.range(expr);
        let end = range.end;
        self.add("false", range, |on| vec![Change::After(end, format!(" && !{on}"))]);
    }

    fn left_out(&mut self, range: Range<usize>) {
        let around = range.clone();
        self.add("left out", range, |on| Change::around(around, &format!("if !{on} {{ "), " }"));
    }

    /// A block of type `()`.
    fn unit_block(&mut self, block: &Block) {
        self.statements(block, true);
    }

    fn statements(&mut self, block: &Block, is_unit: bool) {
        let count = block.stmts.len();
        for (index, statement) in block.stmts.iter().enumerate() {
            let is_last = index + 1 == count;
            match statement {
                Stmt::Expr(expr, Some(_)) if can_be_left_out(expr) => {
                    self.left_out(self.range(statement));
                    visit::visit_expr(self, expr);
                }
                Stmt::Expr(expr, None) if !is_last || is_unit => self.unit(expr),
                Stmt::Local(local) if matches!(local.pat, Pat::Wild(_)) && local.init.as_ref().is_some_and(acts) => {
                    self.left_out(self.range(statement));
                    visit::visit_local(self, local);
                }
                other => visit::visit_stmt(self, other),
            }
        }
    }

    /// An expression of type `()`.
    fn unit(&mut self, expr: &Expr) {
        match expr {
            Expr::If(one) => {
                self.condition(&one.cond);
                self.unit_block(&one.then_branch);
                if let Some((_, other)) = &one.else_branch {
                    self.unit(other);
                }
            }
            Expr::Match(one) => {
                self.matched(one);
                for arm in &one.arms {
                    if let Some((_, guard)) = &arm.guard {
                        self.condition(guard);
                    }
                    self.unit(&arm.body);
                }
            }
            Expr::Block(one) => self.unit_block(&one.block),
            expr if can_be_left_out(expr) => {
                self.left_out(self.range(expr));
                visit::visit_expr(self, expr);
            }
            other => self.visit_expr(other),
        }
    }

    fn matched(&mut self, one: &syn::ExprMatch) {
        let is_bool = |pat: &Pat| matches!(pat, Pat::Lit(lit) if matches!(lit.lit, Lit::Bool(_)));
        match one.arms.iter().any(|arm| is_bool(&arm.pat)) {
            true => self.boolean(&one.expr),
            false => self.visit_expr(&one.expr),
        }
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        let text = self.source.get(self.range(block)).unwrap_or_default();
        // The compiler computes the first; the second may rely on what the caller has promised; the third is text for
        // people; the last exists for the compiler's messages, and no program that compiles can call it.
        let left_alone = signature.constness.is_some()
            || signature.unsafety.is_some()
            || signature.ident == "fmt"
            || text.contains("never()");
        if left_alone || block.stmts.is_empty() {
            return;
        }
        let within = self.range(signature).start..self.range(block).end;
        let outer = (
            std::mem::replace(&mut self.function, signature.ident.to_string()),
            std::mem::replace(&mut self.within, within),
        );
        let begin = self.range(&block.brace_token.span.open()).end;
        let values = constants(&signature.output);
        let inner = squeezed(text.trim_start_matches('{').trim_end_matches('}'));
        for value in values.iter().filter(|value| **value != inner) {
            let how = format!("return {value}");
            self.add(how.trim(), begin..begin, |on| {
                vec![Change::Before(begin, format!(" if {on} {{ return {value}; }}"))]
            });
        }
        match (values, block.stmts.as_slice()) {
            (["true", ..], [Stmt::Expr(expr, None)]) => self.parts(expr),
            (["Ok(())"], [.., Stmt::Expr(expr, None)]) if block.stmts.len() > 1 && can_be_left_out(expr) => {
                let range = self.range(expr);
                let around = range.clone();
                self.add("left out", range, |on| {
                    Change::around(around, &format!("if {on} {{ Ok(()) }} else {{ "), " }")
                });
                self.statements(block, false);
            }
            _ => self.statements(block, matches!(signature.output, ReturnType::Default)),
        }
        (self.function, self.within) = outer;
    }

    fn not_looped(&mut self, body: &Block, head: Range<usize>) {
        let begin = self.range(&body.brace_token.span.open()).end;
        self.add("no round", head, |on| vec![Change::Before(begin, format!(" if {on} {{ break; }}"))]);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            self.body(&item.sig, &item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            self.body(&item.sig, &item.block);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(&item.sig, block);
        }
    }

    // The compiler computes constants.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    // A change inside may be undefined behaviour whatever the tests do.
    fn visit_expr_unsafe(&mut self, _: &'ast syn::ExprUnsafe) {}

    fn visit_block(&mut self, block: &'ast Block) {
        self.statements(block, false);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Binary(both) if is_lazy(&both.op) || is_comparison(&both.op) => self.boolean(expr),
            other => visit::visit_expr(self, other),
        }
    }

    fn visit_expr_if(&mut self, one: &'ast syn::ExprIf) {
        self.condition(&one.cond);
        self.statements(&one.then_branch, one.else_branch.is_none());
        if let Some((_, other)) = &one.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, one: &'ast syn::ExprWhile) {
        self.never_or_false(&one.cond);
        self.unit_block(&one.body);
    }

    fn visit_expr_for_loop(&mut self, one: &'ast syn::ExprForLoop) {
        self.not_looped(&one.body, self.range(&one.pat).start..self.range(&*one.expr).end);
        self.visit_expr(&one.expr);
        self.unit_block(&one.body);
    }

    fn visit_expr_loop(&mut self, one: &'ast syn::ExprLoop) {
        self.unit_block(&one.body);
    }

    fn visit_expr_match(&mut self, one: &'ast syn::ExprMatch) {
        self.matched(one);
        for arm in &one.arms {
            if let Some((_, guard)) = &arm.guard {
                self.condition(guard);
            }
            self.visit_expr(&arm.body);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        match name.as_str() {
            "then" | "then_some" => self.boolean(&call.receiver),
            _ => self.visit_expr(&call.receiver),
        }
        for argument in &call.args {
            match argument {
                Expr::Closure(closure) if ASKS.contains(&name.as_str()) && !matches!(*closure.body, Expr::Block(_)) => {
                    self.boolean(&closure.body);
                }
                other => self.visit_expr(other),
            }
        }
    }
}

impl Finder<'_> {
    /// A condition of `while`. If it held for ever, the mutant would only hang.
    fn never_or_false(&mut self, expr: &Expr) {
        match binds(expr) {
            true => self.never(expr),
            false => self.forced(expr, false),
        }
        self.parts(expr);
    }
}
