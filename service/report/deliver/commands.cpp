#include "service/report/deliver/commands.hpp"

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/deliver/command_words.hpp"
#include "service/report/deliver/envelope_rows.hpp"
#include "service/report/deliver/tracker_pace.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/mutes.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/ids.hpp"
#include "service/store/reports/notices.hpp"
#include "service/watch/requested/ask.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_told = 300;

/// How the words of the answer begin, and what is asked for.
std::pair<const char*, RequestedAgain> measuring_of(MeasureCommand command) {
    switch (command) {
        case MeasureCommand::rerun: return {"is measured again", RequestedAgain::its_series};
        case MeasureCommand::rebisect: return {"is searched again", RequestedAgain::search};
        case MeasureCommand::bench: break;
    }
    return {"is measured by all that the project measures", RequestedAgain::everything};
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

/// The project whose pull requests are in the repository of a target.
const ProjectConfig* project_at(const Config& config, const std::string& target) {
    const auto known = config.report_targets.find(target);
    if (known == config.report_targets.end() || !config.webhook) return nullptr;
    for (const auto& [repository, name] : config.webhook->projects) {
        const auto project = config.projects.find(name);
        const bool same =
            text::lower_case(repository) == text::lower_case(known->second.repository);
        if (same && project != config.projects.end()) return &project->second;
    }
    return nullptr;
}

std::string act_on_pull(
    Database& db,
    const Config& config,
    const NewCommand& asked,
    const std::optional<PullFacts>& pull,
    const CommandWish& wish,
    std::int64_t now_s) {
    if (const auto* wrong = std::get_if<WrongCommand>(&wish)) {
        throw Error(Errc::invalid_argument, wrong->why);
    }
    if (!pull) throw Error(Errc::not_found, "the token of this target sees no such pull request");
    const auto* project = project_at(config, asked.target);
    if (project == nullptr || why_no_revisions(*project)) {
        throw Error(Errc::conflict, "no project builds revisions of this repository");
    }
    const auto by = "github:" + asked.login;
    const auto& named = std::get<PullCommand>(wish).revision;
    const auto id = ensure_project(db, project->name, now_s);
    ask_for_pull(db, id, asked.target, *pull, named, by, now_s);
    return fmt::format(
        "Commit `{}` is measured against where it left its branch, as {} asked. What comes of it "
        "is told by a comment here and by a check run.",
        pull->head.brief(),
        text::code_span(asked.login, 60));
}

std::string act_on_issue(
    Database& db,
    const Config& config,
    const CommandRow& row,
    const CommandWish& wish,
    std::int64_t now_s) {
    const auto regression = find_regression_at(db, row.asked.target, row.asked.issue_url);
    if (!regression) throw Error(Errc::not_found, "no regression is reported by this issue");
    return fmt::format(
        "Regression {} {}, as {} asked.",
        regression->value,
        act(db, config, row, *regression, wish, now_s),
        text::code_span(row.asked.login, 60));
}

/// What is done, and the answer that says so; what cannot be done is answered, too. The author may
/// write to the repository.
std::string decide(
    Database& db,
    const Config& config,
    const CommandRow& row,
    const CommandReply& came,
    std::int64_t now_s) {
    const auto& asked = row.asked;
    const auto wish =
        asked.is_pull ? read_pull_command(asked.words) : read_command(asked.words, now_s);
    std::string done;
    const auto refused = try_alone(db, [&] {
        done = asked.is_pull ? act_on_pull(db, config, asked, came.pull, wish, now_s)
                             : act_on_issue(db, config, row, wish, now_s);
    });
    if (!refused) return done;
    const auto* wrong = std::get_if<WrongCommand>(&wish);  // our own words, with code spans
    return "Nothing was changed: " + (wrong ? wrong->why : text::harmless(*refused, max_told)) +
           ".";
}

std::string answer_place(std::int64_t command) {
    return "answer/" + std::to_string(command);
}

/// Puts the answer on its way, as a notice.
void answer(Database& db, const CommandRow& row, const std::string& words, std::int64_t now_s) {
    note_answer_of_command(db, row.id, words);
    NoticeWords notice;
    notice.target = row.asked.target;
    notice.place = answer_place(row.id);
    notice.number = row.asked.issue;
    notice.body = words + "\n";
    put_notice(db, notice, now_s);
}

}  // namespace

std::vector<DueCommand> take_due_commands(Database& db, const Config& config, const Moment& now) {
    std::vector<DueCommand> taken;
    if (config.hold_reports) return taken;
    for (auto& row : list_due_commands(db, now.steady_s)) {
        OutboxRow before;
        before.attempts = row.attempts;
        const auto* target = find_tracker(config, row.asked.target);
        if (target == nullptr) {
            before.state = OutboxState::dead;
            before.message = "the config no longer has the target " + row.asked.target;
            write_command(db, row.id, before);
            continue;
        }
        DueCommand due;
        due.target = *target;
        const auto share = row.asked.is_member ? TrackerShare::question : TrackerShare::stranger;
        const auto write = begin_write(db, *target, share, now.steady_ms);
        if (!write) continue;
        due.write = *write;
        due.begun = begin_attempt(before, now.steady_s);
        write_command(db, row.id, due.begun);
        due.row = std::move(row);
        taken.push_back(std::move(due));
    }
    return taken;
}

CommandReply ask_about(GithubThread& thread, const DueCommand& command, std::int64_t now_s) {
    const auto& asked = command.row.asked;
    const auto said = thread.ask_permission(command.target, asked.login, now_s);
    CommandReply came{said.reply, said.may_write};
    const bool asks = said.reply.outcome == SendOutcome::sent && said.may_write && asked.is_pull &&
                      std::holds_alternative<PullCommand>(read_pull_command(asked.words));
    if (!asks) return came;
    const auto pull = thread.ask_pull(command.target, asked.issue, now_s);
    came.reply = pull.reply;
    came.pull = pull.facts;
    return came;
}

void finish_command(
    Database& db,
    const Config& config,
    const DueCommand& command,
    const CommandReply& came,
    const Moment& now) {
    const auto row = end_paced_attempt(db, command.write, command.begun, came.reply, now);
    const auto id = command.row.id;
    write_command(db, id, row);
    if (row.state == OutboxState::pending) return;
    const auto tell = [&](const char* kind, const std::string& words) {
        const auto subject = "command/" + std::to_string(id);
        record_event(db, now.now_s, kind, std::nullopt, subject, words);
    };
    if (row.state == OutboxState::dead) {
        tell("command.given_up", row.message);
    } else if (came.may_write) {
        answer(db, command.row, decide(db, config, command.row, came, now.now_s), now.now_s);
        tell("command.answered", "by the notice " + answer_place(id));
    } else {
        // Nothing is written: anybody could use up what the tracker lets us write.
        const auto who = text::harmless(command.row.asked.login, 60);
        tell("command.refused", who + " may not write to the repository: nothing was changed");
    }
}

}  // namespace vigil::service
