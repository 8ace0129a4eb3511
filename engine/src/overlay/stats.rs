//! Statistics over the last frames: a ring of samples, its mean and its 95th percentile.

use std::collections::VecDeque;

/// Arithmetic mean; nothing for no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// 95th percentile by nearest rank: the smallest value that at least 95 % of the values do not exceed.
pub fn p95(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * 95).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

/// The durations of the last [`History::CAPACITY`] frames in nanoseconds; frames without a usable timestamp are kept
/// as gaps, so that a sparkline shows them.
#[derive(Clone, Debug, Default)]
pub struct History {
    samples: VecDeque<Option<u64>>,
}

impl History {
    /// Frames that are remembered: four seconds at 60 frames a second.
    pub const CAPACITY: usize = 240;

    /// Adds a frame's duration. A missing or negative one (a counter that wrapped, a query that was not written)
    /// becomes a gap.
    pub fn push(&mut self, nanoseconds: Option<i64>) {
        if self.samples.len() == Self::CAPACITY {
            self.samples.pop_front();
        }
        self.samples.push_back(nanoseconds.and_then(|ns| u64::try_from(ns).ok()));
    }

    /// The newest frame's duration in nanoseconds; nothing where it is a gap.
    pub fn last(&self) -> Option<f64> {
        self.samples.back().copied().flatten().map(|ns| ns as f64)
    }

    /// All samples, the oldest first.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = Option<u64>> + '_ {
        self.samples.iter().copied()
    }

    /// Mean of the samples that are not gaps, in nanoseconds.
    pub fn mean(&self) -> Option<f64> {
        mean(&self.known())
    }

    /// 95th percentile of the samples that are not gaps, in nanoseconds.
    pub fn p95(&self) -> Option<f64> {
        p95(&self.known())
    }

    fn known(&self) -> Vec<f64> {
        self.samples.iter().flatten().map(|&ns| ns as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_takes_the_nearest_rank_and_nothing_of_nothing() {
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(p95(&hundred), Some(95.0));
        assert_eq!(p95(&[7.0]), Some(7.0));
        assert_eq!(p95(&[1.0, 2.0]), Some(2.0));
        assert_eq!(p95(&[]), None);
        assert_eq!(mean(&hundred), Some(50.5));
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn gaps_and_negative_durations_do_not_count() {
        let mut history = History::default();
        for sample in [Some(10), None, Some(-5), Some(30)] {
            history.push(sample);
        }
        assert_eq!(history.mean(), Some(20.0));
        assert_eq!(history.samples().len(), 4);
        assert_eq!(history.last(), Some(30.0));
        history.push(Some(-1));
        assert_eq!(history.last(), None);
    }

    #[test]
    fn the_oldest_frame_is_forgotten() {
        let mut history = History::default();
        for i in 0..=History::CAPACITY as i64 {
            history.push(Some(i));
        }
        assert_eq!(history.samples().len(), History::CAPACITY);
        assert_eq!(history.samples().next(), Some(Some(1)));
    }
}
