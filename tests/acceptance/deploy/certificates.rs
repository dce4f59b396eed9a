//! Certificates of a test's own certificate authority, created with OpenSSL.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The end of a certificate's validity.
#[derive(Clone, Copy, Debug)]
pub enum CertificateExpiry {
    /// This number of days from now.
    Days(u32),
    /// In the past: the certificate has expired.
    LongAgo,
}

/// A certificate authority. Its files are deleted when it is dropped.
pub struct Authority {
    folder: TempDir,
}

/// The settings with which OpenSSL issues a certificate that was valid in the past.
const SETTINGS: &str = "[ca]\ndefault_ca = ours\n[ours]\ndatabase = index\nserial = serial\n\
    new_certs_dir = .\ndefault_md = sha256\npolicy = any\nunique_subject = no\n[any]\ncommonName = supplied\n";
const LOCALHOST: &str = "localhost";

impl Authority {
    /// Creates an authority with this name. Two authorities need different names: otherwise a
    /// client tells them apart only by their signatures.
    pub fn new(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("settings", SETTINGS), ("index", ""), ("serial", "1000\n")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let it = Self { folder };
        it.openssl(&format!(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout authority.key -out authority.pem \
             -days 30 -subj /CN={name} -addext keyUsage=critical,keyCertSign"
        ));
        it
    }

    /// Returns the path of the authority's certificate, which a client has to trust.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// Returns the authority's own certificate as a server certificate, as in a self-signed setup.
    pub fn itself(&self) -> Issued {
        let [certificate, key] =
            ["authority.pem", "authority.key"].map(|it| self.folder.path().join(it));
        Issued { both: certificate.clone(), certificate, key }
    }

    /// Returns the authority's certificate for use in `reqwest`.
    pub fn certificate(&self) -> reqwest::Certificate {
        reqwest::Certificate::from_pem(&fs::read(self.file()).unwrap()).unwrap()
    }

    /// Issues a certificate for `localhost`: a file with the certificate, one with its key, and one
    /// with both.
    pub fn issue(&self, until: CertificateExpiry) -> Issued {
        self.issue_to(LOCALHOST, until)
    }

    /// Issues a certificate for any name.
    pub fn issue_to(&self, name: &str, until: CertificateExpiry) -> Issued {
        let names = format!("subjectAltName = DNS:{name}\nbasicConstraints = critical, CA:FALSE\n");
        fs::write(self.folder.path().join("names"), names).unwrap();
        self.openssl(&format!(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout site.key -out site.csr -subj /CN={name}"
        ));
        match until {
            CertificateExpiry::Days(days) => self.openssl(&format!(
                "x509 -req -in site.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days {days} \
                 -extfile names -out site.pem"
            )),
            CertificateExpiry::LongAgo => self.openssl(
                "ca -batch -notext -config settings -cert authority.pem -keyfile authority.key -in site.csr \
                 -startdate 20200101000000Z -enddate 20200201000000Z -extfile names -out site.pem",
            ),
        }
        self.taken()
    }

    /// Issues a certificate without extensions, which OpenSSL 3.0 writes as X.509 version 1.
    pub fn issue_plain(&self) -> Issued {
        self.openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout site.key -out site.csr -subj /CN=localhost",
        );
        self.openssl(
            "x509 -req -in site.csr -CA authority.pem -CAkey authority.key -CAcreateserial -out site.pem",
        );
        self.taken()
    }

    /// Moves the files of the certificate that was just issued into a directory of their own.
    fn taken(&self) -> Issued {
        let folder = tempfile::tempdir_in(self.folder.path()).unwrap().keep();
        let (certificate, key) =
            (self.folder.path().join("site.pem"), self.folder.path().join("site.key"));
        let both = [fs::read(&certificate).unwrap(), fs::read(&key).unwrap()].concat();
        let issued = Issued {
            certificate: folder.join("site.pem"),
            key: folder.join("site.key"),
            both: folder.join("both.pem"),
        };
        fs::rename(certificate, &issued.certificate).unwrap();
        fs::rename(key, &issued.key).unwrap();
        fs::write(&issued.both, both).unwrap();
        issued
    }

    fn openssl(&self, arguments: &str) {
        run("openssl", arguments.split_whitespace(), self.folder.path());
    }
}

/// The files of an issued certificate.
pub struct Issued {
    pub certificate: PathBuf,
    pub key: PathBuf,
    pub both: PathBuf,
}

fn run<'a>(program: &str, arguments: impl Iterator<Item = &'a str>, folder: &Path) {
    let mut command = Command::new(program);
    let said = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    assert!(said.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said.stderr));
}
