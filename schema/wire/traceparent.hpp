#pragma once

#include <optional>
#include <string>
#include <string_view>

// The trace that a piece of work belongs to. It goes from the request that asked for the work to
// the job, to its builds and runs, and back in the worker's requests. Nothing here records spans,
// so a sender's value is passed on as it is.
// @source  W3C Trace Context

namespace vigil::wire {

/// The variable of builds and runs that holds it.
inline constexpr const char* traceparent_variable = "TRACEPARENT";

/// Whether a `traceparent` has the form of its standard: version-trace-parent-flags, in 2, 32, 16
/// and 2 lower-case hex digits. Version ff is forbidden, and so are ids of zeros.
/// @source  W3C Trace Context, section 3.2
bool is_traceparent(std::string_view value);

/// Of a new trace with random ids; its flags say that nothing is recorded yet.
std::string new_traceparent();

/// What was sent, as version 00, which is the one that is spoken here; of a new trace where nothing
/// was, or something else than a traceparent.
std::string traceparent_or_new(const std::optional<std::string>& sent);

}  // namespace vigil::wire
