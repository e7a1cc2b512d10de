//! Strings into V8 and out of it with as few copies as Node-API allows.
//!
//! Into V8: none for a long ASCII string, whose bytes V8 reads where Rust has built them
//! (`node_api_create_external_string_latin1`); one for any other. Out of V8: one, as Node-API lends
//! nobody V8's own characters. The string that a hook made of a prefix and an id is a rope: V8
//! flattens it when it is read, which is one more.

use std::ffi::c_void;
use std::ptr;

use napi::bindgen_prelude::{FromNapiValue, ToNapiValue};
use napi::{Env, Error, Result, Status, check_status, sys};

/// From this length on a string is lent rather than copied: what V8 keeps to call the finalizer costs
/// as much as copying some kilobytes.
const LENT_FROM_BYTES: usize = 8192;

/// A string on its way to a hook.
pub struct ToHook(pub String);

/// What a hook returned: nothing where that is no string.
pub struct FromHook(pub Option<String>);

/// Tells V8 of memory that its values hold outside of its heap, or no longer. To it a string of a
/// megabyte that is lent is some bytes: without being told it would let gigabytes of them lie around
/// before it collects.
fn adjust_held(env: sys::napi_env, bytes: i64) {
    let mut held = 0;
    // SAFETY: an environment that lives; the figure is no more than a hint to the collector.
    unsafe { sys::napi_adjust_external_memory(env, bytes, &mut held) };
}

/// Gives the bytes back to Rust when V8 has collected the string.
unsafe extern "C" fn free_lent(env: sys::node_api_basic_env, _data: *mut c_void, hint: *mut c_void) {
    // SAFETY: `hint` is the box that `lend` made, and V8 finalizes a string once.
    let text = unsafe { Box::from_raw(hint.cast::<String>()) };
    // None where the environment has ended: then nobody counts.
    if !env.is_null() {
        adjust_held(env.cast(), -(text.len() as i64));
    }
}

fn lend(env: sys::napi_env, text: String) -> Result<sys::napi_value> {
    let (length, bytes) = (text.len() as isize, text.as_ptr());
    // Before it is lent: where V8 copies, `free_lent` is called at once.
    adjust_held(env, length as i64);
    let owner = Box::into_raw(Box::new(text));
    let mut value = ptr::null_mut();
    let mut is_copied = false;
    // SAFETY: the bytes stay where they are until `free_lent`; a copy is freed through it as well.
    let status = unsafe {
        sys::node_api_create_external_string_latin1(
            env,
            bytes.cast(),
            length,
            Some(free_lent),
            owner.cast(),
            &mut value,
            &mut is_copied,
        )
    };
    if status != sys::Status::napi_ok {
        // SAFETY: V8 has taken nothing, so the box is still ours.
        drop(unsafe { Box::from_raw(owner) });
        adjust_held(env, -(length as i64));
    }
    check_status!(status, "the id could not be lent to V8")?;
    Ok(value)
}

impl ToNapiValue for ToHook {
    unsafe fn to_napi_value(env: sys::napi_env, ToHook(text): Self) -> Result<sys::napi_value> {
        let is_ascii = text.is_ascii();
        if is_ascii && text.len() >= LENT_FROM_BYTES {
            return lend(env, text);
        }
        let create = if is_ascii { sys::napi_create_string_latin1 } else { sys::napi_create_string_utf8 };
        let mut value = ptr::null_mut();
        // SAFETY: `text` outlives the call, which copies it.
        check_status!(unsafe { create(env, text.as_ptr().cast(), text.len() as isize, &mut value) })?;
        Ok(value)
    }
}

impl FromNapiValue for FromHook {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        let mut units = 0;
        // SAFETY: without a buffer this asks for the length, which V8 knows without looking.
        let status = unsafe { sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &mut units) };
        if status == sys::Status::napi_string_expected {
            return Ok(Self(None));
        }
        check_status!(status)?;
        // Each UTF-16 unit takes a byte or more: so many ASCII bytes are all of it.
        let mut bytes = read(env, value, units)?;
        if bytes.len() < units || !bytes.is_ascii() {
            bytes = read(env, value, units * 3)?;
        }
        String::from_utf8(bytes)
            .map(|text| Self(Some(text)))
            .map_err(|error| Error::new(Status::InvalidArg, error.to_string()))
    }
}

/// As many whole characters as fit into this many bytes.
fn read(env: sys::napi_env, value: sys::napi_value, most: usize) -> Result<Vec<u8>> {
    // One for the 0 that Node-API puts behind it.
    let mut bytes: Vec<u8> = Vec::with_capacity(most + 1);
    let mut length = 0;
    // SAFETY: V8 writes no more than the capacity, and says how much it has written.
    unsafe {
        let status = sys::napi_get_value_string_utf8(env, value, bytes.as_mut_ptr().cast(), most + 1, &mut length);
        check_status!(status)?;
        bytes.set_len(length);
    }
    Ok(bytes)
}

/// Runs what makes values of V8 that nobody needs afterwards: a turn of a thousand calls would keep
/// them all.
pub fn in_scope<T>(env: &Env, work: impl FnOnce() -> T) -> Result<T> {
    let mut scope = ptr::null_mut();
    // SAFETY: opened and closed on the thread of `env`; `T` is plain data.
    check_status!(unsafe { sys::napi_open_handle_scope(env.raw(), &mut scope) })?;
    let result = work();
    // SAFETY: the scope that was opened above.
    unsafe { sys::napi_close_handle_scope(env.raw(), scope) };
    Ok(result)
}
