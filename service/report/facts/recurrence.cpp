#include "service/report/facts/recurrence.hpp"

#include <algorithm>

#include "bisect/history/claims.hpp"

namespace vigil::service {

bool is_recurrence(const RegressionFacts& facts, const EarlierFact& earlier) {
    if (!facts.culprit || facts.culprit == earlier.culprit) return true;
    const auto found =
        std::find_if(facts.suspects.begin(), facts.suspects.end(), [&](const SuspectFact& one) {
            return one.position > 0 && one.revision == *facts.culprit;
        });
    if (found == facts.suspects.end()) return false;
    const auto claim = history::read_subject(found->subject);
    return claim && history::takes_out(*claim, earlier.subject) == false;
}

}  // namespace vigil::service
