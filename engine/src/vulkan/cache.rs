//! The pipeline cache on disk: one file for each device and driver, replaced atomically, ignored when damaged.

use std::io::Write;
use std::path::{Path, PathBuf};

use ash::vk;

use super::error::{During, GpuError};

/// First bytes of our header: magic, then FNV-1a of the data, then the data.
const MAGIC: &[u8; 8] = b"TRPCACH1";

/// Where the cache of this device and driver is kept.
#[derive(Clone, Debug)]
pub(super) struct CacheFile {
    path: PathBuf,
}

fn fnv(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

/// The data of a file, unless its header or hash is wrong.
fn unwrap(file: &[u8]) -> Option<&[u8]> {
    let rest = file.strip_prefix(MAGIC)?;
    let (hash, data) = rest.split_first_chunk::<8>()?;
    (u64::from_le_bytes(*hash) == fnv(data)).then_some(data)
}

impl CacheFile {
    pub(super) fn new(dir: &Path, device: &vk::PhysicalDeviceProperties) -> Self {
        let uuid: String = device.pipeline_cache_uuid.iter().map(|b| format!("{b:02x}")).collect();
        let name = format!(
            "pipelines-{:04x}-{:04x}-{:08x}-{uuid}.bin",
            device.vendor_id, device.device_id, device.driver_version
        );
        Self { path: dir.join(name) }
    }

    fn load(&self) -> Option<Vec<u8>> {
        let file = std::fs::read(&self.path).ok()?;
        let data = unwrap(&file).map(<[u8]>::to_vec);
        if data.is_none() {
            tracing::warn!("the pipeline cache {} is damaged and ignored", self.path.display());
        }
        data
    }

    /// Writes beside and renames, so that a reader sees the old file or the new one.
    pub(super) fn save(&self, data: &[u8]) {
        let Some(dir) = self.path.parent() else { return };
        let beside = self.path.with_extension(format!("{}.tmp", std::process::id()));
        let write = || {
            std::fs::create_dir_all(dir)?;
            let mut file = std::fs::File::create(&beside)?;
            file.write_all(MAGIC)?;
            file.write_all(&fnv(data).to_le_bytes())?;
            file.write_all(data)?;
            drop(file);
            std::fs::rename(&beside, &self.path)
        };
        if let Err(error) = write() {
            let _ = std::fs::remove_file(&beside);
            tracing::warn!("the pipeline cache {} cannot be written: {error}", self.path.display());
        }
    }
}

/// A cache filled from the file; an empty one when the driver refuses the data.
pub(super) fn create(device: &ash::Device, file: Option<&CacheFile>) -> Result<vk::PipelineCache, GpuError> {
    let data = file.and_then(CacheFile::load).unwrap_or_default();
    let make = |data: &[u8]| {
        let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
        // SAFETY: the device lives; the data carries the driver's own header and was hashed when it was written.
        unsafe { device.create_pipeline_cache(&info, None) }
    };
    make(&data).or_else(|_| make(&[])).during("creating the pipeline cache")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_cache_is_read_back_and_a_damaged_one_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let file = CacheFile::new(&dir.path().join("new"), &vk::PhysicalDeviceProperties::default());
        assert_eq!(file.load(), None);
        file.save(b"pipelines");
        assert_eq!(file.load().as_deref(), Some(b"pipelines".as_slice()));
        let mut bytes = std::fs::read(&file.path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&file.path, &bytes).unwrap();
        assert_eq!(file.load(), None);
        std::fs::write(&file.path, b"TRP").unwrap();
        assert_eq!(file.load(), None);
        let left: Vec<_> = std::fs::read_dir(dir.path().join("new")).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary file is left");
    }
}
