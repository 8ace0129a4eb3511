//! Choice of the device and of its queue family: pure functions over what the driver lists.

use ash::vk;
use serde::Serialize;

/// Type of a device, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A card of its own.
    Discrete,
    /// Part of the processor.
    Integrated,
    /// Handed through to a virtual machine.
    Virtual,
    /// A rasterizer that runs on the processor.
    Cpu,
    /// Anything else.
    Other,
}

impl DeviceKind {
    pub(super) fn of(kind: vk::PhysicalDeviceType) -> Self {
        match kind {
            vk::PhysicalDeviceType::DISCRETE_GPU => Self::Discrete,
            vk::PhysicalDeviceType::INTEGRATED_GPU => Self::Integrated,
            vk::PhysicalDeviceType::VIRTUAL_GPU => Self::Virtual,
            vk::PhysicalDeviceType::CPU => Self::Cpu,
            _ => Self::Other,
        }
    }
}

/// What is known about a device before it is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceInfo {
    /// Index for `--device`.
    pub index: usize,
    /// Name.
    pub name: String,
    /// Type.
    pub kind: DeviceKind,
    /// Name and version of the driver.
    pub driver: String,
    /// Vulkan version as major and minor.
    pub version: (u32, u32),
    /// Needed features that it lacks, as the specification spells them; empty for a usable device.
    pub missing: Vec<String>,
}

impl std::fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = format!("{:?}", self.kind).to_lowercase();
        write!(
            f,
            "{}: {} ({kind}, Vulkan {}.{}, {})",
            self.index, self.name, self.version.0, self.version.1, self.driver
        )?;
        if self.missing.is_empty() { Ok(()) } else { write!(f, ", lacks {}", self.missing.join(", ")) }
    }
}

/// Why no device was chosen.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoChoice {
    /// There is none.
    Empty,
    /// Nothing fits what was asked for.
    Unknown,
    /// The best one (by index) lacks features.
    Lacking(usize),
}

/// The device that was asked for (an index, or part of a name in any case), else the best usable kind; among equals
/// the first.
pub(super) fn device(devices: &[DeviceInfo], asked: Option<&str>) -> Result<usize, NoChoice> {
    let usable = |d: &DeviceInfo| {
        if d.missing.is_empty() { Ok(d.index) } else { Err(NoChoice::Lacking(d.index)) }
    };
    if devices.is_empty() {
        return Err(NoChoice::Empty);
    }
    if let Some(asked) = asked {
        if let Ok(index) = asked.parse::<usize>() {
            return devices.get(index).ok_or(NoChoice::Unknown).and_then(usable);
        }
        let asked = asked.to_lowercase();
        let mut named = devices.iter().filter(|d| d.name.to_lowercase().contains(&asked));
        let first = named.next().ok_or(NoChoice::Unknown)?;
        return std::iter::once(first)
            .chain(named)
            .find(|d| d.missing.is_empty())
            .map_or_else(|| usable(first), usable);
    }
    let best = devices.iter().min_by_key(|d| (!d.missing.is_empty(), d.kind, d.index));
    best.ok_or(NoChoice::Empty).and_then(usable)
}

/// The first family that does graphics and compute; transfers come with them.
pub(super) fn queue_family(families: &[vk::QueueFamilyProperties]) -> Option<u32> {
    let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
    families.iter().position(|f| f.queue_count > 0 && f.queue_flags.contains(wanted)).map(|i| i as u32)
}

/// Which images can share one allocation: those that need no memory of their own and whose place fits what the driver
/// asks. `places` are offset and size by the plan, `needs` what the driver says, `dedicated` whether it insists on an
/// own allocation. Returns the memory types that all sharing images allow, and for each image whether it shares.
pub(super) fn heap_shares(
    places: &[(u64, u64)],
    needs: &[vk::MemoryRequirements],
    dedicated: &[bool],
) -> (u32, Vec<bool>) {
    let mut types = u32::MAX;
    let shares = places.iter().zip(needs).zip(dedicated).map(|(((offset, size), need), dedicated)| {
        let fits = need.size <= *size && offset % need.alignment.max(1) == 0;
        let shares = fits && !dedicated && types & need.memory_type_bits != 0;
        if shares {
            types &= need.memory_type_bits;
        }
        shares
    });
    let shares = shares.collect();
    (types, shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, DeviceKind, &[&str])]) -> Vec<DeviceInfo> {
        rows.iter()
            .enumerate()
            .map(|(index, (name, kind, missing))| DeviceInfo {
                index,
                name: (*name).into(),
                kind: *kind,
                driver: "test 1".into(),
                version: (1, 3),
                missing: missing.iter().map(|m| (*m).into()).collect(),
            })
            .collect()
    }

    #[test]
    fn a_discrete_device_wins_unless_it_lacks_something() {
        let rows: [(&str, DeviceKind, &[&str]); 4] = [
            ("llvmpipe", DeviceKind::Cpu, &[]),
            ("Arc", DeviceKind::Integrated, &[]),
            ("GTX", DeviceKind::Discrete, &[]),
            ("Venus", DeviceKind::Virtual, &[]),
        ];
        let mut devices = table(&rows);
        assert_eq!(device(&devices, None), Ok(2));
        devices[2].missing = vec!["dynamicRendering".into()];
        assert_eq!(device(&devices, None), Ok(1));
        assert_eq!(device(&devices[..1], None), Ok(0));
        assert_eq!(device(&[], None), Err(NoChoice::Empty));
    }

    #[test]
    fn a_device_is_asked_for_by_index_or_by_part_of_its_name() {
        let rows: [(&str, DeviceKind, &[&str]); 3] = [
            ("GeForce GTX", DeviceKind::Discrete, &["synchronization2"]),
            ("llvmpipe (LLVM 15)", DeviceKind::Cpu, &[]),
            ("GeForce RTX", DeviceKind::Discrete, &[]),
        ];
        let devices = table(&rows);
        assert_eq!(device(&devices, Some("1")), Ok(1));
        assert_eq!(device(&devices, Some("LLVMpipe")), Ok(1));
        assert_eq!(device(&devices, Some("geforce")), Ok(2), "the one that can run is taken");
        assert_eq!(device(&devices, Some("gtx")), Err(NoChoice::Lacking(0)));
        assert_eq!(device(&devices, Some("7")), Err(NoChoice::Unknown));
        assert_eq!(device(&devices, Some("radeon")), Err(NoChoice::Unknown));
    }

    #[test]
    fn the_queue_family_does_graphics_and_compute() {
        let family = |flags, count| vk::QueueFamilyProperties {
            queue_flags: flags,
            queue_count: count,
            ..vk::QueueFamilyProperties::default()
        };
        let all = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER;
        let families =
            [family(vk::QueueFlags::TRANSFER, 2), family(vk::QueueFlags::COMPUTE, 8), family(all, 0), family(all, 1)];
        assert_eq!(queue_family(&families), Some(3));
        assert_eq!(queue_family(&families[..3]), None);
    }

    #[test]
    fn images_share_the_heap_only_where_the_driver_agrees() {
        let need = |size, alignment, memory_type_bits| vk::MemoryRequirements { size, alignment, memory_type_bits };
        let places = [(0, 4096), (4096, 4096), (100, 4096), (0, 10), (0, 4096)];
        let needs = [
            need(4096, 256, 0b0110),
            need(4000, 256, 0b0011),
            need(64, 64, 0b0010),
            need(64, 1, 0b0010),
            need(64, 64, 0b1000),
        ];
        let (types, shares) = heap_shares(&places, &needs, &[false; 5]);
        assert_eq!(types, 0b0010);
        assert_eq!(shares, [true, true, false, false, false]);
        assert_eq!(heap_shares(&places[..1], &needs[..1], &[true]).1, [false]);
    }
}
