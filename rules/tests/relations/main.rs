//! The checker on hand-made events: each misuse gives exactly its rule, and its repaired twin gives nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

mod aborts;
mod allocators;
mod apart;
mod behind_callbacks;
mod callbacks;
mod conflicts;
mod contexts;
mod declared;
mod elsewhere;
mod events;
mod explained;
mod finalised_early;
mod follows;
mod given_out_again;
mod graphs;
mod in_flight;
mod left_registrations;
mod lengths;
mod meant;
mod memory;
mod models;
mod near;
mod near_memory;
mod not_made;
mod of_the_context;
mod orders;
mod overlapping;
mod pools;
mod process;
mod random;
mod refused;
mod registered;
mod remembered;
mod reports;
mod runs;
mod sets;
mod sharing;
mod streams;
mod taken;
mod texts;
mod texts_of_objects;
mod threads;
mod told_again;
mod virtual_memory;
mod waits;
mod went_on;
