//! The comparison of a method with the line of the declaration that it takes a step of.

/// A method that takes a step in an object's life says which one. The compiler compares it with the line of the
/// declaration.
///
/// `leads!(stream: S, CanRegister => CustomAllocator<A>)` where the states are types, and
/// `leads!(model: Loaded --> Running : Execute)` where a value of some type means that the object is in a state.
///
/// ```
/// ascendcl_rules::leads!(model: Loaded --> Running : Execute);
/// ```
///
/// ```compile_fail,E0080
/// ascendcl_rules::leads!(model: Running --> Loaded : Execute);
/// ```
#[macro_export]
macro_rules! leads {
    ($object:ident: $from:ty, $operation:ident => $to:ty) => {
        const {
            use $crate::$object;
            assert!(<$from as $object::$operation>::THEN.is(<$to as $object::State>::AT))
        }
    };
    ($($object:ident: $from:ident --> $to:ident : $operation:ident),+ $(,)?) => {
        // Items, which are looked at in a generic method that nobody has called yet, too.
        $(const _: () = {
            use $crate::$object::{At, Op, Outcome};
            assert!(matches!(At::$from.after(Op::$operation, Outcome::Done), Some(At::$to)));
        };)+
    };
}
