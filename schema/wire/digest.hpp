#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "schema/model/text_ids.hpp"

namespace vigil::wire {

/// SHA-256 of bytes that come in pieces.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void update(std::string_view bytes);
    Digest finish();  ///< once; no update after it

  private:
    struct State;
    std::unique_ptr<State> state_;
};

Digest sha256(std::string_view bytes);

/// @throws Error{not_found} when the file cannot be opened, Error{unavailable} when reading fails
Digest sha256_file(const std::filesystem::path& file);

/// HMAC-SHA256, 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view body);

/// HMAC-SHA256, 64 lower-case hex digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view body);

/// Compares without telling by its duration where the first difference is. Lengths are no secret.
bool equal_constant_time(std::string_view a, std::string_view b);

/// `count` bytes from the system's random source, as 2 * count lower-case hex digits.
std::string random_hex(int count);

}  // namespace vigil::wire
