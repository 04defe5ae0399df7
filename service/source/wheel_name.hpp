#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// What the name of a wheel says (PEP 427), and where the wheel runs (PEP 425). Pure.

namespace vigil::service {

struct WheelName {
    std::string package;  ///< normalised (PEP 503): lower case, "-" for runs of . _ -
    std::string version;  ///< as it stands there
    /// Of several files of one version and the same tags the one of the greatest build counts.
    std::pair<std::int64_t, std::string> build{-1, ""};
    std::string python;    ///< "cp311", "cp310.cp311", "py3"
    std::string abi;       ///< "cp311", "cp313t", "abi3", "none"
    std::string platform;  ///< "manylinux_2_17_x86_64.manylinux2014_x86_64"
};
std::optional<WheelName> parse_wheel_name(std::string_view file);

/// Lower case, with one "-" for every run of ".", "_" and "-".
std::string normalised_package(std::string_view name);

/// Whether a wheel of these platforms runs on Linux machines of this kind: any manylinux tag, old
/// or new (manylinux1, 2010, 2014, _2_28), "linux_<machine>", or "any".
bool runs_on(std::string_view platforms, std::string_view machine);

/// How well a wheel fits an interpreter by its Python and ABI tags: 0, made for it; 1, for the
/// stable ABI; 2, for any ABI; nothing, not at all.
/// @param interpreter  "cp313"; "cp313t" for the free-threaded one, which loads nothing of cp313
std::optional<int> fit_of(const WheelName& wheel, std::string_view interpreter);

/// The one interpreter whose ABI the wheel needs, "cp313" or "cp313t"; empty: it needs no certain
/// one ("abi3", "none").
std::string interpreter_of(const WheelName& wheel);

}  // namespace vigil::service
