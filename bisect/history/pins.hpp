#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"

namespace vigil::history {

/// A dependency at one revision before a commit and at another after it.
struct Pin {
    std::string path;    ///< of the submodule, or of the file that names the revision; one line
    int line = 0;        ///< of the file, from 1; 0: a submodule
    std::string before;  ///< a hash; of a GIT_TAG it may be a name
    std::string after;
    friend bool operator==(const Pin&, const Pin&) = default;
};

/// What a commit moves of the project's dependencies, against its first parent.
struct PinMoves {
    std::vector<Pin> pins;
    bool only = false;  ///< and changes nothing else
    friend bool operator==(const PinMoves&, const PinMoves&) = default;
};

constexpr std::size_t most_pins = 50;

/// Submodules that move, changed lines that differ in a full commit hash alone (GIT_TAG of CMake, a
/// requirement, a file of pins ...), and lines of files of CMake that differ in what follows
/// GIT_TAG alone, be it a name. A submodule that comes or goes is another change.
/// @param repository  path of a clone or bare repository
/// @return at most `most_pins`; none for a commit without parent
/// @throws Error{not_found} when an object is missing (a partial clone), Error{unavailable}
PinMoves find_pins(const std::string& repository, const Revision& revision);

/// What a commit moves, where that is one submodule, or one line of a file of CMake, and it does
/// nothing else.
std::optional<Pin> only_dependency(const PinMoves& moves);

/// "third_party/x", "deps.cmake line 12". The path is a stranger's text.
std::string place_of(const Pin& pin);

/// "third_party/x from 0123... to 4567...", "deps.cmake line 12 from ... to ...". The path is a
/// stranger's text.
std::string pin_text(const Pin& pin);

/// The same of a commit: at most three pins, how many more there are, and whether they are all it
/// changes. Empty without pins.
std::string moves_text(const PinMoves& moves);

}  // namespace vigil::history
