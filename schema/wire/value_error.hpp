#pragma once

#include <string>
#include <string_view>

#include "schema/model/error.hpp"

namespace vigil::wire {

/// Error{invalid_argument} that also tells where the value stands; caught as any other Error.
class ValueError : public Error {
  public:
    /// @param path  as `Item::path`: "body.steps[3].name"
    ValueError(const std::string& message, std::string path)
        : Error(Errc::invalid_argument, message), path_(std::move(path)) {}
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// The path as a JSON pointer (RFC 6901) into the document, whose own name is its first word:
/// "body.steps[3].name" is "/steps/3/name".
std::string pointer_of(std::string_view path);

}  // namespace vigil::wire
