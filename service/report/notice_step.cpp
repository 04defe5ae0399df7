#include "service/report/notice_step.hpp"

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "service/report/render/render_asked.hpp"
#include "service/store/alone.hpp"
#include "service/store/reports/commands.hpp"
#include "service/store/reports/notices.hpp"

namespace vigil::service {

namespace {

constexpr int max_notices_at_once = 20;  // the step is called again; keeps the transaction short

/// What came of the request; where it cannot be read, that.
std::string asked_words(Database& db, const Config& config, RequestId request) {
    std::string words;
    const auto trouble =
        try_alone(db, [&] { words = render_asked(load_asked_facts(db, request, config)); });
    if (!trouble) return words;
    return fmt::format(
        "Request {} is over; what came of it cannot be told: {}\n",
        request.value,
        text::code_span(*trouble, 300));
}

}  // namespace

int notice_step(Database& db, const Config& config, std::int64_t now_s) {
    int count = 0;
    for (const auto& command : list_untold_commands(db, max_notices_at_once)) {
        NoticeWords words;
        words.target = command.target;
        words.place = "command/" + std::to_string(command.id);
        words.number = command.issue;
        words.body = asked_words(db, config, command.request);
        put_notice(db, words, now_s);
        note_told(db, command.id);
        ++count;
    }
    return count;
}

}  // namespace vigil::service
