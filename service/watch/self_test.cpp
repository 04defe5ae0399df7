#include "service/watch/self_test.hpp"

#include <optional>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"
#include "service/config/self_test.hpp"
#include "service/store/ids.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/self_tests.hpp"

namespace vigil::service {

namespace {

constexpr const char* missed = "self_test.missed";

std::string missed_words(
    Database& db, ProjectId project, const OpenSelfTest& test, std::int64_t now_s) {
    return fmt::format(
        "the regression that the self-test planted at {} UTC ({} of {}) was to be reported by {} "
        "UTC, {} ago, and is not: {}; see docs/runbook.md, VigilSelfTestMissed",
        text::utc(test.planted_at_s),
        test.benchmark,
        test.revision.brief(),
        text::utc(test.due_at_s),
        text::duration(now_s - test.due_at_s),
        self_test_stage(db, project, test));
}

}  // namespace

void check_self_tests(Database& db, const Config& config, std::int64_t now_s) {
    const auto project = find_project(db, std::string(self_test_name));
    const auto subject = "project/" + std::string(self_test_name);
    if (!config.self_test || !project) {
        end_trouble(db, missed, subject, now_s);
        return;
    }
    std::optional<OpenSelfTest> newest_missed;
    for (const auto& test : list_open_self_tests(db)) {
        if (const auto at_s = find_culprit_report_s(db, *project, test.revision)) {
            note_self_test_reported(db, test.number, *at_s);
        } else if (now_s > test.due_at_s) {
            if (!test.is_missed) note_self_test_missed(db, test.number);
            newest_missed = test;
        }
    }
    const auto reported_s = find_reported_self_test_s(db);
    const bool lasts = newest_missed && (!reported_s || *reported_s < newest_missed->planted_at_s);
    Trouble trouble{.kind = missed, .subject = subject, .project = *project, .message = ""};
    if (lasts) trouble.message = missed_words(db, *project, *newest_missed, now_s);
    set_trouble(db, trouble, lasts, now_s);
}

}  // namespace vigil::service
