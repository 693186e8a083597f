//! A file that only grows, with the length up to which it is whole.
//!
//! Every method is one call to the disk. A failed append is not undone here: the writer decides how far back to cut.

use super::error::LedgerError;
use super::storage::{Disk, DiskFile, Mode};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct GrowingFile {
    path: PathBuf,
    file: Box<dyn DiskFile>,
    length: u64,
    unsynced: bool,
}

impl GrowingFile {
    pub(super) fn open(disk: &dyn Disk, path: PathBuf, mode: Mode) -> Result<GrowingFile, LedgerError> {
        let file = disk.open(&path, mode).map_err(LedgerError::io("open", &path))?;
        let length = file.size().map_err(LedgerError::io("stat", &path))?;
        Ok(GrowingFile { path, file, length, unsynced: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn lock(&mut self) -> Result<(), LedgerError> {
        let locked = self.file.try_lock().map_err(LedgerError::io("flock", &self.path))?;
        // The one before may have written until it let go.
        self.length = self.file.size().map_err(LedgerError::io("stat", &self.path))?;
        if locked { Ok(()) } else { Err(LedgerError::Busy(self.path.clone())) }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), LedgerError> {
        let written = uninterrupted(|| self.file.append(bytes)).map_err(LedgerError::io("write", &self.path))?;
        if written < bytes.len() {
            return Err(LedgerError::io("write", &self.path)(ErrorKind::WriteZero.into()));
        }
        self.length = self.length.saturating_add(u64::try_from(written).unwrap_or(u64::MAX));
        self.unsynced = true;
        Ok(())
    }

    /// Makes it durable. After a failure nobody knows what the disk holds, so it must not be tried again.
    pub(super) fn sync(&mut self) -> Result<(), LedgerError> {
        if self.unsynced {
            self.file.sync_data().map_err(LedgerError::io("fdatasync", &self.path))?;
            self.unsynced = false;
        }
        Ok(())
    }

    /// Cuts it to a length, also where it is not longer by this writer's knowledge: a write can fail half done.
    pub(super) fn cut(&mut self, length: u64) -> Result<(), LedgerError> {
        self.file.truncate(length).map_err(LedgerError::io("ftruncate", &self.path))?;
        self.length = length;
        self.unsynced = true;
        Ok(())
    }

    /// Says that it may hold what an earlier process did not make durable.
    pub(super) fn distrust(&mut self) {
        self.unsynced = true;
    }

    /// Fills the buffer from an offset.
    pub(super) fn read(&mut self, buffer: &mut [u8], offset: u64) -> Result<(), LedgerError> {
        read_exact(&mut *self.file, buffer, offset).map_err(LedgerError::io("read", &self.path))
    }
}

pub(super) fn read_exact(file: &mut dyn DiskFile, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        let read = uninterrupted(|| file.read_at(buffer, offset))?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        buffer = buffer.get_mut(read..).unwrap_or_default();
        offset = offset.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
    }
    Ok(())
}

/// Everything in a file.
pub(super) fn read_whole(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>, LedgerError> {
    let mut file = disk.open(path, Mode::Read).map_err(LedgerError::io("open", path))?;
    let size = file.size().map_err(LedgerError::io("stat", path))?;
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(usize::MAX)];
    read_exact(&mut *file, &mut bytes, 0).map_err(LedgerError::io("read", path))?;
    Ok(bytes)
}

/// Puts a whole file in place of what has its name, durably: others see the old one or the new one.
pub(super) fn replace(
    disk: &dyn Disk,
    path: &Path,
    chunks: impl IntoIterator<Item = Result<Vec<u8>, LedgerError>>,
) -> Result<(), LedgerError> {
    let temporary = temporary(path);
    let mut file = disk.open(&temporary, Mode::Rewrite).map_err(LedgerError::io("open", &temporary))?;
    for chunk in chunks {
        write_all(&mut *file, &chunk?).map_err(LedgerError::io("write", &temporary))?;
    }
    file.sync_data().map_err(LedgerError::io("fdatasync", &temporary))?;
    disk.rename(&temporary, path).map_err(LedgerError::io("rename", path))?;
    let folder = path.parent().unwrap_or(path);
    disk.sync_folder(folder).map_err(LedgerError::io("fsync", folder))
}

/// The name a file has until it is whole.
pub(super) fn temporary(path: &Path) -> PathBuf {
    path.with_added_extension("tmp")
}

fn write_all(file: &mut dyn DiskFile, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = uninterrupted(|| file.append(bytes))?;
        if written == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(written..).unwrap_or_default();
    }
    Ok(())
}

/// Calls again where a signal came in between; nothing was done then.
pub(super) fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
