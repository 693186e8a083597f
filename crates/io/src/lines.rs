//! Lines of a stream, whole or cut: input is always drained, and no line takes more memory than an event may.

use flate2::bufread::MultiGzDecoder;
use flyball::json::Limits;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Opens a file for reading by lines; one that begins like gzip is unpacked on the way.
///
/// # Errors
/// The file cannot be opened or read.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let packed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(if packed { Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file))) } else { Box::new(file) })
}

/// Reads lines one at a time into the same buffer.
#[derive(Debug)]
pub struct Lines<R> {
    stream: R,
    line: Vec<u8>,
    number: u64,
    most: usize,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most what an event may have, and one byte more, by which the reader of events knows a cut line.
    pub fn new(stream: R) -> Lines<R> {
        Lines { stream, line: Vec::new(), number: 0, most: Limits::default().bytes.saturating_add(1) }
    }

    /// The next line that is not blank, without its line end, and its number from 1.
    ///
    /// # Errors
    /// The stream cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        loop {
            self.line.clear();
            if !self.fill()? {
                return Ok(None);
            }
            self.number = self.number.saturating_add(1);
            while self.line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                self.line.pop();
            }
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some((self.number, &self.line)));
            }
        }
    }

    /// Reads to the end of a line, keeping no more than the most; false at the end of the stream.
    fn fill(&mut self) -> io::Result<bool> {
        let mut any = false;
        loop {
            let chunk = self.stream.fill_buf()?;
            if chunk.is_empty() {
                return Ok(any);
            }
            any = true;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(chunk.len(), |end| end.saturating_add(1));
            let room = self.most.saturating_sub(self.line.len()).min(used);
            self.line.extend_from_slice(chunk.get(..room).unwrap_or_default());
            self.stream.consume(used);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], most: usize) -> Vec<(u64, Vec<u8>)> {
        let mut lines = Lines { most, ..Lines::new(BufReader::with_capacity(3, text)) };
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next_line().unwrap() {
            all.push((number, line.to_vec()));
        }
        all
    }

    #[test]
    fn lines_end_at_the_line_feed_or_the_end_and_blank_ones_are_passed_over() {
        let lines = all(b"a\r\n\n  \nbc\nlast", 100);
        assert_eq!(lines, [(1, b"a".to_vec()), (4, b"bc".to_vec()), (5, b"last".to_vec())]);
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_is_whole() {
        assert_eq!(all(b"abcdefgh\nxy\n", 5), [(1, b"abcde".to_vec()), (2, b"xy".to_vec())]);
    }
}
