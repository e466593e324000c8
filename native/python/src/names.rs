//! The columns of names: a map that keeps short names in itself, so that one look finds a column.

use std::hash::{BuildHasher, RandomState};

/// One name. 32 bytes: never across two cache lines.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// A name of up to 16 bytes, whole; two hashes of a longer one.
    words: [u64; 2],
    length: u32,
    /// Column + 1; 0 in a free slot.
    column: u32,
    /// What the owner of the map noted of this name.
    noted: bool,
}

/// Names and their columns, numbered in the order they came.
pub struct NameMap {
    list: Vec<String>,
    /// Open addressing, at most three quarters full; a power of two of them.
    slots: Vec<Slot>,
    /// Names come from outside: whoever chooses them must not know where they collide.
    seeds: [u64; 2],
}

impl Default for NameMap {
    fn default() -> Self {
        let random = RandomState::new();
        NameMap { list: Vec::new(), slots: Vec::new(), seeds: [random.hash_one(1), random.hash_one(2)] }
    }
}

/// Where a name is in the map.
#[derive(Clone, Copy)]
pub struct Found {
    pub column: u32,
    pub noted: bool,
    slot: usize,
}

fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

impl NameMap {
    pub fn list(&self) -> &[String] {
        &self.list
    }

    /// With its length this is the whole of a name of up to 16 bytes: its two ends, which may overlap.
    #[inline(always)]
    fn words(&self, name: &[u8]) -> [u64; 2] {
        if let (Some(first), Some(last)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
            let ends = [u64::from_le_bytes(*first), u64::from_le_bytes(*last)];
            if name.len() <= 16 { ends } else { self.hashes(name) }
        } else if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
            [u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last))]
        } else {
            [name.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0]
        }
    }

    fn hashes(&self, name: &[u8]) -> [u64; 2] {
        let [mut a, mut b] = self.seeds;
        for eight in name.chunks(8) {
            let mut padded = [0; 8];
            padded[..eight.len()].copy_from_slice(eight);
            let word = u64::from_le_bytes(padded);
            (a, b) = (mix(a ^ word, self.seeds[1] | 1), mix(b.rotate_left(23) ^ word, self.seeds[0] | 1));
        }
        [a, b]
    }

    #[inline(always)]
    fn start(&self, words: [u64; 2], length: u32) -> usize {
        let mixed = mix(words[0] ^ self.seeds[0], words[1] ^ self.seeds[1] ^ u64::from(length));
        mixed as usize & (self.slots.len() - 1)
    }

    #[inline(always)]
    pub fn find(&self, name: &str) -> Option<Found> {
        if self.slots.is_empty() {
            return None;
        }
        let (words, length) = (self.words(name.as_bytes()), name.len() as u32);
        let mut at = self.start(words, length);
        loop {
            let slot = &self.slots[at];
            if slot.column == 0 {
                return None;
            }
            let column = slot.column - 1;
            if slot.words == words
                && slot.length == length
                && (length <= 16 || self.list[column as usize].as_str() == name)
            {
                return Some(Found { column, noted: slot.noted, slot: at });
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Notes something of a name that was found.
    pub fn note(&mut self, found: Found) {
        self.slots[found.slot].noted = true;
    }

    /// Gives a new name the next column.
    pub fn add(&mut self, name: &str, noted: bool) -> u32 {
        if 4 * (self.list.len() + 1) > 3 * self.slots.len() {
            let doubled = (2 * self.slots.len()).max(1024);
            let old = std::mem::replace(&mut self.slots, vec![Slot::default(); doubled]);
            for slot in old.into_iter().filter(|slot| slot.column != 0) {
                self.put(slot);
            }
        }
        let column = self.list.len() as u32;
        let words = self.words(name.as_bytes());
        self.list.push(name.to_owned());
        self.put(Slot { words, length: name.len() as u32, column: column + 1, noted });
        column
    }

    fn put(&mut self, slot: Slot) {
        let mut at = self.start(slot.words, slot.length);
        while self.slots[at].column != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }
}
