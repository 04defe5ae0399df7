#include "service/report/deliver/commands.hpp"

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/deliver/command_words.hpp"
#include "service/report/deliver/envelope.hpp"
#include "service/report/deliver/tracker_pace.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/mutes.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/reports/tracker.hpp"
#include "service/watch/asked/ask.hpp"

namespace vigil::service {

namespace {

constexpr int commands_at_once = 20;
constexpr std::size_t max_told = 300;

/// How the words of the answer begin, and what is asked for.
std::pair<const char*, AskedAgain> measuring_of(MeasureCommand command) {
    switch (command) {
        case MeasureCommand::rerun: return {"is measured again", AskedAgain::its_series};
        case MeasureCommand::rebisect: return {"is searched again", AskedAgain::search};
        case MeasureCommand::bench: break;
    }
    return {"is measured by all that the project measures", AskedAgain::everything};
}

std::string act(
    Database& db,
    const Config& config,
    const CommandRow& row,
    RegressionId regression,
    const CommandWish& wish,
    std::int64_t now_s) {
    const auto by = "github:" + row.asked.login;
    if (const auto* wrong = std::get_if<WrongCommand>(&wish)) {
        throw Error(Errc::invalid_argument, wrong->why);
    }
    if (const auto* mute = std::get_if<MuteCommand>(&wish)) {
        const auto about = load_regression(db, regression);
        if (!is_open(about.state)) {
            throw Error(Errc::conflict, "only what is open is muted");
        }
        NewMute made;
        made.project = about.project;
        made.regression = regression;
        made.owner = made.token = by;
        made.reason = mute->reason;
        made.until_s = mute->until_s;
        add_mute(db, made, now_s);
        return fmt::format("is muted until {} UTC", text::utc(mute->until_s));
    }
    if (const auto* measure = std::get_if<MeasureCommand>(&wish)) {
        const auto [words, what] = measuring_of(*measure);
        const auto request = ask_again(db, config, regression, what, by, now_s);
        note_request_of_command(db, row.id, request);
        const auto asked = load_request(db, request).asked;
        return fmt::format(
            "{} (request {}: {}), and what comes of it is told here",
            words,
            request.value,
            text::counted(std::int64_t(asked.variants.size()), "variant"));
    }
    const auto& decided = std::get<DecideCommand>(wish);
    move_by_hand(db, regression, decided.to, by, decided.reason, now_s);
    return fmt::format("is {}", to_string(decided.to));
}

/// What is done, and the answer that says so; what cannot be done is answered, too.
std::string decide(
    Database& db, const Config& config, const CommandRow& row, bool may_write, std::int64_t now_s) {
    const auto login = text::code_span(row.asked.login, 60);
    if (!may_write) {
        return fmt::format(
            "Nothing was changed: {} may not decide here. That takes write permission to this "
            "repository.",
            login);
    }
    const auto regression = find_regression_at(db, row.asked.target, row.asked.issue_url);
    if (!regression) {
        return "Nothing was changed: no regression is reported by this issue.";
    }
    std::string done;
    const auto wish = read_command(row.asked.words, now_s);
    const auto refused =
        try_alone(db, [&] { done = act(db, config, row, *regression, wish, now_s); });
    if (refused) {
        const auto* wrong = std::get_if<WrongCommand>(&wish);  // our own words, with code spans
        return "Nothing was changed: " + (wrong ? wrong->why : text::harmless(*refused, max_told)) +
               ".";
    }
    return fmt::format("Regression {} {}, as {} asked.", regression->value, done, login);
}

std::string event_subject(const CommandRow& row) {
    return "command/" + std::to_string(row.id);
}

const ReportTarget* target_of(const Config& config, const CommandRow& row) {
    const auto found = config.report_targets.find(row.asked.target);
    const bool known =
        found != config.report_targets.end() && found->second.kind == TargetKind::issues;
    return known ? &found->second : nullptr;
}

}  // namespace

std::vector<DueCommand> take_due_commands(Database& db, const Config& config, const Moment& now) {
    std::vector<DueCommand> taken;
    for (auto& row : list_due_commands(db, now.steady_s, commands_at_once)) {
        OutboxRow before;
        before.attempts = row.attempts;
        before.ambiguous = row.ambiguous;
        const auto* target = target_of(config, row);
        if (target == nullptr) {
            before.state = OutboxState::dead;
            before.message = "the config no longer has the target " + row.asked.target;
            write_command(db, row.id, before);
            continue;
        }
        DueCommand due;
        due.target = *target;
        due.pace = pace_of(*target);
        if (!begin_write(db, due.pace, now.steady_ms)) continue;
        due.marker = load_command_marker(db, row.id);
        if (!row.answer.empty()) due.body = row.answer + "\n\n" + due.marker.line + "\n";
        due.begun = begin_attempt(before, now.steady_s);
        due.begun.ambiguous = row.ambiguous || !row.answer.empty();
        write_command(db, row.id, due.begun);
        due.row = std::move(row);
        taken.push_back(std::move(due));
    }
    return taken;
}

GithubThread::Permission send_command(
    GithubThread& thread, const DueCommand& command, std::int64_t now_s) {
    const auto& asked = command.row.asked;
    if (command.body.empty()) return thread.ask_permission(command.target, asked.login, now_s);
    return {
        thread.comment(
            command.target,
            asked.issue,
            command.body,
            command.marker,
            command.row.ambiguous,
            now_s),
        false};
}

void finish_command(
    Database& db,
    const Config& config,
    const DueCommand& command,
    const GithubThread::Permission& came,
    const Moment& now) {
    SendReply reply = came.reply;
    if (reply.not_before_s) *reply.not_before_s -= ahead_s(now);
    end_write(db, command.pace, reply.wrote, now.steady_ms);
    if (reply.quiet_until_s) note_quiet(db, command.pace, *reply.quiet_until_s - ahead_s(now));
    OutboxRow row = end_attempt(command.begun, reply, now.steady_s);
    const bool sent = row.state == OutboxState::sent;
    if (command.body.empty() && sent) {
        note_answer_of_command(
            db, command.row.id, decide(db, config, command.row, came.may_write, now.now_s));
        row = {};
        row.next_attempt_at_s = now.steady_s;
        write_command(db, command.row.id, row);
        return;
    }
    write_command(db, command.row.id, row);
    if (row.state == OutboxState::pending) return;
    const auto* kind = sent ? "command.answered" : "command.given_up";
    const auto& words = sent ? row.external_ref : row.message;
    record_event(db, now.now_s, kind, std::nullopt, event_subject(command.row), words);
}

}  // namespace vigil::service
