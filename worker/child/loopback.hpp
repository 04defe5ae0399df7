#pragma once

// What vigil-child hands out where it is asked to: a port of the loopback that its sandbox alone
// has, on which a worker answers what is in the sandbox.

namespace vigil::worker {

constexpr int loopback_port = 8323;
constexpr int loopback_backlog = 64;

}  // namespace vigil::worker
