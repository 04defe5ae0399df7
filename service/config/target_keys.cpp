#include <algorithm>
#include <string>

#include "schema/model/error.hpp"
#include "schema/model/regression_words.hpp"
#include "schema/text/nearest.hpp"
#include "service/config/cron.hpp"
#include "service/config/keys.hpp"
#include "service/config/quiet_hours.hpp"
#include "service/config/text_rules.hpp"

// The keys of a report target.

namespace vigil::service {

namespace {

constexpr auto needed = Presence::required;
constexpr std::string_view secret_range = "path of a file that others cannot read";
const TextRule kept_secret{secret_range, path_problem, needed};
const TextRule secure_url{"https URL; http on this machine", base_url_problem, needed};

std::string state_problem(std::string_view text) {
    const auto known = regression_words();
    if (std::find(known.begin(), known.end(), text) != known.end()) return "";
    return "must be one of " + text::joined(known);
}

/// A token, or a GitHub App that fetches its own.
void describe_account(KeyVisitor& v, ReportTarget& target) {
    v.text("token_file", target.token_file, {secret_range, free_path_problem});
    v.text("app_id", target.app_id, {"id of a GitHub App", word_problem});
    v.integer("installation_id", target.installation_id, {0, std::int64_t{1} << 53});
    v.text("private_key_file", target.private_key_file, {secret_range, free_path_problem});
    const bool app = !target.app_id.empty();
    v.check(
        v.every() || target.token_file.empty() == app,
        app ? "app_id" : "token_file",
        app ? "and token_file are both given; a token or an app files issues, not both"
            : "is missing; name the token's file, or give app_id, installation_id and "
              "private_key_file");
    const bool whole = target.installation_id > 0 && !target.private_key_file.empty();
    v.check(v.every() || !app || whole, "app_id", "needs installation_id and private_key_file too");
}

void describe_tracker(KeyVisitor& v, ReportTarget& target) {
    v.text("base_url", target.base_url, secure_url);
    v.text("repository", target.repository, {"owner/name", owner_and_name_problem, needed});
    describe_account(v, target);
    v.text("account", target.account, {"login", account_problem});
    v.flag("checks", target.checks);
    v.flag("culprit_comments", target.culprit_comments);
    v.texts("labels", target.labels, {"labels", label_problem});
    v.text_map("logins", target.logins);
    for (const auto& [who, login] : target.logins) {
        const auto problem = needed_login_problem(login);
        v.check(problem.empty(), "logins", "gives " + who + " a login that " + problem);
    }
    v.texts("on_call", target.on_call, {"logins", needed_login_problem});
    v.small("on_call_turn_s", target.on_call_turn_s, {3600, 31 * 86'400});
}

void describe_mail(KeyVisitor& v, ReportTarget& target) {
    v.text("server", target.server, {"machine:port", server_problem, needed});
    v.choice("security", target.security);
    v.check(
        v.every() || target.security != MailSecurity::none || is_here(target.server),
        "security",
        "is none, which would send mail unencrypted; that is for a server on this machine only");
    v.text("user", target.user, {"name", user_problem});
    v.text("password_file", target.password_file, {secret_range, free_path_problem});
    v.check(
        v.every() || target.user.empty() == target.password_file.empty(),
        "user",
        "and password_file go together; give both, or none");
    v.text("from", target.from, {"mail address", mail_address_problem, needed});
    v.texts("to", target.to, {"mail addresses", mail_address_problem, needed});
    v.check(v.every() || !target.to.empty(), "to", "is empty; it must name one");
}

void describe_quiet_hours(KeyVisitor& v, QuietHours& quiet) {
    v.text("from", quiet.from, {"HH:MM", clock_time_problem});
    v.text("to", quiet.to, {"HH:MM", clock_time_problem});
    v.text("time_zone", quiet.time_zone, {"IANA time zone"});
    std::string problem;
    try {
        quiet_until(quiet, 0);
    } catch (const Error& error) {
        problem = error.what();
    }
    v.check(problem.empty(), "time_zone", "is wrong: " + problem);
}

void describe_weekly(KeyVisitor& v, WeeklyConfig& weekly) {
    v.text("cron", weekly.cron, {"five cron fields"});
    v.text("time_zone", weekly.time_zone, {"IANA time zone"});
    check_cron(v, weekly.cron, weekly.time_zone);
}

/// What of all that there is goes there.
void describe_filters(KeyVisitor& v, ReportTarget& target) {
    bool summaries = takes_night_summaries(target);
    v.flag("night_summaries", summaries);
    target.night_summaries = summaries;
    v.flag("troubles", target.troubles);
    v.flag("regressions", target.regressions);
    v.number("min_change_ratio", target.min_change_ratio, {0, 1000});
    v.texts("states", target.states, {"states of regressions", state_problem});
}

}  // namespace

void check_cron(KeyVisitor& v, const std::string& cron, const std::string& time_zone) {
    std::string problem;
    try {
        Cron::parse(cron, time_zone);
    } catch (const Error& error) {
        problem = error.what();
    }
    const bool zone = problem.find("time zone") != problem.npos;
    v.check(problem.empty(), zone ? "time_zone" : "cron", "is wrong: " + problem);
}

void describe_target(KeyVisitor& v, ReportTarget& target) {
    using Kind = TargetKind;
    v.choice("kind", target.kind, needed);
    const auto is = [&](Kind kind) { return v.every() || target.kind == kind; };
    if (is(Kind::folder)) v.text("path", target.path, {"path", path_problem, needed});
    if (is(Kind::issues)) describe_tracker(v, target);
    if (is(Kind::webhook)) {
        v.text("url", target.url, {"https URL; http on this machine", index_problem, needed});
        v.text("secret_file", target.secret_file, kept_secret);
    }
    if (is(Kind::slack)) v.text("url_file", target.url_file, kept_secret);
    if (is(Kind::mail)) describe_mail(v, target);
    if (is(Kind::issues) || is(Kind::webhook) || is(Kind::slack)) {
        v.text("proxy", target.proxy, {"machine:port", free_server_problem});
    }
    describe_filters(v, target);
    if (is(Kind::slack) || is(Kind::mail)) v.small("collect_s", target.collect_s, {0, 604'800});
    if (is(Kind::webhook) || is(Kind::slack) || is(Kind::mail)) {
        v.object("quiet_hours", target.quiet_hours, describe_quiet_hours);
        v.number("urgent_change_ratio", target.urgent_change_ratio, {0, 1000});
    }
    if (!v.every() && (target.kind == Kind::issues || target.kind == Kind::standard_output)) return;
    v.object("weekly", target.weekly, describe_weekly);
}

}  // namespace vigil::service
