#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace vigil {

/// One commit of the project under test: a full hash, 40 (SHA-1) or 64 (SHA-256) lower-case hex.
class Revision {
  public:
    Revision() = default;  ///< no revision; `empty()`
    /// @throws Error{invalid_argument} unless `hash` is a full lower-case hex hash
    explicit Revision(std::string hash);
    const std::string& str() const { return hash_; }
    std::string brief() const { return hash_.substr(0, 10); }
    bool empty() const { return hash_.empty(); }
    friend auto operator<=>(const Revision&, const Revision&) = default;

  private:
    std::string hash_;
};

/// The SHA-256 of content, 64 lower-case hex digits.
class Digest {
  public:
    Digest() = default;  ///< no digest; `empty()`
    /// @throws Error{invalid_argument} unless `hex` is 64 lower-case hex digits
    explicit Digest(std::string hex);
    const std::string& str() const { return hex_; }
    std::string brief() const { return hex_.substr(0, 12); }
    bool empty() const { return hex_.empty(); }
    friend auto operator<=>(const Digest&, const Digest&) = default;

  private:
    std::string hex_;
};

bool is_lower_hex(std::string_view text);

}  // namespace vigil
