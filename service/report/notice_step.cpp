#include "service/report/notice_step.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "service/report/culprits.hpp"
#include "service/report/deliver/notices.hpp"
#include "service/report/render/render_pull.hpp"
#include "service/report/render/render_requested.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/pulls.hpp"
#include "service/store/ids.hpp"
#include "service/store/reports/commands.hpp"
#include "service/store/reports/notices.hpp"
#include "service/store/reports/reports.hpp"

namespace vigil::service {

namespace {

constexpr int max_notices_at_once = 20;  // the step is called again; keeps the transaction short

/// What came of the request; where it cannot be read, that.
std::string requested_words(Database& db, const Config& config, RequestId request) {
    std::string words;
    const auto trouble =
        try_alone(db, [&] { words = render_requested(load_requested_facts(db, request, config)); });
    if (!trouble) return words;
    return fmt::format(
        "Request {} is over; what came of it cannot be told: {}\n",
        request.value,
        text::code_span(*trouble, 300));
}

bool is_open_pull(PullState state) {
    return state == PullState::held || state == PullState::listing || state == PullState::measuring;
}

/// Whether another commit of the same pull request has the word in its comment.
bool speaks_for_another(Database& db, const PullRow& pull) {
    if (pull.state != PullState::stopped) return false;
    const auto all = list_pulls_of(db, pull.target, pull.number);
    return std::any_of(all.begin(), all.end(), [&](const PullRow& other) {
        return other.id != pull.id && is_open_pull(other.state);
    });
}

PullTexts pull_texts(Database& db, const Config& config, const PullRow& pull) {
    PullTold told;
    told.pull = pull;
    told.links = links_of(config, load_project_name(db, pull.project));
    const auto trouble = try_alone(db, [&] {
        if (pull.request) told.asked = load_requested_facts(db, *pull.request, config);
        if (!pull.fixes) return;
        told.fixes = list_reported_series(db, *pull.fixes);
        const auto filed = list_filed_addresses(db, *pull.fixes);
        if (!filed.empty()) told.issue = filed.front();
    });
    if (trouble) told.pull.message = "what came of it cannot be read: " + *trouble;
    return render_pull(told);
}

/// That something was stopped is not said where all before was given up: nobody waits for it.
void put_or_drop(Database& db, const NoticeWords& words, PullState state, std::int64_t now_s) {
    const bool ends = state == PullState::stopped;
    if (ends && drop_given_up(db, words.target, words.place)) return;
    put_notice(db, words, now_s);
}

void tell_of_pull(Database& db, const Config& config, PullId id, std::int64_t now_s) {
    const auto pull = load_pull(db, id);
    const auto texts = pull_texts(db, config, pull);
    NoticeWords words;
    words.target = pull.target;
    words.number = pull.number;
    words.place = "check/" + pull.head.str();
    words.revision = pull.head.str();
    words.status = texts.status;
    words.title = texts.title;
    words.body = texts.summary;
    put_or_drop(db, words, pull.state, now_s);
    mark_reported(db, id);
    if (texts.comment.empty() || speaks_for_another(db, pull)) return;
    NoticeWords comment;
    comment.target = pull.target;
    comment.number = pull.number;
    comment.place = "pull/" + std::to_string(pull.number);
    comment.body = texts.comment;
    put_or_drop(db, comment, pull.state, now_s);
}

}  // namespace

int notice_step(Database& db, const Config& config, std::int64_t now_s) {
    int count = 0;
    judge_undelivered_notices(db, config, now_s);
    count += culprit_step(db, config, now_s);
    for (const auto pull : list_unreported_pulls(db, max_notices_at_once)) {
        tell_of_pull(db, config, pull, now_s);
        ++count;
    }
    for (const auto& command : list_unreported_commands(db, max_notices_at_once)) {
        NoticeWords words;
        words.target = command.target;
        words.place = "command/" + std::to_string(command.id);
        words.number = command.issue;
        words.body = requested_words(db, config, command.request);
        put_notice(db, words, now_s);
        mark_reported(db, command.id);
        ++count;
    }
    return count;
}

}  // namespace vigil::service
