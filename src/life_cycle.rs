//! A method that takes a step in an object's life says which one; the compiler compares it with the line of the
//! declaration (`rules/src/life_cycles.rs`).

/// `leads!(stream: S, CanRegister => CustomAllocator<A>)` where the states are types, and
/// `leads!(model: Loaded --> Running : Execute)` where a value of some type means that the object is in a state.
macro_rules! leads {
    ($object:ident: $from:ty, $operation:ident => $to:ty) => {
        const {
            use ascendcl_rules::$object;
            assert!(<$from as $object::$operation>::THEN.is(<$to as $object::State>::AT))
        }
    };
    ($($object:ident: $from:ident --> $to:ident : $operation:ident),+ $(,)?) => {
        // Items, because the compiler checks them in a generic method that nobody has called yet, too.
        $(const _: () = {
            use ascendcl_rules::$object::{At, Op, Outcome};
            assert!(matches!(At::$from.after(Op::$operation, Outcome::Done), Some(At::$to)));
        };)+
    };
}
pub(crate) use leads;
