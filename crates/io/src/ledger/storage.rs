//! What the ledger asks of a disk, and the real one.
//!
//! [`Disk`] is names, [`DiskFile`] is bytes; each method is one call to the system, so that a test can fail or end the
//! world at any of them. Nothing here knows what a record is, retries, or buffers.

use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To be read.
    Read,
    /// To be read, and written at its end; it exists.
    Append,
    /// To be read, and written at its end; it is made where it does not exist.
    AppendNew,
    /// To be read, and written in place; it is made where it does not exist.
    Patch,
    /// To be written anew from the start.
    Rewrite,
}

/// A place for files.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Makes a folder and those above it; one that exists is fine.
    ///
    /// # Errors
    /// The system's.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Opens a file; one that is made is for its owner's eyes only.
    ///
    /// # Errors
    /// The system's.
    fn open(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn DiskFile>>;

    /// Gives a file another name, in place of what had it.
    ///
    /// # Errors
    /// The system's.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// The system's.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// The names in a folder, in any order.
    ///
    /// # Errors
    /// The system's.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Makes the names in a folder durable.
    ///
    /// # Errors
    /// The system's.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// An open file.
pub trait DiskFile: fmt::Debug + Send {
    /// Takes the file for this writer alone, until it is dropped; false if another has it.
    ///
    /// # Errors
    /// The system's.
    fn try_lock(&mut self) -> io::Result<bool>;

    /// How many bytes it has.
    ///
    /// # Errors
    /// The system's.
    fn size(&self) -> io::Result<u64>;

    /// Reads from an offset, possibly less than asked for.
    ///
    /// # Errors
    /// The system's.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes at the end with one call, possibly less than given.
    ///
    /// # Errors
    /// The system's.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Writes at an offset with one call, possibly less than given.
    ///
    /// # Errors
    /// The system's.
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<usize>;

    /// Makes the bytes durable.
    ///
    /// # Errors
    /// The system's.
    fn sync_data(&mut self) -> io::Result<()>;

    /// Cuts the file to a length.
    ///
    /// # Errors
    /// The system's.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path)
    }

    fn open(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        match mode {
            Mode::Read => options.read(true),
            Mode::Append => options.read(true).append(true),
            Mode::AppendNew => options.read(true).append(true).create(true),
            Mode::Patch => options.read(true).write(true).create(true).truncate(false),
            Mode::Rewrite => options.write(true).create(true).truncate(true),
        };
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map(|file| Box::new(RealFile(file)) as Box<dyn DiskFile>)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let name = |entry: io::Result<std::fs::DirEntry>| entry.map(|entry| entry.file_name().into_string().ok());
        std::fs::read_dir(folder)?.filter_map(|entry| name(entry).transpose()).collect()
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Elsewhere a folder cannot be opened as a file, and names are durable without.
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }
}

#[derive(Debug)]
struct RealFile(File);

impl DiskFile for RealFile {
    fn try_lock(&mut self) -> io::Result<bool> {
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn size(&self) -> io::Result<u64> {
        self.0.metadata().map(|metadata| metadata.len())
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.seek(SeekFrom::Start(offset))?;
        self.0.read(buffer)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.0.seek(SeekFrom::Start(offset))?;
        self.0.write(bytes)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }
}
