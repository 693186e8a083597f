//! The one binary of black-box tests: the library as a caller sees it, on the files of this repository.

#[cfg(test)]
mod architecture;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod diff;
#[cfg(test)]
mod disk;
#[cfg(test)]
mod layout;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod prompt;
#[cfg(test)]
mod specs;
