#include "schema/model/text_ids.hpp"

#include <algorithm>

#include "schema/model/error.hpp"

namespace vigil {

bool is_lower_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

namespace {

// A stranger's text goes into the message: short, and only if it is plain.
std::string quoted(const std::string& text) {
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return plain ? "'" + text.substr(0, 80) + "'" : "text with control characters";
}

}  // namespace

Revision::Revision(std::string hash) : hash_(std::move(hash)) {
    const bool length = hash_.size() == 40 || hash_.size() == 64;
    if (!length || !is_lower_hex(hash_)) {
        throw Error(
            Errc::invalid_argument,
            "not a revision: " + quoted(hash_) +
                "; give the full hash, 40 or 64 lower-case hex digits");
    }
}

Digest::Digest(std::string hex) : hex_(std::move(hex)) {
    if (hex_.size() != 64 || !is_lower_hex(hex_)) {
        throw Error(
            Errc::invalid_argument,
            "not a digest: " + quoted(hex_) + "; a SHA-256 has 64 lower-case hex digits");
    }
}

}  // namespace vigil
