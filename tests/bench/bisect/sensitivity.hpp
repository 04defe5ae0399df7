#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bisect/search/rules.hpp"
#include "tests/bench/bisect/families.hpp"
#include "tests/bench/rules/vary.hpp"

namespace vigil::bench {

/// Every rule of the search.
const std::vector<NamedRule<search::SearchRules>>& search_rules();

/// The first day of a word: another word, other days.
std::uint64_t first_day(const std::string& word);

/// Days that a table of rules is made of.
struct Episodes {
    std::uint64_t first = 1;
    int days = 100;
    std::string family = {};  ///< only days of families whose name begins so
};

/// Every rule at half and double, by the same days: how many answers are right and wrong more than
/// by the rules as they are, and what the search costs beside them.
/// @param prefix  only rules whose name begins so
void print_sensitivity(const Episodes& episodes, const std::string& prefix);

/// The same of some sets of rules, each "name=value,name=value".
/// @return false: one of the names is unknown
bool print_changes(const Episodes& episodes, const std::vector<std::string>& texts);

}  // namespace vigil::bench
