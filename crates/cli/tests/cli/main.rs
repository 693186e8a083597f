//! The binary from outside: what it prints, and how it ends. What it decides is tested in the library.
