//! A disk in memory that can fail at its n-th call, or lose power there.
//!
//! What is written is kept apart until it is synced. When the power goes, each unsynced write stays or goes by itself,
//! torn at 512 bytes, and each name that was given since the folder was synced stays or goes.

use crate::support::Dice;
use flyball_io::ledger::{Disk, DiskFile, Mode};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

const SECTOR: usize = 512;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The call fails and does nothing.
    Error,
    /// A write is done by half; another call finds no room.
    Short,
    /// The power goes during the call.
    PowerLoss,
}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> io::Error {
        match fault {
            Fault::Error => io::Error::from_raw_os_error(5),
            Fault::Short => ErrorKind::StorageFull.into(),
            Fault::PowerLoss => ErrorKind::BrokenPipe.into(),
        }
    }
}

/// At which call, and whether everything after fails too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) call: u64,
    pub(crate) fault: Fault,
    pub(crate) is_lasting: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct SimDisk(Arc<Mutex<World>>);

#[derive(Debug, Default)]
struct World {
    calls: u64,
    plan: Option<Plan>,
    syncs_lie: bool,
    files: Vec<Bytes>,
    live: BTreeMap<PathBuf, usize>,
    durable: BTreeMap<PathBuf, usize>,
    names: Vec<Name>,
    locked: BTreeSet<usize>,
}

#[derive(Debug, Default)]
struct Bytes {
    live: Vec<u8>,
    durable: Vec<u8>,
    unsynced: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Cut(usize),
}

#[derive(Clone, Debug)]
enum Name {
    Given(PathBuf, usize),
    Moved(PathBuf, PathBuf),
    Removed(PathBuf),
}

impl SimDisk {
    pub(crate) fn new() -> SimDisk {
        SimDisk(Arc::default())
    }

    /// A disk that says it synced and did not.
    pub(crate) fn lying() -> SimDisk {
        let disk = SimDisk::new();
        disk.world().syncs_lie = true;
        disk
    }

    /// What goes wrong from here on, counted from here on.
    pub(crate) fn plan(&self, plan: Option<Plan>) {
        let mut world = self.world();
        world.calls = 0;
        world.plan = plan;
    }

    pub(crate) fn calls(&self) -> u64 {
        self.world().calls
    }

    /// The process is gone and the machine goes on.
    pub(crate) fn restart(&self) {
        self.plan(None);
        self.world().locked.clear();
    }

    /// The machine is gone and comes back with what its disk has.
    pub(crate) fn reboot(&self, dice: &mut Dice) {
        self.restart();
        self.world().reboot(dice);
    }

    pub(crate) fn contents(&self, path: &Path) -> Option<Vec<u8>> {
        let world = self.world();
        world.live.get(path).map(|file| world.files[*file].live.clone())
    }

    /// The segments of a run, one behind the other.
    pub(crate) fn bytes_of(&self, folder: &Path, run: &str) -> Vec<u8> {
        let name = |number: u32| match number {
            0 => format!("{run}.jsonl"),
            _ => format!("{run}.{number:06}.jsonl"),
        };
        (0..).map_while(|number| self.contents(&folder.join(name(number)))).flatten().collect()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }
}

impl World {
    /// Counts a call; says what is wrong with it.
    fn fault(&mut self) -> Option<Fault> {
        let number = self.calls;
        self.calls += 1;
        let plan = self.plan?;
        (number == plan.call || number > plan.call && plan.is_lasting).then_some(plan.fault)
    }

    /// A call that is done whole or not at all.
    fn whole_call(&mut self) -> io::Result<()> {
        self.fault().map_or(Ok(()), |fault| Err(fault.into()))
    }

    fn change(&mut self, file: usize, change: Change) {
        let bytes = &mut self.files[file];
        apply(&mut bytes.live, &change);
        bytes.unsynced.push(change);
    }

    fn reboot(&mut self, dice: &mut Dice) {
        for bytes in &mut self.files {
            for change in std::mem::take(&mut bytes.unsynced) {
                match change {
                    Change::Cut(_) if dice.one_in(2) => apply(&mut bytes.durable, &change),
                    Change::Write(offset, data) if dice.one_in(2) => torn(&mut bytes.durable, offset, &data, dice),
                    _ => {}
                }
            }
            bytes.live = bytes.durable.clone();
        }
        for name in std::mem::take(&mut self.names) {
            if dice.one_in(2) {
                rename(&mut self.durable, &name);
            }
        }
        self.live = self.durable.clone();
    }
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Cut(length) => bytes.resize(*length, 0),
        Change::Write(offset, data) => {
            bytes.resize(bytes.len().max(offset + data.len()), 0);
            bytes[*offset..offset + data.len()].copy_from_slice(data);
        }
    }
}

/// A write of which every sector may be missing: mostly none is, so that whole lines stand behind holes.
fn torn(bytes: &mut Vec<u8>, offset: usize, data: &[u8], dice: &mut Dice) {
    let is_torn = dice.one_in(2);
    let mut start = offset;
    while start < offset + data.len() {
        let end = ((start / SECTOR + 1) * SECTOR).min(offset + data.len());
        if !(is_torn && dice.one_in(2)) {
            apply(bytes, &Change::Write(start, data[start - offset..end - offset].to_vec()));
        }
        start = end;
    }
}

fn rename(names: &mut BTreeMap<PathBuf, usize>, name: &Name) {
    match name {
        Name::Given(path, file) => _ = names.insert(path.clone(), *file),
        Name::Removed(path) => _ = names.remove(path),
        Name::Moved(from, to) => {
            if let Some(file) = names.remove(from) {
                names.insert(to.clone(), file);
            }
        }
    }
}

impl Disk for SimDisk {
    fn create_folder(&self, _: &Path) -> io::Result<()> {
        self.world().whole_call()
    }

    fn open(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn DiskFile>> {
        let mut world = self.world();
        world.whole_call()?;
        let file = match (world.live.get(path).copied(), mode) {
            (Some(file), Mode::Rewrite) => {
                world.change(file, Change::Cut(0));
                file
            }
            (Some(file), _) => file,
            (None, Mode::Read | Mode::Append) => return Err(ErrorKind::NotFound.into()),
            (None, _) => {
                let file = world.files.len();
                world.files.push(Bytes::default());
                world.live.insert(path.to_owned(), file);
                world.names.push(Name::Given(path.to_owned(), file));
                file
            }
        };
        Ok(Box::new(SimFile { disk: self.clone(), file, has_lock: false }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.whole_call()?;
        let name = Name::Moved(from.to_owned(), to.to_owned());
        rename(&mut world.live, &name);
        world.names.push(name);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.whole_call()?;
        world.live.remove(path).ok_or(ErrorKind::NotFound)?;
        world.names.push(Name::Removed(path.to_owned()));
        Ok(())
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut world = self.world();
        world.whole_call()?;
        let in_folder = world.live.keys().filter(|path| path.parent() == Some(folder));
        Ok(in_folder.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.whole_call()?;
        let is_in = |path: &Path| path.parent() == Some(folder);
        for name in std::mem::take(&mut world.names) {
            match &name {
                Name::Given(path, _) | Name::Removed(path) | Name::Moved(_, path)
                    if is_in(path) && !world.syncs_lie =>
                {
                    rename(&mut world.durable, &name);
                }
                _ => world.names.push(name),
            }
        }
        Ok(())
    }
}

#[derive(Debug)]
struct SimFile {
    disk: SimDisk,
    file: usize,
    has_lock: bool,
}

impl DiskFile for SimFile {
    fn try_lock(&mut self) -> io::Result<bool> {
        let mut world = self.disk.world();
        world.whole_call()?;
        self.has_lock = world.locked.insert(self.file);
        Ok(self.has_lock)
    }

    fn size(&self) -> io::Result<u64> {
        let mut world = self.disk.world();
        world.whole_call()?;
        Ok(world.files[self.file].live.len() as u64)
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut world = self.disk.world();
        world.whole_call()?;
        let rest = world.files[self.file].live.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let offset = self.disk.world().files[self.file].live.len();
        self.write_at(bytes, offset as u64)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let mut world = self.disk.world();
        let fault = world.fault();
        if fault == Some(Fault::Error) {
            return Err(Fault::Error.into());
        }
        let length = if fault == Some(Fault::Short) { bytes.len() / 2 } else { bytes.len() };
        world.change(self.file, Change::Write(usize::try_from(offset).unwrap(), bytes[..length].to_vec()));
        // What was on its way when the power went may have arrived.
        if fault == Some(Fault::PowerLoss) { Err(Fault::PowerLoss.into()) } else { Ok(length) }
    }

    fn sync_data(&mut self) -> io::Result<()> {
        let mut world = self.disk.world();
        world.whole_call()?;
        if !world.syncs_lie {
            let bytes = &mut world.files[self.file];
            bytes.unsynced.clear();
            bytes.durable = bytes.live.clone();
        }
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let mut world = self.disk.world();
        world.whole_call()?;
        world.change(self.file, Change::Cut(usize::try_from(length).unwrap()));
        Ok(())
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        if self.has_lock {
            self.disk.world().locked.remove(&self.file);
        }
    }
}
