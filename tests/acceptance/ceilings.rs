//! A plan's ceilings hold exactly, however many ask at once.
