#pragma once

#include <string>
#include <vector>

#include "service/store/nights/night_commits.hpp"
#include "tests/integration/service/http/seed.hpp"

namespace vigil::service::testing {

/// As the git lane does: a night has commits of these subjects, and `left_out` older ones.
inline void keep_commits(
    Service& service,
    NightlyId night,
    const std::vector<std::string>& subjects,
    std::int64_t left_out = 0,
    const std::string& none = "") {
    service.change([&](Database& db) {
        NightCommits commits;
        for (const auto& subject : subjects) {
            commits.commits.push_back({Revision(hash_of('b')), subject, "Author Two", 90});
        }
        commits.count = std::ssize(subjects) + left_out;
        commits.none = none;
        for (const auto& asked : list_unlisted_nights(db, ProjectId{1}, 1000)) {
            if (asked.night == night) record_night_commits(db, asked, commits);
        }
        return 0;
    });
}

}  // namespace vigil::service::testing
