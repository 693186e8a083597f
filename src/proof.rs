//! What can be proved of a spec without running it.
