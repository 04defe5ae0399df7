#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace vigil {

/// What kind of failure an operation met; decides the HTTP status at the edge.
enum class Errc {
    invalid_argument,  ///< 400: the input is wrong; the message says what and what to do
    denied,            ///< 403: known, but not allowed
    not_found,         ///< 404
    conflict,          ///< 409: the state does not allow it (stale attempt, other content)
    unavailable,       ///< 503: try again later
    internal,          ///< 500: a fault of ours or of the machine
};

std::string_view to_string(Errc code);

/// The only exception type Vigil throws: an operation that cannot complete. The message says what
/// was attempted, on what, and why it failed; it is one line and fit for a person.
class Error : public std::runtime_error {
  public:
    Error(Errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
    Errc code() const { return code_; }

  private:
    Errc code_;
};

namespace detail {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}

}  // namespace vigil

/// A broken invariant is a bug: print and abort, in every build; never caught.
#define VIGIL_ASSERT(expression) \
    ((expression) ? void() : ::vigil::detail::assertion_failed(#expression, __FILE__, __LINE__))
