//! The comparison of a method with the declaration of the step that it takes.

/// Declares the step that a method takes in an object's life. The compiler compares it with the line of the
/// declaration.
///
/// Use `leads!(stream: S, CanRegister => CustomAllocator<A>)` if the states are types, and `leads!(model: Loaded -->
/// Running : Execute)` if a value of some type means that the object is in a state.
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
        // These are constants, so the compiler checks them even in a generic method that is never called.
        $(const _: () = {
            use $crate::$object::{At, Op, Outcome};
            assert!(matches!(At::$from.after(Op::$operation, Outcome::Done), Some(At::$to)));
        };)+
    };
}
