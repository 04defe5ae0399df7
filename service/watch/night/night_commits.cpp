#include "service/watch/night/night_commits.hpp"

#include <algorithm>

#include "schema/text/characters.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t most_subject_bytes = 400;
constexpr std::size_t most_author_bytes = 200;

}  // namespace

NightCommits none_before_first() {
    NightCommits none;
    none.none = "it is the first night of its project";
    return none;
}

NightCommits kept_of(const history::Range& range) {
    NightCommits kept;
    if (range.relation == history::Relation::forked) {
        kept.none =
            "the branch was rewritten since the night before, whose commit it has no more; "
            "the two part at " +
            range.base.brief();
        return kept;
    }
    const auto& all = range.suspects;
    kept.count = std::ssize(all);
    for (auto i = std::max<std::int64_t>(0, kept.count - most_night_commits); i < kept.count; ++i) {
        const auto& commit = all[static_cast<std::size_t>(i)];
        kept.commits.push_back(
            {commit.revision,
             std::string(text::first_bytes(commit.subject, most_subject_bytes)),
             std::string(text::first_bytes(commit.author, most_author_bytes)),
             commit.authored_at_s});
    }
    return kept;
}

}  // namespace vigil::service
