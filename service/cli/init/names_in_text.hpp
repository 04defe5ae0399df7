#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Names in the texts of a stranger's repository: each is read once, whatever its length. Pure
// functions.

namespace vigil::cli {

/// The longest that is taken for a name, and the most blanks that are passed over at once.
inline constexpr std::size_t longest_name = 64;

/// A text from a place on, behind what was read of it.
class RestOfText {
  public:
    explicit RestOfText(std::string_view rest) : rest_(rest) {}

    /// Goes behind `part`. @return false where something else stands here
    bool take(std::string_view part);
    void skip_blanks();
    /// Goes behind letters, digits, '_' and `more`. @return empty where there is none, or it is too
    /// long
    std::string name(std::string_view more);
    bool at(char c) const { return rest_.starts_with(c); }

  private:
    std::string_view rest_;
};

/// What `read` makes of the places of a word, but for those within another word.
/// @param read  of the text from there on, and where it begins: a name, or an empty one
std::vector<std::string> names_at(
    std::string_view text,
    std::string_view word,
    const std::function<std::string(RestOfText, std::size_t)>& read);

enum class Letters { as_they_are, of_any_case };

/// The first arguments of the calls of a function.
/// @param function  in lower case where `letters` are of any case
/// @param quote     around them; empty: none
std::vector<std::string> first_arguments(
    std::string_view text,
    std::string_view function,
    std::string_view quote,
    Letters letters = Letters::as_they_are);

}  // namespace vigil::cli
