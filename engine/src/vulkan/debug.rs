//! Validation messages and debug names.

use std::ffi::{CStr, CString, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use ash::vk;

/// Name of the validation layer.
pub(super) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Counts and keeps what the validation layer says. The messenger holds its address, so it lives in a box that is
/// dropped after the messenger.
#[derive(Debug, Default)]
pub(super) struct MessageSink {
    count: AtomicU64,
    last: Mutex<Option<String>>,
}

impl MessageSink {
    /// Warnings and errors so far.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The newest of them.
    pub(super) fn last(&self) -> Option<String> {
        self.last.lock().ok().and_then(|last| last.clone())
    }

    fn add(&self, severity: vk::DebugUtilsMessageSeverityFlagsEXT, text: &str) {
        if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) {
            tracing::error!(target: "terrace::validation", "{text}");
        } else {
            tracing::warn!(target: "terrace::validation", "{text}");
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        if let Ok(mut last) = self.last.lock() {
            *last = Some(text.to_owned());
        }
    }
}

unsafe extern "system" fn on_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    if data.is_null() || user.is_null() {
        return vk::FALSE;
    }
    // SAFETY: `user` is the boxed sink that outlives the messenger; `data` is valid during the callback, and its
    // message is null or a C string.
    let (sink, message, id) = unsafe { (&*user.cast::<MessageSink>(), (*data).p_message, (*data).p_message_id_name) };
    if message.is_null() {
        return vk::FALSE;
    }
    let id = if id.is_null() { c"".as_ptr() } else { id };
    // SAFETY: neither is null.
    let (text, id) = unsafe { (CStr::from_ptr(message).to_string_lossy(), CStr::from_ptr(id).to_string_lossy()) };
    // Newer layers leave the stable name of the rule out of the text.
    if text.contains(&*id) {
        sink.add(severity, &text)
    } else {
        sink.add(severity, &format!("{id}: {text}"))
    }
    vk::FALSE
}

/// What creates the messenger; also chained to the instance, so that its creation is watched too.
pub(super) fn messenger_info(sink: &MessageSink) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    use vk::{DebugUtilsMessageSeverityFlagsEXT as S, DebugUtilsMessageTypeFlagsEXT as T};
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(S::WARNING | S::ERROR)
        .message_type(T::VALIDATION | T::PERFORMANCE)
        .pfn_user_callback(Some(on_message))
        .user_data(std::ptr::from_ref(sink).cast_mut().cast())
}

/// A name for Vulkan; inner zero bytes are dropped.
pub(super) fn c_name(name: &str) -> CString {
    CString::new(name.bytes().filter(|&b| b != 0).collect::<Vec<_>>()).unwrap_or_default()
}
