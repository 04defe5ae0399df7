#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "service/config/config.hpp"

namespace vigil::service {

/// The rules of a project's series, with the suites that its benchmarks are of.
class ProjectSeriesRules {
  public:
    /// @param project  outlives this
    explicit ProjectSeriesRules(const ProjectConfig& project);

    /// The rule that decides of a series; nullptr: none does. Behind the project's own stands one
    /// where nothing was said of `judged`: CPU time of what vigil-bench runs on a GPU is not
    /// judged.
    /// @param name  its suite is known here
    const SeriesRule* find(NameOfSeries name) const;

  private:
    const ProjectConfig& project_;
    std::map<std::pair<std::string, std::string>, std::string> suites_;  ///< of what the matrix has
    std::set<std::pair<std::string, std::string>> on_gpu_;  ///< CPU time says little of them
};

/// Has instructions counted of the benchmarks of which a project judges them, by `judged` or by a
/// rule: of others they would only be more series.
void note_counted(ProjectConfig& project);

/// Whether a series is judged, why, and above which change it is worse: one line for a person.
/// @param rule       that decides of it, of this project; nullptr: none does
/// @param threshold  change ratio, as it holds now
std::string judging_words(
    const ProjectConfig& project,
    const SeriesRule* rule,
    Metric metric,
    Judging judging,
    double threshold);

/// A rule of series that has no effect.
struct UselessRule {
    std::string project;
    std::size_t place = 0;  ///< among the project's rules
    std::string why;
};

/// Rules that fit nothing of the matrix, or only what earlier rules decide. Which series are sent
/// from elsewhere, a config does not tell.
std::vector<UselessRule> list_useless_rules(const Config& config);

/// One line for each rule that decides something, with what of the matrix and how it judges that;
/// and one for the rest of such a project. Projects without rules have none.
std::vector<std::string> list_decided(const Config& config);

}  // namespace vigil::service
