//! Instance and device: what is asked of them, what is chosen, and errors that say what to do.

use std::ffi::{CStr, c_char};

use ash::{ext, khr, vk};
use raw_window_handle::RawDisplayHandle;

use super::choose::{self, DeviceInfo, DeviceKind, NoChoice};
use super::debug::{self, MessageSink};
use super::error::{During, GpuError};

/// An instance with its messenger.
pub(super) struct Instance {
    pub(super) entry: ash::Entry,
    pub(super) raw: ash::Instance,
    pub(super) debug: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// `VK_EXT_debug_utils` is on, so names and labels can be set.
    pub(super) names: bool,
    pub(super) surface: bool,
    pub(super) layer_version: Option<u32>,
}

/// Optional features that are used where they are there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Optional {
    pub(super) lines: bool,
    pub(super) statistics: bool,
    pub(super) bc: bool,
    pub(super) independent_blend: bool,
    pub(super) vertex_writes: bool,
    pub(super) fragment_writes: bool,
    pub(super) storage_formats: bool,
}

/// Loads the library; an error says which package brings it.
pub(super) fn load() -> Result<ash::Entry, GpuError> {
    // SAFETY: the system's Vulkan loader is trusted to run its initializers.
    unsafe { ash::Entry::load() }.map_err(|e| GpuError::NoLoader { reason: e.to_string() })
}

fn loader_version(entry: &ash::Entry) -> Result<u32, GpuError> {
    // SAFETY: the entry is loaded.
    let version = unsafe { entry.try_enumerate_instance_version() }.during("asking for the loader's version")?;
    let version = version.unwrap_or(vk::API_VERSION_1_0);
    if version < vk::API_VERSION_1_3 {
        let found = format!("{}.{}", vk::api_version_major(version), vk::api_version_minor(version));
        return Err(GpuError::OldLoader { found });
    }
    Ok(version)
}

fn layer_version(entry: &ash::Entry) -> Result<Option<u32>, GpuError> {
    // SAFETY: the entry is loaded.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.during("listing the layers")?;
    let layer = layers.iter().find(|l| l.layer_name_as_c_str() == Ok(debug::LAYER));
    Ok(layer.map(|l| l.spec_version))
}

/// True when the validation layer takes settings from the program.
fn has_settings(entry: &ash::Entry) -> bool {
    // SAFETY: the entry is loaded.
    let known = unsafe { entry.enumerate_instance_extension_properties(Some(debug::LAYER)) }.unwrap_or_default();
    known.iter().any(|e| e.extension_name_as_c_str() == Ok(ext::layer_settings::NAME))
}

impl Instance {
    /// Creates the instance, with the validation layer and synchronization validation where asked for.
    pub(super) fn new(
        validation: bool,
        display: Option<RawDisplayHandle>,
        sink: &MessageSink,
    ) -> Result<Self, GpuError> {
        let entry = load()?;
        loader_version(&entry)?;
        let layer = if validation { Some(layer_version(&entry)?.ok_or(GpuError::NoValidationLayer)?) } else { None };
        let layers: Vec<*const c_char> = layer.iter().map(|_| debug::LAYER.as_ptr()).collect();
        // SAFETY: the entry is loaded.
        let known = unsafe { entry.enumerate_instance_extension_properties(None) }.during("listing extensions")?;
        let names = validation || known.iter().any(|e| e.extension_name_as_c_str() == Ok(ext::debug_utils::NAME));
        let mut extensions: Vec<*const c_char> = Vec::new();
        if names {
            extensions.push(ext::debug_utils::NAME.as_ptr());
        }
        if validation {
            extensions.push(ext::validation_features::NAME.as_ptr());
        }
        if let Some(display) = display {
            let wanted = ash_window::enumerate_required_extensions(display).during("asking for window extensions")?;
            extensions.extend_from_slice(wanted);
        }
        let application = vk::ApplicationInfo::default()
            .application_name(c"terrace")
            .engine_name(c"terrace")
            .api_version(vk::API_VERSION_1_3);
        let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
        // Newer layers look at what shaders access only when told so; without it a missing barrier between a draw and
        // a sampled read stays unseen.
        let yes = vk::TRUE.to_ne_bytes();
        let look = |name| {
            let kind = vk::LayerSettingTypeEXT::BOOL32;
            let setting =
                vk::LayerSettingEXT::default().layer_name(debug::LAYER).setting_name(name).ty(kind).values(&yes);
            vk::LayerSettingEXT { value_count: 1, ..setting }
        };
        let settings = [look(c"validate_sync"), look(c"syncval_shader_accesses_heuristic")];
        let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let mut watch = debug::messenger_info(sink);
        let mut info = vk::InstanceCreateInfo::default().application_info(&application).enabled_layer_names(&layers);
        if validation {
            info = info.push_next(&mut features).push_next(&mut watch);
        }
        if layer.is_some_and(|_| has_settings(&entry)) {
            // The extension is the layer's own: older loaders refuse its name, and the layer reads the chain anyway.
            info = info.push_next(&mut settings);
        }
        let info = info.enabled_extension_names(&extensions);
        // SAFETY: all pointers in `info` outlive the call.
        let raw = unsafe { entry.create_instance(&info, None) }.during("creating the Vulkan instance")?;
        let debug = if validation {
            let ext = ext::debug_utils::Instance::new(&entry, &raw);
            // SAFETY: the sink outlives the messenger, see `MessageSink`.
            let messenger = unsafe { ext.create_debug_utils_messenger(&debug::messenger_info(sink), None) };
            Some((ext, messenger.during("creating the message sink")?))
        } else {
            None
        };
        Ok(Self { entry, raw, debug, names, surface: display.is_some(), layer_version: layer })
    }

    /// Destroys messenger and instance.
    pub(super) fn destroy(&mut self) {
        // SAFETY: called once, after everything made from the instance is gone.
        unsafe {
            if let Some((ext, messenger)) = self.debug.take() {
                ext.destroy_debug_utils_messenger(messenger, None);
            }
            self.raw.destroy_instance(None);
        }
    }

    /// All devices with what they lack.
    pub(super) fn devices(&self) -> Result<Vec<(vk::PhysicalDevice, DeviceInfo)>, GpuError> {
        // SAFETY: the instance lives.
        let raw = unsafe { self.raw.enumerate_physical_devices() }.during("listing devices")?;
        Ok(raw.into_iter().enumerate().map(|(index, device)| (device, self.describe(index, device))).collect())
    }

    fn describe(&self, index: usize, device: vk::PhysicalDevice) -> DeviceInfo {
        // SAFETY: the device belongs to the instance.
        let core = unsafe { self.raw.get_physical_device_properties(device) };
        let version = (vk::api_version_major(core.api_version), vk::api_version_minor(core.api_version));
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut missing = Vec::new();
        if core.api_version < vk::API_VERSION_1_3 {
            missing.push(format!("Vulkan 1.3 (it has {}.{})", version.0, version.1));
        } else {
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            // SAFETY: 1.3 devices know both structures.
            unsafe { self.raw.get_physical_device_properties2(device, &mut properties) };
            missing = self.missing(device);
        }
        let text = |s: Result<&CStr, _>| s.map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let driver = format!("{} {}", text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str()))
            .trim()
            .to_owned();
        DeviceInfo {
            index,
            name: text(core.device_name_as_c_str()),
            kind: DeviceKind::of(core.device_type),
            driver,
            version,
            missing,
        }
    }

    fn missing(&self, device: vk::PhysicalDevice) -> Vec<String> {
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut v12).push_next(&mut v13);
        // SAFETY: the device has Vulkan 1.3.
        let families = unsafe {
            self.raw.get_physical_device_features2(device, &mut all);
            self.raw.get_physical_device_queue_family_properties(device)
        };
        let robust = all.features.robust_buffer_access;
        let wanted = [
            ("dynamicRendering", v13.dynamic_rendering),
            ("synchronization2", v13.synchronization2),
            ("maintenance4", v13.maintenance4),
            ("timelineSemaphore", v12.timeline_semaphore),
            ("hostQueryReset", v12.host_query_reset),
            ("robustBufferAccess", robust),
        ];
        let mut missing: Vec<String> =
            wanted.iter().filter(|(_, there)| *there == vk::FALSE).map(|(name, _)| (*name).to_owned()).collect();
        if choose::queue_family(&families).is_none() {
            missing.push("a queue for graphics and compute".to_owned());
        }
        missing
    }

    /// The device that [`choose::device`] picks.
    pub(super) fn choose(&self, asked: Option<&str>) -> Result<(vk::PhysicalDevice, DeviceInfo), GpuError> {
        let mut devices = self.devices()?;
        let infos: Vec<DeviceInfo> = devices.iter().map(|(_, info)| info.clone()).collect();
        match choose::device(&infos, asked) {
            Ok(index) => Ok(devices.swap_remove(index)),
            Err(NoChoice::Empty) => Err(GpuError::NoDevice),
            Err(NoChoice::Unknown) => Err(GpuError::UnknownDevice {
                asked: asked.unwrap_or_default().to_owned(),
                list: infos.iter().map(|i| format!("  {i}")).collect::<Vec<_>>().join("\n"),
            }),
            Err(NoChoice::Lacking(index)) => Err(GpuError::MissingFeature {
                device: infos[index].name.clone(),
                missing: infos[index].missing.join(", "),
            }),
        }
    }
}

/// A logical device and its one queue.
pub(super) struct Opened {
    pub(super) raw: ash::Device,
    pub(super) family: u32,
    pub(super) queue: vk::Queue,
    pub(super) optional: Optional,
    pub(super) swapchain: bool,
}

/// Opens a device with the engine's baseline and what is there beyond it.
pub(super) fn open(instance: &Instance, physical: vk::PhysicalDevice) -> Result<Opened, GpuError> {
    let i = &instance.raw;
    // SAFETY: the device belongs to the instance.
    let (families, have, extensions) = unsafe {
        (
            i.get_physical_device_queue_family_properties(physical),
            i.get_physical_device_features(physical),
            i.enumerate_device_extension_properties(physical).during("listing device extensions")?,
        )
    };
    let family = choose::queue_family(&families).ok_or(GpuError::NoDevice)?;
    let optional = Optional {
        lines: have.fill_mode_non_solid != 0,
        statistics: have.pipeline_statistics_query != 0,
        bc: have.texture_compression_bc != 0,
        independent_blend: have.independent_blend != 0,
        vertex_writes: have.vertex_pipeline_stores_and_atomics != 0,
        fragment_writes: have.fragment_stores_and_atomics != 0,
        storage_formats: have.shader_storage_image_extended_formats != 0,
    };
    let features = vk::PhysicalDeviceFeatures::default()
        .robust_buffer_access(true)
        .fill_mode_non_solid(optional.lines)
        .pipeline_statistics_query(optional.statistics)
        .texture_compression_bc(optional.bc)
        .independent_blend(optional.independent_blend)
        .vertex_pipeline_stores_and_atomics(optional.vertex_writes)
        .fragment_stores_and_atomics(optional.fragment_writes)
        .shader_storage_image_extended_formats(optional.storage_formats);
    let mut v12 = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true).host_query_reset(true);
    let mut v13 =
        vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true).synchronization2(true).maintenance4(true);
    let swapchain =
        instance.surface && extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(khr::swapchain::NAME));
    let names: Vec<*const c_char> = if swapchain { vec![khr::swapchain::NAME.as_ptr()] } else { Vec::new() };
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .enabled_features(&features)
        .push_next(&mut v12)
        .push_next(&mut v13);
    // SAFETY: features and extensions were checked to be there; all pointers outlive the call.
    let raw = unsafe { i.create_device(physical, &info, None) }.during("opening the device")?;
    // SAFETY: the queue was asked for above.
    let queue = unsafe { raw.get_device_queue(family, 0) };
    Ok(Opened { raw, family, queue, optional, swapchain })
}
