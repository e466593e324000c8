//! A file is either the old one or the new one, never half of each.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` beside `path`, makes sure they are on the disk, then moves them into place.
///
/// A link is followed: the file that it points to is replaced, not the link. Something that is not a
/// regular file, such as `/dev/stdout`, is written to directly.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(&target);
    if old.as_ref().is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return File::options().write(true).open(&target)?.write_all(bytes);
    }
    let beside = unused_name(&target)?;
    let written = (|| {
        let mut file = File::options().write(true).create_new(true).open(&beside)?;
        if let Ok(old) = &old {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, &target)
    })();
    if written.is_err() {
        // The first error is the one to tell; a leftover that cannot be removed changes nothing.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A name in the same folder that nobody has.
fn unused_name(target: &Path) -> io::Result<PathBuf> {
    let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file's name"))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", std::process::id()));
    Ok(target.with_file_name(hidden))
}
