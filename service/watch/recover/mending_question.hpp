#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bisect/history/mended.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/mending_records.hpp"
#include "service/store/findings/regressions.hpp"

namespace vigil::service {

/// The issue that an address from a tracker means; nullopt: it names none.
/// @param commit_url  template of the addresses of the repository's commits; may be empty
std::optional<history::FiledIssue> issue_of(std::string_view ref, std::string_view commit_url);

/// What is asked about these commits: whether they revert the regression's culprit, or the merges
/// that brought it, or one of the suspects left, or of the commits that it brought itself, or say
/// that they fix its issue.
history::MendingQuestion mending_question(
    Database& db,
    const Config& config,
    const RegressionRow& regression,
    const history::ClaimedRange& range);

/// The answer with what is to be said of it.
Mending mending_of(const history::MendingQuestion& asked, const history::MendingWord& word);

}  // namespace vigil::service
