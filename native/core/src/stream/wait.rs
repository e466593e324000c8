//! Reading from what may never answer (a pipe, a terminal) without becoming deaf to a wish to stop.

use std::io::{self, Read};

/// How long a silent pipe is waited for before the stream looks around.
#[cfg(unix)]
const PATIENCE: rustix::event::Timespec = rustix::event::Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Reads that return `WouldBlock` when nothing has come for a while.
#[cfg(unix)]
struct Patient<F>(F);

#[cfg(unix)]
impl<F: std::os::fd::AsFd> Read for Patient<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, poll};
        if poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&PATIENCE))? == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(rustix::io::read(&self.0, buffer)?)
    }
}

#[cfg(unix)]
pub(super) fn patient(file: std::fs::File) -> impl Read + Send {
    Patient(file)
}

/// Standard input without the standard library's buffer: what that holds, `poll` would not see.
#[cfg(unix)]
pub(super) fn stdin() -> impl Read + Send {
    Patient(rustix::stdio::stdin())
}

#[cfg(not(unix))]
pub(super) fn patient(file: std::fs::File) -> impl Read + Send {
    file
}

#[cfg(not(unix))]
pub(super) fn stdin() -> impl Read + Send {
    io::stdin()
}
