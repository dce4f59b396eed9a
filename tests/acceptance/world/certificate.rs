//! TLS certificates for servers on the loopback address, created with OpenSSL.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A server certificate and the authority that signed it, as files.
pub struct Certificate {
    /// The authority's certificate, which is not in the machine's trust store.
    pub authority: PathBuf,
    pub chain: PathBuf,
    pub key: PathBuf,
}

impl Certificate {
    /// Creates a certificate that is valid for 127.0.0.1 but not for `localhost`.
    pub fn make_in(folder: &Path) -> Self {
        let file = |name: &str| folder.join(name);
        let shown = |name: &str| file(name).display().to_string();
        let (ca, ca_key) = (shown("ca.pem"), shown("ca.key"));
        let new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
        let (ca_files, usage) =
            (["-keyout", &ca_key, "-out", &ca], "keyUsage=critical,keyCertSign");
        let about = ["-subj", "/CN=Authority of a test", "-addext", usage];
        openssl(&[&["req", "-x509"][..], &new, &ca_files, &about].concat());
        let (certificate, key) = (shown("server.pem"), shown("server.key"));
        let signed = ["-CA", &ca, "-CAkey", &ca_key, "-keyout", &key, "-out", &certificate];
        let names = "subjectAltName=IP:127.0.0.1";
        let leaf = "basicConstraints=critical,CA:FALSE";
        let about = ["-subj", "/CN=Server of a test", "-addext", names, "-addext", leaf];
        openssl(&[&["req", "-x509"][..], &new, &signed, &about].concat());
        Self { authority: file("ca.pem"), chain: file("server.pem"), key: file("server.key") }
    }
}

fn openssl(arguments: &[&str]) {
    let mut command = Command::new("openssl");
    let made = command.args(arguments).stdin(Stdio::null()).output();
    let made = made.expect("OpenSSL is installed: run `cargo xtask test`");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}
