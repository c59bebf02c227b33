//! Tables in Markdown and in CSV.

/// A table in Markdown, for people: one row per line.
pub(crate) fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let names: Vec<_> = head.iter().map(|name| (*name).to_owned()).collect();
    let rule = format!("|{}\n", " --- |".repeat(head.len()));
    line(&names) + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}

/// A table in CSV, by RFC 4180.
pub(crate) fn csv(head: &[&str], rows: &[Vec<String>]) -> String {
    let quoted = |cell: &str| {
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    };
    let line = |cells: Vec<String>| cells.join(",") + "\r\n";
    let names = head.iter().map(|name| quoted(name)).collect();
    line(names) + &rows.iter().map(|row| line(row.iter().map(|cell| quoted(cell)).collect())).collect::<String>()
}

/// The records of a CSV text, without its head.
pub(crate) fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell, mut inside) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => record.push(std::mem::take(&mut cell)),
            '\r' if !inside => (),
            '\n' if !inside => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            letter => cell.push(letter),
        }
    }
    records.into_iter().skip(1).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_table_in_csv_is_read_as_it_was_written() {
        let rows =
            vec![vec!["a, b".to_owned(), "says \"no\"".to_owned()], vec![String::new(), "two\nlines".to_owned()]];
        let text = super::csv(&["first", "second"], &rows);
        assert_eq!(text, "first,second\r\n\"a, b\",\"says \"\"no\"\"\"\r\n,\"two\nlines\"\r\n");
        assert_eq!(super::records(&text), rows);
    }

    #[test]
    fn a_bar_in_a_cell_does_not_end_it() {
        let text = super::markdown(&["what"], &[vec!["a | b".to_owned()]]);
        assert_eq!(text, "| what |\n| --- |\n| a \\| b |\n");
    }
}
