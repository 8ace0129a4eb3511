//! Phase 10: offsets of transient images in one heap, so that images that do not live at the same time share memory.

/// An image that wants memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) size: u64,
    pub(crate) alignment: u64,
    /// First and last group.
    pub(crate) life: (u32, u32),
}

/// Where everything lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packing {
    pub(crate) offsets: Vec<u64>,
    pub(crate) bytes: u64,
    pub(crate) alignment: u64,
    /// Bytes without sharing.
    pub(crate) unshared: u64,
}

/// Packs blocks. Large blocks first, each at the lowest offset that is free during its life; and, because no single
/// order wins everywhere, the same in order of birth: the smaller heap is taken.
pub(crate) fn pack(blocks: &[Block], share: bool) -> Packing {
    let mut by_size: Vec<usize> = (0..blocks.len()).collect();
    by_size.sort_by_key(|&i| (std::cmp::Reverse(blocks[i].size), blocks[i].life, i));
    let unshared = place(blocks, &by_size, false);
    if !share {
        return Packing { unshared: unshared.bytes, ..unshared };
    }
    let mut by_birth: Vec<usize> = (0..blocks.len()).collect();
    by_birth.sort_by_key(|&i| (blocks[i].life.0, std::cmp::Reverse(blocks[i].life.1), i));
    let (a, b) = (place(blocks, &by_size, true), place(blocks, &by_birth, true));
    let best = if b.bytes < a.bytes { b } else { a };
    Packing { unshared: unshared.bytes, ..best }
}

fn place(blocks: &[Block], order: &[usize], share: bool) -> Packing {
    let mut out = Packing { offsets: vec![0; blocks.len()], alignment: 1, ..Packing::default() };
    // Placed blocks by offset.
    let mut placed: Vec<usize> = Vec::new();
    for &i in order {
        let block = &blocks[i];
        let align = block.alignment.max(1);
        let mut offset = 0u64;
        if share {
            for &other in &placed {
                let apart = blocks[other].life.1 < block.life.0 || block.life.1 < blocks[other].life.0;
                if apart {
                    continue;
                }
                if offset.saturating_add(block.size) <= out.offsets[other] {
                    break;
                }
                offset = offset.max((out.offsets[other] + blocks[other].size).next_multiple_of(align));
            }
        } else {
            offset = out.bytes.next_multiple_of(align);
        }
        out.offsets[i] = offset;
        out.bytes = out.bytes.max(offset + block.size);
        out.alignment = out.alignment.max(align);
        let at = placed.partition_point(|&p| out.offsets[p] <= offset);
        placed.insert(at, i);
    }
    out
}

/// The largest sum of sizes that live at once: no packing can be smaller.
pub(crate) fn lower_bound(blocks: &[Block]) -> u64 {
    let mut events: Vec<(u32, bool, u64)> = Vec::new();
    for block in blocks {
        events.push((block.life.0, true, block.size));
        events.push((block.life.1 + 1, false, block.size));
    }
    // Deaths before births at the same group.
    events.sort_by_key(|e| (e.0, e.1));
    let (mut now, mut most) = (0u64, 0u64);
    for (_, birth, size) in events {
        if birth {
            now += size;
            most = most.max(now);
        } else {
            now -= size;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(size: u64, first: u32, last: u32) -> Block {
        Block { size, alignment: 16, life: (first, last) }
    }

    #[test]
    fn blocks_that_never_meet_share_and_neighbours_do_not() {
        let blocks = [block(64, 0, 1), block(64, 1, 2), block(64, 2, 3)];
        let packing = pack(&blocks, true);
        assert_eq!(packing.bytes, 128);
        assert_eq!(packing.unshared, 192);
        assert_eq!(packing.offsets[0], packing.offsets[2]);
        assert_eq!(pack(&blocks, false).bytes, 192);
    }

    proptest! {
        #[test]
        fn blocks_that_live_at_once_never_overlap(
            specs in proptest::collection::vec((1u64..2000, 0u32..20, 0u32..8, 0u32..5), 1..40)
        ) {
            let blocks: Vec<Block> = specs
                .iter()
                .map(|s| Block { size: s.0, alignment: 1 << s.3, life: (s.1, s.1 + s.2) })
                .collect();
            let packing = pack(&blocks, true);
            for (i, a) in blocks.iter().enumerate() {
                prop_assert_eq!(packing.offsets[i] % a.alignment, 0);
                prop_assert!(packing.offsets[i] + a.size <= packing.bytes);
                for (j, b) in blocks.iter().enumerate().skip(i + 1) {
                    let live = a.life.0 <= b.life.1 && b.life.0 <= a.life.1;
                    let meet = packing.offsets[i] < packing.offsets[j] + b.size
                        && packing.offsets[j] < packing.offsets[i] + a.size;
                    prop_assert!(!(live && meet), "{} and {}", i, j);
                }
            }
            prop_assert!(packing.bytes >= lower_bound(&blocks));
        }
    }
}
