#pragma once

namespace vigil::service {

/// Called once at start: a block of a MiB and more goes back to the system when it is freed,
/// whatever lies behind it.
void keep_no_large_blocks();

/// What was freed and is still held goes back to the system. Takes milliseconds: not for the io
/// thread.
void give_back_memory();

}  // namespace vigil::service
