//! Columns that stand under each other.

/// The gap between two columns.
const GAP: &str = "  ";

/// Rows of equal length as lines, every column as wide as its widest cell; the last column is never padded.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join(GAP);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_by_characters_and_lines_end_without_spaces() {
        let rows =
            [["a".to_owned(), "é".to_owned(), String::new()], ["long".to_owned(), "xy".to_owned(), "z".to_owned()]];
        assert_eq!(aligned(&rows), "a     é\nlong  xy  z\n");
        assert_eq!(aligned::<2>(&[]), "");
    }
}
