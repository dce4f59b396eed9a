//! The command line, the configuration and what operators watch.
