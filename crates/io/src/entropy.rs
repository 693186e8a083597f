//! Entropy of the operating system, for hosts that send none: with it an erased value cannot be guessed from what is
//! left of it. The library never asks for it; a replay must not have it.

use crate::IoError;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A source of entropy.
#[derive(Debug)]
pub struct Entropy(Mutex<File>);

impl Entropy {
    /// The operating system's.
    ///
    /// # Errors
    /// It has none to read.
    pub fn of_system() -> Result<Entropy, IoError> {
        let path = Path::new("/dev/urandom");
        File::open(path).map(|file| Entropy(Mutex::new(file))).map_err(|error| IoError::unreadable_file(path, &error))
    }

    /// 32 hex digits nobody can foresee; `None` where none can be had.
    pub(crate) fn salt(&self) -> Option<String> {
        let mut bytes = [0; 16];
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.read_exact(&mut bytes).ok()?;
        Some(format!("{:032x}", u128::from_be_bytes(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_salts_are_different() {
        let entropy = Entropy::of_system().unwrap();
        let (one, two) = (entropy.salt().unwrap(), entropy.salt().unwrap());
        assert_eq!((one.len(), two.len()), (32, 32));
        assert_ne!(one, two);
    }
}
