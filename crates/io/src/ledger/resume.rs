//! A run is opened: lock, read the head, check the end, set a torn tail aside, record that.
//!
//! What is cut was never acknowledged as durable: it has no line feed. The bytes stay, in a file beside the segment.
//! Whatever stops the work half way is finished by the next opening: a torn file that lies at the end of the segment
//! has no record yet. A run without a single record has nothing to record it in; there the file itself has to do.

use super::error::LedgerError;
use super::file::{GrowingFile, read_whole, replace, temporary};
use super::head::HeadFile;
use super::lines::{bytes, last_line_end};
use super::storage::Mode;
use super::tail::sound_end;
use super::{LedgerFolder, LedgerWriter};
use flyball::canon::{Digest, ObjectWriter};
use flyball::decimal::Decimal;
use flyball::ledger::{Chain, RecordKind};
use std::path::{Path, PathBuf};

/// A torn tail that was set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The file that holds it now.
    pub path: PathBuf,
    /// Where it stood in its segment.
    pub offset: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// Their digest.
    pub sha256: Digest,
}

pub(super) fn create(folder: &LedgerFolder, run: &str) -> Result<LedgerWriter, LedgerError> {
    let chain = genesis(run)?;
    let mut locked = GrowingFile::open(&*folder.disk, folder.segment(run, 0), Mode::AppendNew)?;
    locked.lock()?;
    let whole = last_line_end(&mut locked)?;
    if whole > 0 || folder.segments(run)?.len() > 1 {
        return Err(LedgerError::Exists(locked.path().to_owned()));
    }
    let mut writer = open(folder, run, locked)?;
    if let Some(head) = writer.durable {
        return Err(LedgerError::HeadAhead { path: writer.path().to_owned(), head: head.seq });
    }
    writer.stand_behind(&chain);
    writer.set_aside(whole)?;
    writer.mend_values()?;
    Ok(writer)
}

pub(super) fn resume(
    folder: &LedgerFolder,
    run: &str,
    is_full: bool,
) -> Result<(LedgerWriter, Chain, Option<Recovered>), LedgerError> {
    let genesis = genesis(run)?;
    let mut locked = GrowingFile::open(&*folder.disk, folder.segment(run, 0), Mode::Append)?;
    locked.lock()?;
    let mut writer = open(folder, run, locked)?;
    let segments = folder.segments(run)?;
    let end = sound_end(&*folder.disk, &segments, &genesis, writer.durable, is_full)?;
    if let [_, .., last] = segments.as_slice() {
        writer.rolled = Some(GrowingFile::open(&*folder.disk, last.clone(), Mode::Append)?);
        writer.segment = u32::try_from(segments.len().saturating_sub(1)).unwrap_or(u32::MAX);
    }
    (writer.first, writer.sealed) = (end.first, end.sealed);
    writer.stand_behind(&end.chain);
    writer.set_aside(end.whole)?;
    writer.mend_values()?;
    writer.file().distrust();
    writer.sync()?;
    let mut chain = end.chain;
    let recovered = writer.record_torn(&mut chain)?;
    Ok((writer, chain, recovered))
}

fn genesis(run: &str) -> Result<Chain, LedgerError> {
    Chain::genesis(run).ok_or_else(|| LedgerError::BadRun(run.to_owned()))
}

/// A writer of a run whose lock is taken, before anybody looked at its records.
fn open(folder: &LedgerFolder, run: &str, locked: GrowingFile) -> Result<LedgerWriter, LedgerError> {
    let mut head_file = HeadFile::open(&*folder.disk, folder.head_path(run))?;
    let durable = head_file.read(run)?;
    folder.sync()?;
    Ok(LedgerWriter {
        folder: folder.clone(),
        run: run.to_owned(),
        locked,
        rolled: None,
        segment: 0,
        first: 0,
        sealed: false,
        values: None,
        head_file,
        durable,
        next: 0,
        prev: Digest::ZERO,
        unsynced: 0,
        poisoned: false,
    })
}

impl LedgerWriter {
    fn stand_behind(&mut self, chain: &Chain) {
        (self.next, self.prev) = (chain.len(), chain.head());
    }

    /// Saves what stands behind the last line feed, then cuts it off.
    fn set_aside(&mut self, whole: u64) -> Result<(), LedgerError> {
        let length = self.file().length();
        if length <= whole {
            return Ok(());
        }
        let fragment = bytes(self.file(), whole, length)?;
        let path = self.torn_path(whole, &fragment)?;
        replace(&*self.folder.disk, &path, [Ok(fragment)])?;
        self.file().cut(whole)?;
        self.file().sync()
    }

    /// A name for a torn tail that no other has: the same bytes are the same tail.
    fn torn_path(&self, offset: u64, fragment: &[u8]) -> Result<PathBuf, LedgerError> {
        let plain = self.path().with_added_extension(format!("torn-{offset}"));
        let mut path = plain.clone();
        for copy in 2_u32.. {
            match read_whole(&*self.folder.disk, &path) {
                Err(LedgerError::Missing(_)) => break,
                Ok(bytes) if bytes == fragment => break,
                Ok(_) => path = plain.with_added_extension(copy.to_string()),
                Err(error) => return Err(error),
            }
        }
        Ok(path)
    }

    /// Records the tails that were set aside at the end of this segment; the last of them.
    fn record_torn(&mut self, chain: &mut Chain) -> Result<Option<Recovered>, LedgerError> {
        let offset = self.file().length();
        let mut recovered = None;
        for path in self.torn_files(offset)? {
            let bytes = read_whole(&*self.folder.disk, &path)?;
            let torn = Recovered { path, offset, bytes: bytes.len() as u64, sha256: Digest::of(&bytes) };
            if !chain.is_empty() {
                self.append_own(chain, RecordKind::LogRecovered, |out| torn.write(out))?;
            }
            recovered = Some(torn);
        }
        Ok(recovered)
    }

    fn torn_files(&self, offset: u64) -> Result<Vec<PathBuf>, LedgerError> {
        let folder = &self.folder.path;
        let names = self.folder.disk.names(folder).map_err(LedgerError::io("readdir", folder))?;
        let segment = self.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let plain = format!("{segment}.torn-{offset}");
        let is_torn = |name: &&String| {
            let rest = name.strip_prefix(&plain);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') && !rest.ends_with(".tmp"))
        };
        let mut paths: Vec<PathBuf> = names.iter().filter(is_torn).map(|name| folder.join(name)).collect();
        paths.sort_unstable();
        Ok(paths)
    }

    /// Opens the values file where there is one. A half line at its end belongs to no record, and is not kept: what is
    /// in this file must go when it is erased. So must what an interrupted erasure left.
    fn mend_values(&mut self) -> Result<(), LedgerError> {
        let path = self.folder.values_path(&self.run);
        remove_if_there(self, &temporary(&path))?;
        let mut file = match GrowingFile::open(&*self.folder.disk, path, Mode::Append) {
            Err(LedgerError::Missing(_)) => return Ok(()),
            opened => opened?,
        };
        let whole = last_line_end(&mut file)?;
        if whole < file.length() {
            file.cut(whole)?;
        }
        file.distrust();
        self.values = Some(file);
        Ok(())
    }
}

fn remove_if_there(writer: &LedgerWriter, path: &Path) -> Result<(), LedgerError> {
    match writer.folder.disk.remove(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(LedgerError::io("unlink", path)(error)),
        _ => Ok(()),
    }
}

impl Recovered {
    fn write(&self, out: &mut Vec<u8>) {
        let mut data = ObjectWriter::new(out);
        data.number("bytes", Decimal::from(self.bytes)).number("offset", Decimal::from(self.offset));
        data.field("sha256", |out| self.sha256.write_json(out));
        data.finish();
    }
}
