//! What frames cost, kept for a table, a CSV file or a Chrome trace.

use std::fmt::Write;

use crate::overlay::{mean, p95};
use crate::vulkan::FrameTimings;

/// Frames that are kept; older ones are dropped, so that an hour in the viewer stays small.
const FRAMES: usize = 100_000;

/// One frame.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    frame: u64,
    record_ns: u64,
    gpu_ns: Option<u64>,
    passes: Vec<Option<u64>>,
}

/// Timings of the frames of a run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    names: Vec<String>,
    rows: Vec<Row>,
}

impl Recording {
    /// Takes over a frame that is done; one that is known already is passed over.
    pub fn add(&mut self, timings: &FrameTimings) {
        let Some(frame) = timings.frame else { return };
        if self.rows.last().is_some_and(|row| row.frame >= frame) || self.rows.len() == FRAMES {
            return;
        }
        let mut passes = vec![None; self.names.len()];
        for pass in &timings.passes {
            match self.names.iter().position(|n| *n == pass.name) {
                Some(i) => passes[i] = pass.gpu_ns,
                None => {
                    self.names.push(pass.name.clone());
                    passes.push(pass.gpu_ns);
                }
            }
        }
        self.rows.push(Row { frame, record_ns: timings.record_ns, gpu_ns: timings.gpu_ns, passes });
    }

    fn column(&self, pass: usize) -> impl Iterator<Item = Option<u64>> {
        self.rows.iter().map(move |row| row.passes.get(pass).copied().flatten())
    }

    /// Mean and 95th percentile of every pass in milliseconds; `n/a` where the device gave no time.
    pub fn to_table(&self) -> String {
        let width = self.names.iter().map(String::len).max().unwrap_or(0).max("record (cpu)".len());
        let mut out = format!("{:width$}  {:>9}  {:>9}  {:>6}\n", "pass", "mean ms", "p95 ms", "frames");
        let mut line = |name: &str, values: &[f64]| {
            let show = |value: Option<f64>| value.map_or("n/a".to_owned(), |v| format!("{:.3}", v / 1e6));
            let (middle, high) = (show(mean(values)), show(p95(values)));
            let _ = writeln!(out, "{name:width$}  {middle:>9}  {high:>9}  {:>6}", values.len());
        };
        for (i, name) in self.names.iter().enumerate() {
            line(name, &self.column(i).flatten().map(|ns| ns as f64).collect::<Vec<_>>());
        }
        line("frame (gpu)", &self.rows.iter().filter_map(|r| r.gpu_ns).map(|ns| ns as f64).collect::<Vec<_>>());
        line("record (cpu)", &self.rows.iter().map(|r| r.record_ns as f64).collect::<Vec<_>>());
        out
    }

    /// A line a frame: number, CPU record time, GPU time, GPU time of each pass, in nanoseconds; empty where unknown.
    pub fn to_csv(&self) -> String {
        let quoted = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
        let mut out = String::from("frame,record_ns,gpu_ns");
        for name in &self.names {
            let _ = write!(out, ",{}", quoted(name));
        }
        let cell = |ns: Option<u64>| ns.map(|n| n.to_string()).unwrap_or_default();
        for row in &self.rows {
            let _ = write!(out, "\n{},{},{}", row.frame, row.record_ns, cell(row.gpu_ns));
            for i in 0..self.names.len() {
                let _ = write!(out, ",{}", cell(row.passes.get(i).copied().flatten()));
            }
        }
        out.push('\n');
        out
    }

    /// Complete events of the Trace Event Format (Chrome, Perfetto): passes one after the other on a GPU track, the
    /// CPU's recording on another, frames in a row.
    pub fn to_trace(&self) -> serde_json::Value {
        let mut events = vec![
            serde_json::json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": { "name": "GPU" } }),
            serde_json::json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": 2, "args": { "name": "CPU" } }),
        ];
        let mut event = |name: &str, thread: u32, start: u64, ns: u64, frame: u64| {
            events.push(serde_json::json!({
                "name": name, "ph": "X", "pid": 1, "tid": thread, "args": { "frame": frame },
                "ts": start as f64 / 1e3, "dur": ns as f64 / 1e3,
            }));
        };
        let mut start = 0;
        for row in &self.rows {
            event("record", 2, start, row.record_ns, row.frame);
            let mut at = start;
            for (name, ns) in self.names.iter().zip(&row.passes) {
                if let Some(ns) = ns {
                    event(name, 1, at, *ns, row.frame);
                    at += ns;
                }
            }
            start = at.max(start + row.gpu_ns.unwrap_or(0)).max(start + row.record_ns);
        }
        serde_json::json!({ "traceEvents": events, "displayTimeUnit": "ms" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vulkan::PassTiming;

    fn timings(frame: u64, times: &[(&str, Option<u64>)]) -> FrameTimings {
        FrameTimings {
            frame: Some(frame),
            passes: times
                .iter()
                .map(|(name, gpu_ns)| PassTiming { name: (*name).into(), gpu_ns: *gpu_ns, ..PassTiming::default() })
                .collect(),
            gpu_ns: times.iter().map(|(_, ns)| *ns).sum(),
            record_ns: 1000,
        }
    }

    #[test]
    fn frames_are_counted_once_and_passes_that_come_later_get_a_column() {
        let mut recording = Recording::default();
        recording.add(&timings(0, &[("a", Some(2_000_000))]));
        recording.add(&timings(0, &[("a", Some(9))]));
        recording.add(&timings(1, &[("b", Some(4_000_000)), ("a", None)]));
        assert_eq!(
            recording.to_csv(),
            "frame,record_ns,gpu_ns,\"a\",\"b\"\n0,1000,2000000,2000000,\n1,1000,,,4000000\n"
        );
        let table = recording.to_table();
        assert!(table.contains("2.000") && table.contains("4.000"), "{table}");
    }

    #[test]
    fn a_trace_has_an_event_for_every_known_time_and_none_overlap() {
        let mut recording = Recording::default();
        recording.add(&timings(0, &[("a", Some(3000)), ("b", Some(1000))]));
        recording.add(&timings(1, &[("a", Some(3000)), ("b", None)]));
        let trace = recording.to_trace();
        let gpu: Vec<_> =
            trace["traceEvents"].as_array().unwrap().iter().filter(|e| e["ph"] == "X" && e["tid"] == 1).collect();
        assert_eq!(gpu.len(), 3);
        for pair in gpu.windows(2) {
            let end = pair[0]["ts"].as_f64().unwrap() + pair[0]["dur"].as_f64().unwrap();
            assert!(end <= pair[1]["ts"].as_f64().unwrap() + 1e-9);
        }
    }
}
