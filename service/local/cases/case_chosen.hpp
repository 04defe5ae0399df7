#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/local/cases/cases.hpp"

namespace vigil::wire {
class ObjectReader;
}

namespace vigil::local {

/// Of a program that prints many cases, which one is searched, and what the others do between the
/// ends. From here on the order selects it. An entry of the log.
struct CaseChosen {
    std::string name;
    CaseCounts counts;             ///< of all cases, the chosen one too
    std::vector<CaseLine> others;  ///< that moved, worst first; at most `most_case_lines`
    int runs = 0;                  ///< that were made to choose it
    double seconds = 0;            ///< of these
};

/// @param better  whether what got better is searched
CaseChosen choose_case(const ComparedCases& compared, bool better);

nlohmann::json to_json(const CaseChosen& chosen);
/// @throws Error{invalid_argument}
CaseChosen parse_case_chosen(wire::ObjectReader& reader);

/// Which one is searched, and what else moved; several lines.
std::string chosen_text(const CaseChosen& chosen, bool better);

}  // namespace vigil::local
