//! Where the linker put each function, as the map of `lld` tells it.

use std::collections::BTreeMap;

/// The functions of a program by their addresses.
#[derive(Debug, Default)]
pub struct Map(BTreeMap<u64, (u64, String)>);

impl Map {
    /// Reads the text of a map: address, load address, size, alignment, and then, indented, a section, a part of a file, or a symbol.
    pub fn of(text: &str) -> Self {
        let mut functions = BTreeMap::new();
        let mut is_code = false;
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let numbers = (words.next(), words.nth(1), words.nth(1));
            let (Some(address), Some(size), Some(name)) = numbers else { continue };
            let hex = |word| u64::from_str_radix(word, 16).ok();
            let (Some(address), Some(size)) = (hex(address), hex(size)) else { continue };
            if name.starts_with('.') {
                is_code = name == ".text";
            }
            // A symbol is one word; a part names its section in parentheses.
            if is_code && size > 0 && !name.starts_with('.') && !name.contains(":(") {
                functions.insert(address, (size, name.to_owned()));
            }
        }
        Self(functions)
    }

    /// Where the function begins that this address is in.
    pub fn function_at(&self, address: u64) -> Option<u64> {
        let (start, (size, _)) = self.0.range(..=address).next_back()?;
        (address < start + size).then_some(*start)
    }

    /// The name of the function that begins here.
    pub fn name(&self, start: u64) -> Option<&str> {
        self.0.get(&start).map(|(_, name)| name.as_str())
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|(_, name)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_an_address_in_them() {
        let text = "     VMA      LMA     Size Align Out     In      Symbol
     2f0      2f0       1c     1 .interp
     2f0      2f0       1c     1         <internal>:(.interp)
     400      400       30    16 .text
     400      400       10    16         /a b/c.o:(.text.one)
     400      400       10     1                 one
     420      420       10    16         /a b/c.rlib(c.o):(.text.two)
     420      420        8     1                 two
     500      500       10    16 .data
     500      500       10     1                 three
";
        let map = Map::of(text);
        assert_eq!([0x400, 0x40f].map(|it| map.function_at(it)), [Some(0x400); 2]);
        assert_eq!([0x410, 0x428, 0x500].map(|it| map.function_at(it)), [None; 3]);
        assert_eq!(map.name(0x420), Some("two"));
        assert_eq!(map.names().collect::<Vec<_>>(), ["one", "two"]);
    }
}
