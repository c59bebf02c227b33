//! A life cycle that uses every feature of the language.

ascendcl_macros::protocol! {
    /// A mapping of device memory.
    pub mod mapping;

    /// MAP-01: what was reserved is released.
    [*] --> Reserved : reserve;
    /// It comes mapped from another process.
    [*] --> Mapped : import;
    [*] --> Lost : import fails;
    Reserved --> Mapped : map;
    /// MAP-02, MAP-03: a half-made mapping can only be released.
    Reserved --> Lost : map fails;
    Mapped --> Mapped : r#move;
    Mapped --> Mapped : r#move fails;
    /// MAP-02: the a|b of a mapping | its halves.
    Mapped --> Reserved : unmap;
    Mapped --> Shared : import;
    Shared --> Mapped : unshare;
    Reserved --> [*] : release;
    Lost --> [*] : release;
    /// MAP-04: {never} released again, whatever the call says.
    Lost --> [*] : release fails;

    on map {
        message: "a mapping in state `{Self}` cannot be mapped",
        label: "expected state `Reserved`",
        note: "MAP-05, MAP-02: `{Self}` is in use; sets are written {{a, b}}",
        note: "unmap it first",
    }

    on import {
        label: "expected a mapping of this process",
    }

    /// Mapped for `T`.
    ///
    /// It can move.
    state Mapped<T, U>;

    /// Nothing is known of it.
    state Lost;
}
