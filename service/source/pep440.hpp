#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::service {

/// A version of a Python package (PEP 440): [N!]N(.N)*[{a|b|rc}N][.postN][.devN][+local]. Pure.
struct PythonVersion {
    std::int64_t epoch = 0;
    std::vector<std::int64_t> release;  ///< trailing zeros are gone
    /// 0: a, 1: b, 2: rc; and its number
    std::optional<std::pair<int, std::int64_t>> pre;
    std::optional<std::int64_t> post;
    std::optional<std::int64_t> dev;
    std::vector<std::string> local;  ///< lower case, at . - _

    /// Older is less, as PEP 440 orders: 2.9 < 2.10.dev1 < 2.10a1.dev1 < 2.10a1 < 2.10rc1 < 2.10 <
    /// 2.10+cpu < 2.10.post1.
    friend std::strong_ordering operator<=>(const PythonVersion& a, const PythonVersion& b);
    friend bool operator==(const PythonVersion& a, const PythonVersion& b) {
        return (a <=> b) == 0;
    }
};

/// Any spelling that PEP 440 normalises ("v2.10-Alpha.1"); nothing when it is no version, or one of
/// its numbers has more than 18 digits.
std::optional<PythonVersion> parse_python_version(std::string_view text);

}  // namespace vigil::service
