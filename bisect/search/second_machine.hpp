#pragma once

#include <string>
#include <vector>

#include "bisect/search/evidence.hpp"
#include "bisect/search/posterior.hpp"
#include "bisect/search/search.hpp"

namespace vigil::search {

/// What several machines, each by its own runs, say of a change for the worse. A machine can
/// deceive any number of its own runs alike: what a build shows there may be the machine's.
/// @source  docs/search.md, section 10
struct SecondMachine {
    std::vector<std::string> agreeing;  ///< the change shows there
    /// Whose runs deny the change that shows on another, with the numbers of both; empty: nobody's.
    std::string contradiction;
    /// Another machine is to be asked, which must not be this one; empty: none is.
    std::string ask_not_on;
    int runs = 0;  ///< a side, of that
};

/// @param gap  of `posterior`, of the series `spec`
/// @param repeated  of series that are alike, what two machines verified; no machine is asked at
///                  the same commits
SecondMachine second_machine(
    const Problem& problem,
    const Facts& facts,
    const SeriesSpec& spec,
    const SeriesEvidence& evidence,
    const std::vector<SeriesEnding>& repeated,
    const Posterior& posterior,
    int gap);

/// Where a change was verified, as the middle of "verified against its parent": " on two machines
/// (a and b)"; empty where nothing is to be said.
/// @param in_vain  another machine was asked, and none came
std::string where_words(const std::vector<std::string>& machines, bool in_vain);

/// What became of the verifications that another machine of a group was asked for.
enum class SecondAsked {
    no,       ///< none was, or each was made
    open,     ///< one is waited for
    in_vain,  ///< for one of them none came
};
SecondAsked second_asked(const Facts& facts, int group);

}  // namespace vigil::search
