//! Short forms of numbers, as a narrow panel needs them.

use crate::diag::Severity;
use egui::Color32;

/// Shown where there is no number.
pub(super) const MISSING: &str = "n/a";

/// Nanoseconds as milliseconds with three decimals.
pub(super) fn ms(nanoseconds: Option<f64>) -> String {
    match nanoseconds {
        Some(ns) if ns.is_finite() && ns >= 0.0 => format!("{:.3}", ns / 1e6),
        _ => MISSING.into(),
    }
}

/// A count with a suffix from 10,000 on.
pub(super) fn count(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{:.1}k", n as f64 / 1e3),
        _ => format!("{:.1}M", n as f64 / 1e6),
    }
}

/// Bytes in binary units.
pub(super) fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// The colour of a severity on the dark background.
pub(super) fn severity_colour(severity: Severity) -> Color32 {
    match severity {
        Severity::Note => Color32::from_rgb(150, 170, 190),
        Severity::Warning => Color32::from_rgb(235, 190, 90),
        Severity::Error => Color32::from_rgb(245, 105, 95),
    }
}

/// The colour of the n-th image in the graph and in the heap picture: hues a golden angle apart.
pub(super) fn index_colour(index: usize) -> Color32 {
    let hue = (index as f32 * 0.618_034).fract();
    egui::ecolor::Hsva::new(hue, 0.55, 0.85, 1.0).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_missing_ones_say_so() {
        assert_eq!(ms(Some(1_234_567.0)), "1.235");
        assert_eq!((ms(None), ms(Some(-1.0)), ms(Some(f64::NAN))), (MISSING.into(), MISSING.into(), MISSING.into()));
        assert_eq!((count(9_999), count(12_345), count(2_500_000)), ("9999".into(), "12.3k".into(), "2.5M".into()));
        assert_eq!((bytes(12), bytes(1536), bytes(3 << 30)), ("12 B".into(), "1.5 KiB".into(), "3.0 GiB".into()));
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
    }
}
