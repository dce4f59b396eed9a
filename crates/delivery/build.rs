//! Has the linker put the functions that a start and the hottest calls need next to each other.
//!
//! The kernel maps 64 KB around each page of a program that is touched. Where a start touches five thousand functions out of sixty
//! thousand, wherever they happen to be, most of the program is in memory; next to each other they are a sixth of it.
//! `layout.txt` has their names, as `cargo xtask layout` writes them. A name that is no longer there is skipped.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=layout.txt");
    println!("cargo:rerun-if-env-changed=SWITCHBOARD_LINK_MAP");
    if !links_with_lld() {
        return;
    }
    let order = Path::new(env!("CARGO_MANIFEST_DIR")).join("layout.txt");
    pass(&format!("--symbol-ordering-file={}", order.display()));
    pass("--no-warn-symbol-ordering");
    // For `cargo xtask layout`: where each function is in a program that is stripped.
    if let Ok(map) = env::var("SWITCHBOARD_LINK_MAP") {
        pass("--no-demangle");
        pass(&format!("-Map={map}"));
    }
}

fn pass(argument: &str) {
    println!("cargo:rustc-link-arg-bin=switchboard=-Wl,{argument}");
}

/// The linker that comes with Rust, which this target has unless somebody chose another. The others know no such option, and
/// development builds need no order.
fn links_with_lld() -> bool {
    let chosen = env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("link"));
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    is("PROFILE", "release")
        && is("TARGET", "x86_64-unknown-linux-gnu")
        && env::var_os("RUSTC_LINKER").is_none()
        && !chosen
}
