//! GPU time and pipeline statistics of each pass, read when their frame is done and never waited for.

use ash::vk;
use serde::Serialize;

use super::error::{During, GpuError};
use super::gpu::{Garbage, Gpu};
use super::resource::Owned;

/// What a pass cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PassTiming {
    /// Name in the graph file.
    pub name: String,
    /// GPU time in nanoseconds; `None` where the device cannot tell.
    pub gpu_ns: Option<u64>,
    /// Draw and dispatch commands.
    pub draws: u32,
    /// Triangles handed to the device.
    pub triangles: u64,
    /// Pipeline statistics, where the device has them and the pass lies on one side of a rendering.
    pub statistics: Option<PassStatistics>,
}

/// Pipeline statistics of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PassStatistics {
    /// Vertices that the input assembler read.
    pub vertices: u64,
    /// Vertex shader invocations.
    pub vertex_invocations: u64,
    /// Primitives after clipping.
    pub primitives: u64,
    /// Fragment shader invocations.
    pub fragment_invocations: u64,
    /// Compute shader invocations.
    pub compute_invocations: u64,
}

/// What a frame cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FrameTimings {
    /// Number of the frame, as the renderer counts; `None` before the first frame is done.
    pub frame: Option<u64>,
    /// The passes in the plan's order.
    pub passes: Vec<PassTiming>,
    /// GPU time of the whole frame in nanoseconds.
    pub gpu_ns: Option<u64>,
    /// CPU time to cull and record in nanoseconds.
    pub record_ns: u64,
}

const STATISTICS: usize = 5;

/// Draws and triangles of a pass as they are recorded.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) draws: u32,
    pub(super) triangles: u64,
}

/// Queries of one frame in flight.
pub(super) struct Queries {
    times: Option<Owned<vk::QueryPool>>,
    statistics: Option<Owned<vk::QueryPool>>,
    passes: u32,
    results: Vec<u64>,
    stats: Vec<[u64; STATISTICS + 1]>,
    /// Draws and triangles of each pass.
    pub(super) counts: Vec<Counts>,
    /// The frame whose results are still to be read.
    pub(super) frame: Option<u64>,
    /// CPU time of that frame.
    pub(super) record_ns: u64,
}

impl Queries {
    pub(super) fn new(gpu: &Gpu, passes: usize) -> Result<Self, GpuError> {
        let make = |kind, count, flags| {
            let info =
                vk::QueryPoolCreateInfo::default().query_type(kind).query_count(count).pipeline_statistics(flags);
            // SAFETY: the device lives; its features were checked.
            let raw = unsafe { gpu.device().create_query_pool(&info, None) }.during("creating queries")?;
            Ok(Owned::new(gpu, raw, Garbage::QueryPool))
        };
        let none = vk::QueryPipelineStatisticFlags::empty();
        let flags = vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_VERTICES
            | vk::QueryPipelineStatisticFlags::VERTEX_SHADER_INVOCATIONS
            | vk::QueryPipelineStatisticFlags::CLIPPING_PRIMITIVES
            | vk::QueryPipelineStatisticFlags::FRAGMENT_SHADER_INVOCATIONS
            | vk::QueryPipelineStatisticFlags::COMPUTE_SHADER_INVOCATIONS;
        let count = passes as u32;
        let times = (gpu.timestamp_bits() > 0).then(|| make(vk::QueryType::TIMESTAMP, 2 * count + 2, none));
        let statistics =
            (gpu.optional().statistics && count > 0).then(|| make(vk::QueryType::PIPELINE_STATISTICS, count, flags));
        Ok(Self {
            times: times.transpose()?,
            statistics: statistics.transpose()?,
            passes: count,
            results: vec![0; 2 * (2 * passes + 2)],
            stats: vec![[0; STATISTICS + 1]; passes],
            counts: vec![Counts::default(); passes],
            frame: None,
            record_ns: 0,
        })
    }

    /// Makes the queries new, from the host.
    pub(super) fn reset(&mut self, gpu: &Gpu) {
        self.counts.fill(Counts::default());
        // SAFETY: the frame that used the queries is done; host query reset is a part of the baseline.
        unsafe {
            if let Some(pool) = &self.times {
                gpu.device().reset_query_pool(pool.raw, 0, 2 * self.passes + 2);
            }
            if let Some(pool) = &self.statistics {
                gpu.device().reset_query_pool(pool.raw, 0, self.passes);
            }
        }
    }

    /// Writes a timestamp: 0 and 1 are the frame's, then two for each pass. Both ends wait for everything before, so
    /// that the times of passes do not overlap and add up to the frame's.
    pub(super) fn stamp(&self, gpu: &Gpu, commands: vk::CommandBuffer, index: u32) {
        if let Some(pool) = &self.times {
            let stage = vk::PipelineStageFlags2::ALL_COMMANDS;
            // SAFETY: recording; the index lies inside the pool.
            unsafe { gpu.device().cmd_write_timestamp2(commands, stage, pool.raw, index) };
        }
    }

    /// Begins the statistics of a pass.
    pub(super) fn begin(&self, gpu: &Gpu, commands: vk::CommandBuffer, pass: u32) {
        if let Some(pool) = &self.statistics {
            // SAFETY: recording; one query of the kind is active at a time.
            unsafe { gpu.device().cmd_begin_query(commands, pool.raw, pass, vk::QueryControlFlags::empty()) };
        }
    }

    /// Ends them.
    pub(super) fn end(&self, gpu: &Gpu, commands: vk::CommandBuffer, pass: u32) {
        if let Some(pool) = &self.statistics {
            // SAFETY: as above.
            unsafe { gpu.device().cmd_end_query(commands, pool.raw, pass) };
        }
    }

    /// Reads the results of a frame that is done.
    pub(super) fn read(&mut self, gpu: &Gpu, out: &mut FrameTimings) {
        let Some(frame) = self.frame.take() else { return };
        let period = f64::from(gpu.limits().timestamp_period);
        let mask = if gpu.timestamp_bits() >= 64 { u64::MAX } else { (1 << gpu.timestamp_bits()) - 1 };
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        self.results.fill(0);
        for row in &mut self.stats {
            row.fill(0);
        }
        let pairs: &mut [[u64; 2]] = bytemuck::cast_slice_mut(&mut self.results);
        // SAFETY: the frame is done and the slices have one row a query. A query that was not written is "not ready",
        // which its availability says.
        unsafe {
            if let Some(pool) = &self.times {
                let _ = gpu.device().get_query_pool_results(pool.raw, 0, pairs, flags);
            }
            if let Some(pool) = &self.statistics {
                let _ = gpu.device().get_query_pool_results(pool.raw, 0, &mut self.stats, flags);
            }
        }
        let between = |from: usize| {
            let ([a, there_a], [b, there_b]) = (pairs[from], pairs[from + 1]);
            let elapsed = b.wrapping_sub(a) & mask;
            // A difference above half the counter went backwards.
            (there_a != 0 && there_b != 0 && elapsed <= mask / 2).then_some((elapsed as f64 * period) as u64)
        };
        out.frame = Some(frame);
        out.record_ns = self.record_ns;
        out.gpu_ns = between(0);
        for (i, (pass, counts)) in out.passes.iter_mut().zip(&self.counts).enumerate() {
            pass.gpu_ns = between(2 + 2 * i);
            (pass.draws, pass.triangles) = (counts.draws, counts.triangles);
            let [vertices, vertex_invocations, primitives, fragment_invocations, compute_invocations, there] =
                self.stats[i];
            pass.statistics = (there != 0).then_some(PassStatistics {
                vertices,
                vertex_invocations,
                primitives,
                fragment_invocations,
                compute_invocations,
            });
        }
    }
}
