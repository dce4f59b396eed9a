//! A request that comes again is answered as the first time.
