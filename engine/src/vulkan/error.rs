//! What can go wrong with a device, with a way out.

use ash::vk;
use thiserror::Error;

/// An error of the Vulkan backend.
#[derive(Debug, Error)]
pub enum GpuError {
    /// The Vulkan loader is not installed.
    #[error(
        "there is no Vulkan loader ({reason}); install it: `apt-get install libvulkan1 mesa-vulkan-drivers` on Debian \
         and Ubuntu, the package `vulkan-loader` elsewhere"
    )]
    NoLoader {
        /// What the system said.
        reason: String,
    },
    /// The loader is older than Vulkan 1.3.
    #[error("the Vulkan loader speaks Vulkan {found}, 1.3 is needed; install a newer `libvulkan1`")]
    OldLoader {
        /// Version of the loader.
        found: String,
    },
    /// There is a loader, but no device.
    #[error(
        "no Vulkan device was found; install a driver: `apt-get install mesa-vulkan-drivers` brings lavapipe, which \
         needs no graphics hardware"
    )]
    NoDevice,
    /// `--device` names nothing that is there.
    #[error("no device is called \"{asked}\"; there are:\n{list}")]
    UnknownDevice {
        /// What was asked for.
        asked: String,
        /// One device a line: index, name, type.
        list: String,
    },
    /// The device cannot run the engine.
    #[error("the device \"{device}\" lacks {missing}; choose another one with --device (`terrace list --devices`)")]
    MissingFeature {
        /// Name of the device.
        device: String,
        /// Names of the features, as the specification spells them.
        missing: String,
    },
    /// Validation was asked for, and the layer is not installed.
    #[error(
        "validation was asked for, but VK_LAYER_KHRONOS_validation is not installed; \
             `apt-get install vulkan-validationlayers`, or start without --validation"
    )]
    NoValidationLayer,
    /// The window system and the device do not fit.
    #[error("the device \"{device}\" cannot present to this window: {reason}")]
    NoPresent {
        /// Name of the device.
        device: String,
        /// What is missing.
        reason: String,
    },
    /// The device was lost; everything is built anew from what the CPU keeps.
    #[error("the device was lost while {during}")]
    DeviceLost {
        /// What was being done.
        during: &'static str,
    },
    /// Memory ran out.
    #[error("the device's memory ran out while {during}; use smaller images or a smaller window")]
    OutOfMemory {
        /// What was being done.
        during: &'static str,
    },
    /// Another Vulkan error.
    #[error("Vulkan reported {result} while {during}")]
    Vulkan {
        /// What was being done.
        during: &'static str,
        /// The result.
        result: vk::Result,
    },
    /// An image cannot be read back.
    #[error("image \"{image}\" cannot be read: {reason}")]
    Unreadable {
        /// The image's name.
        image: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A plan asks for something that the device or the backend cannot do.
    #[error("\"{place}\" of graph \"{graph}\" cannot run here: {reason}")]
    Plan {
        /// Name of the graph.
        graph: String,
        /// Pass, image or shader.
        place: String,
        /// Why.
        reason: String,
    },
    /// The overlay could not be drawn.
    #[error("the overlay could not be drawn: {0}")]
    Overlay(String),
}

/// Gives results of Vulkan calls their context.
pub(super) trait During<T> {
    /// Says what was being done.
    fn during(self, during: &'static str) -> Result<T, GpuError>;
}

impl<T> During<T> for Result<T, vk::Result> {
    fn during(self, during: &'static str) -> Result<T, GpuError> {
        self.map_err(|result| match result {
            vk::Result::ERROR_DEVICE_LOST => GpuError::DeviceLost { during },
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                GpuError::OutOfMemory { during }
            }
            result => GpuError::Vulkan { during, result },
        })
    }
}

impl<T> During<T> for Result<T, gpu_allocator::AllocationError> {
    fn during(self, during: &'static str) -> Result<T, GpuError> {
        self.map_err(|error| match error {
            gpu_allocator::AllocationError::OutOfMemory => GpuError::OutOfMemory { during },
            other => {
                tracing::error!("allocation failed while {during}: {other}");
                GpuError::Vulkan { during, result: vk::Result::ERROR_UNKNOWN }
            }
        })
    }
}
