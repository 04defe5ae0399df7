#pragma once

#include <string>
#include <string_view>

#include "schema/model/error.hpp"

// Other programs' and other people's words, made fit for our messages.

namespace vigil::service {

/// @throws Error{invalid_argument}
[[noreturn]] void refuse(const std::string& why);

/// What `work` returns; an Error of its begins with what was attempted.
template <class Work>
auto attempting(const std::string& attempt, Work work) {
    try {
        return work();
    } catch (const Error& error) {
        throw Error(error.code(), attempt + ": " + error.what());
    }
}

/// A path or URL without the user name and password it may carry.
std::string without_credentials(std::string_view origin);

/// The text with every URL in it replaced by "<address>".
std::string without_addresses(std::string_view text);

/// The text with every absolute path of a machine in it replaced by "<path>": in quotes or not, by
/// itself or as a file:// address. Other addresses, and names with a '/' in them, stay.
std::string without_paths(std::string_view text);

}  // namespace vigil::service
