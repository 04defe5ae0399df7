#include "service/config/keys.hpp"

#include <algorithm>
#include <set>

#include "schema/model/error.hpp"
#include "service/config/cron.hpp"
#include "service/config/text_rules.hpp"

namespace vigil::service {

namespace {
using wire::IntegerRange;
using wire::NumberRange;

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;
constexpr std::int64_t gib = 1024 * mib;
constexpr std::int64_t tib = 1024 * gib;
constexpr auto required = Presence::required;

const TextRule name_rule{"name", name_problem, required};
const TextRule needed_path{"path", path_problem, required};
const TextRule secret_path{"path of a file that others cannot read", path_problem, required};

constexpr NumberRange ratio{0.001, 1};  // whoever writes 7 means 0.07

void describe_http(KeyVisitor& v, HttpConfig& http) {
    v.text("address", http.address, {"IP address", address_problem});
    v.small("port", http.port, {0, 65535});
    v.integer("max_body_bytes", http.max_body_bytes, {4 * kib, 32 * mib});
    v.integer("max_webhook_bytes", http.max_webhook_bytes, {4 * kib, 32 * mib});
    v.integer("max_content_bytes", http.max_content_bytes, {mib, tib});
    v.small("max_connections", http.max_connections, {4, 60'000});
    v.small("request_timeout_s", http.request_timeout_s, {1, 600});
    v.small("idle_timeout_s", http.idle_timeout_s, {1, 3600});
    v.choice("open_reads", http.open_reads);
    v.choice("open_pages", http.open_pages);
    v.texts("trusted_proxies", http.trusted_proxies, {"IP addresses", address_problem});
    v.small("max_listeners", http.max_listeners, {0, 60'000});
    v.small("heartbeat_s", http.heartbeat_s, {1, 600});
    v.small("max_requests_a_minute", http.max_requests_a_minute, {0, 1'000'000});
}

void describe_jobs(KeyVisitor& v, JobConfig& jobs) {
    v.small("lease_ttl_s", jobs.lease_ttl_s, {2, 3600});
    v.small("max_lost_attempts", jobs.max_lost_attempts, {1, 100});
    v.small("claim_wait_s", jobs.claim_wait_s, {0, 60});
}

void describe_canary(KeyVisitor& v, CanaryConfig& canary) {
    v.text("project", canary.project, name_rule);
    v.text("build", canary.build, {"version or revision", nullptr, required});
    v.text("benchmark", canary.benchmark, name_rule);
    v.text("variant", canary.variant, {"name"});
    v.small("runs", canary.runs, {1, 100});
}

void describe_machine_class(KeyVisitor& v, MachineClassConfig& machine_class) {
    v.text("cpu_model", machine_class.cpu_model, {"part of the model's name"});
    v.integer("min_memory_bytes", machine_class.min_memory_bytes, {0, 1024 * tib});
    v.text("gpu", machine_class.gpu, {"part of a GPU's name"});
    v.text_map("labels", machine_class.labels);
    v.text_map("environment", machine_class.environment);
    v.object("launch", machine_class.launch, describe_launch);
    v.object("canary", machine_class.canary, describe_canary);
    v.text("build_class", machine_class.build_class, {"machine class"});
}

void describe_worker(KeyVisitor& v, WorkerConfig& worker) {
    v.text("machine_class", worker.machine_class, name_rule);
}

void describe_callback(KeyVisitor& v, CallbackConfig& callback) {
    v.choice("kind", callback.kind, Presence::required);
    if (v.every() || callback.kind == CallbackKind::webhook) {
        v.text("url", callback.url, {"https URL; http on this machine", index_problem, required});
        v.text("secret_file", callback.secret_file, secret_path);
    }
    if (v.every() || callback.kind == CallbackKind::github) {
        v.text(
            "base_url", callback.base_url, {"https URL; http on this machine", base_url_problem});
        v.text("repository", callback.repository, {"owner/name", owner_and_name_problem, required});
        v.text("token_file", callback.token_file, secret_path);
    }
    v.small("answer_within_s", callback.answer_within_s, {60, 604'800});
}

/// What of an index is measured side by side.
void describe_local_versions(KeyVisitor& v, SourceConfig& source) {
    v.texts(
        "local_version",
        source.local_versions,
        {"local version", local_version_problem, Presence::optional, true});
    std::set<std::string> seen;
    for (const auto& local : source.local_versions) {
        v.check(!local.empty(), "local_version", "has an empty entry; take it out");
        v.check(seen.insert(local).second, "local_version", "has " + local + " twice");
    }
}

/// Which packages of an index say the day of a night.
void describe_day_from(KeyVisitor& v, SourceConfig& source) {
    v.texts("day_from", source.day_from, {"package names", index_package_problem});
    if (source.day_from.empty() || source.packages.empty()) return;
    for (const auto& package : source.day_from) {
        v.check(
            std::ranges::count(source.packages, package) > 0,
            "day_from",
            "names " + package + ", which is none of packages");
    }
    v.check(
        std::ranges::count(source.day_from, source.packages.front()) > 0,
        "day_from",
        "lacks " + source.packages.front() +
            ", the first of packages, whose version is the night's; add it");
}

void describe_source(KeyVisitor& v, SourceConfig& source) {
    v.choice("kind", source.kind, Presence::required);
    const bool git = source.kind == SourceKind::git;
    if (v.every() || source.kind == SourceKind::directory) {
        v.text("path", source.path, needed_path);
    }
    v.text(
        "repository",
        source.repository,
        git && !v.every()
            ? TextRule{"path or URL, no password", needed_repository_problem, required}
            : TextRule{"path or URL, no password", repository_problem});
    v.text("branch", source.branch, {"branch name", branch_problem});
    if (v.every() || source.kind == SourceKind::npm) {
        v.text("package", source.package, {"npm package name", package_problem, required});
        v.text("dist_tag", source.dist_tag, {"tag"});
    }
    const bool index = source.kind == SourceKind::http_index;
    if (v.every() || index) {
        v.text("index", source.index, {"https URL; http on this machine", index_problem, required});
        v.choice("layout", source.layout);
        v.texts("packages", source.packages, {"package names", index_package_problem, required});
        v.check(v.every() || !source.packages.empty(), "packages", "is empty; it must name one");
        describe_day_from(v, source);
        describe_local_versions(v, source);
        v.text("python", source.python, {"interpreter", word_problem});
        v.text("machine", source.machine, {"machine of the tags", word_problem});
    }
    if (v.every() || index || source.kind == SourceKind::npm) {
        v.text("version", source.version, {"part of the versions' names"});
    }
    const bool elsewhere = source.kind == SourceKind::elsewhere;
    if (v.every() || elsewhere) {
        v.small("settle_s", source.settle_s, {0, 86'400});
        v.flag("file_unconfirmed", source.file_unconfirmed);
        v.object("callback", source.callback, describe_callback);
    }
    if (v.every() || !(git || elsewhere)) {
        v.integer("max_archive_bytes", source.max_archive_bytes, {kib, tib});
        v.integer("max_unpacked_bytes", source.max_unpacked_bytes, {kib, tib});
        v.small("max_entries", source.max_entries, {1, 10'000'000});
    }
}

void describe_recipe(KeyVisitor& v, Recipe& recipe) {
    const auto count = v.enter_list("commands", recipe.commands.size());
    recipe.commands.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto name = "[" + std::to_string(i) + "]";
        v.command(name, recipe.commands[i], Shell::allowed);
        v.check(!recipe.commands[i].empty(), name, "is empty; it must name a program");
    }
    v.leave();
    v.texts("outputs", recipe.outputs, {"relative paths", output_problem, required});
    v.text_map("environment", recipe.environment);
    v.object("limits", recipe.limits, describe_limits);
}

void describe_schedule(KeyVisitor& v, ScheduleConfig& schedule) {
    v.text("cron", schedule.cron, {"five cron fields", nullptr, required});
    v.text("time_zone", schedule.time_zone, {"IANA time zone"});
    v.flag("at_start", schedule.at_start);
    if (!schedule.cron.empty()) check_cron(v, schedule.cron, schedule.time_zone);
}

void describe_matrix(KeyVisitor& v, std::vector<MatrixEntry>& matrix) {
    const auto count = v.enter_list("matrix", matrix.size());
    matrix.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        v.enter_entry("[" + std::to_string(i) + "]");
        v.text("suite", matrix[i].suite, name_rule);
        v.texts("machine_classes", matrix[i].machine_classes, {"names", nullptr, required});
        v.leave();
    }
    v.leave();
}

bool judges_shared_wall_time(const ProjectConfig& project) {
    const auto& judged = project.judged;
    if (std::find(judged.begin(), judged.end(), Metric::wall_time_ns) == judged.end()) return false;
    for (const auto& [name, plans] : project.suites) {
        for (const auto& plan : plans) {
            const bool prints_none = plan.samples.format == SampleFormat::none;
            const bool prints_other = plan.samples.format == SampleFormat::lines &&
                                      plan.samples.printed != Metric::wall_time_ns;
            if (plan.interleave > 1 && (prints_none || prints_other)) return true;
        }
    }
    return false;
}

void describe_links(KeyVisitor& v, LinkConfig& links) {
    v.text("public_url", links.public_url, {"http or https URL", public_url_problem});
    v.text("commit_url", links.commit_url, {"URL with {revision}", commit_url_problem});
    v.text("compare_url", links.compare_url, {"URL with {good} and {bad}", compare_url_problem});
}

/// How single revisions are built, where nights come as archives.
void describe_source_recipe(KeyVisitor& v, ProjectConfig& project) {
    constexpr const char* key = "source_recipe";
    if (!v.every() && project.source.kind == SourceKind::git) {
        v.no_key(
            key, "means nothing in a git project, whose nights are built by recipe; take it out");
        return;
    }
    if (v.is_word(key, "same")) {
        project.source_recipe = project.recipe;
    } else {
        v.object(key, project.source_recipe, describe_recipe);
    }
    v.check(
        !project.source_recipe || !project.source.repository.empty(),
        key,
        "builds revisions of a repository: say which one by source.repository");
}

bool times_builds(const ProjectConfig& project) {
    return std::ranges::any_of(project.suites, [](const auto& suite) {
        return std::ranges::any_of(
            suite.second, [](const auto& plan) { return plan.kind == BenchmarkKind::build; });
    });
}

/// What is measured here, and how.
void describe_measuring(KeyVisitor& v, ProjectConfig& project) {
    v.object("recipe", project.recipe, describe_recipe, Presence::required);
    describe_source_recipe(v, project);
    describe_suites(v, project.suites, project.source);
    v.check(
        !times_builds(project) || !project.recipe.commands.empty(),
        "recipe",
        "has no commands, whose time a benchmark of the kind build measures");
    describe_matrix(v, project.matrix);
    v.choices("judged", project.judged);
    v.check(
        !judges_shared_wall_time(project),
        "judged",
        "holds wall_time_ns, which a benchmark with interleave does not print: that of a whole "
        "process tells nothing while others run beside it");
}

void describe_confirming(KeyVisitor& v, ProjectConfig& project) {
    v.small("confirm_runs_per_night", project.confirm_runs_per_night, {4, 10'000'000});
}

/// When nights are measured, and with how many runs.
void describe_nights(KeyVisitor& v, ProjectConfig& project) {
    v.small("runs_per_night", project.runs_per_night, {1, 100});
    describe_confirming(v, project);
    if (v.enter("search", Presence::optional, true)) {
        v.small("max_probes", project.search.max_probes, {1, 10'000});
        v.small("max_builds", project.search.max_builds, {1, 10'000});
        v.number("further_share", project.search.further_share, {0, 1000});
        v.small("improvements", project.search.improvements, {0, 10'000});
        v.leave();
    }
    v.small("max_machine_hours_a_day", project.max_machine_hours_a_day, {0, 24'000});
    if (v.enter("why", Presence::optional, true)) {
        v.small("profiles_per_day", project.why.profiles_per_day, {0, 10'000});
        v.small("timeout_s", project.why.timeout_s, {10, 86'400});
        v.leave();
    }
    if (v.enter("revert", Presence::optional, true)) {
        v.small("checks_per_day", project.revert.checks_per_day, {0, 10'000});
        v.leave();
    }
    v.object("schedule", project.schedule, describe_schedule);
    v.small("night_due_s", project.night_due_s, {0, 31 * 86'400});
}

void describe_self_test(KeyVisitor& v, SelfTestConfig& test) {
    v.text("machine_class", test.machine_class, {"name of a machine class", nullptr, required});
    v.object("schedule", test.schedule, describe_schedule, required);
    v.small("due_s", test.due_s, {600, 7 * 86'400});
    v.texts("reports", test.reports, {"names of report targets"});
}

void refuse_measuring(KeyVisitor& v) {
    for (const auto* key :
         {"recipe",
          "source_recipe",
          "suites",
          "matrix",
          "judged",
          "runs_per_night",
          "max_machine_hours_a_day",
          "search",
          "why",
          "revert",
          "schedule",
          "night_due_s"}) {
        v.no_key(
            key,
            "means nothing in a project that is measured elsewhere (source.kind): what is sent is "
            "judged, and nothing is built or run here; take it out");
    }
}

void describe_project(KeyVisitor& v, ProjectConfig& project) {
    v.object("source", project.source, describe_source, Presence::required);
    const bool elsewhere = !v.every() && is_external(project);
    elsewhere ? refuse_measuring(v) : describe_measuring(v, project);
    if (v.enter("thresholds", Presence::optional, true)) {
        v.number("time_ratio", project.thresholds.time_ratio, ratio);
        v.number("memory_ratio", project.thresholds.memory_ratio, ratio);
        v.number("other_ratio", project.thresholds.other_ratio, ratio);
        v.leave();
    }
    describe_series_rules(v, project.series_rules);
    if (!elsewhere) {
        describe_nights(v, project);
    } else if (can_measure_again(project)) {
        describe_confirming(v, project);
    } else {
        v.no_key(
            "confirm_runs_per_night",
            "means nothing where nobody measures again; give source.callback, or take it out");
    }
    v.flag("badge", project.badge);
    v.text("pull_label", project.pull_label, {"name of a label"});
    v.text("pinned_version", project.pinned_version, {"version of a nightly"});
    v.small("answer_due_s", project.answer_due_s, {0, 366 * 86'400});
    v.texts("reports", project.reports, {"names of report targets"});
    describe_links(v, project.links);
}

void describe_webhook(KeyVisitor& v, WebhookConfig& webhook) {
    v.text("secret_file", webhook.secret_file, secret_path);
    v.text(
        "old_secret_file",
        webhook.old_secret_file,
        {"path of a file that others cannot read", free_path_problem});
    v.text_map("projects", webhook.projects);
    v.small("settle_s", webhook.settle_s, {0, 3600});
    v.small("poll_s", webhook.poll_s, {0, 604'800});
}

}  // namespace

void describe(KeyVisitor& v, Config& config) {
    v.text("state_dir", config.state_dir, needed_path);
    v.word("log_level", config.log_level, {"debug", "info", "warn", "error"}, Presence::optional);
    describe_links(v, config.links);
    v.object("http", config.http, describe_http);
    v.object("ledger", config.ledger, describe_ledger);
    v.object("jobs", config.jobs, describe_jobs);
    v.table("machine_classes", "<class>", config.machine_classes, describe_machine_class);
    v.table("workers", "<worker>", config.workers, describe_worker);
    v.table("report_targets", "<target>", config.report_targets, describe_target);
    v.flag("hold_reports", config.hold_reports);
    v.table("projects", "<project>", config.projects, describe_project);
    v.object("webhook", config.webhook, describe_webhook);
    v.object("fleet", config.fleet, describe_fleet);
    v.object("object_store", config.object_store, describe_object_store);
    v.object("self_test", config.self_test, describe_self_test);
    for (auto& [name, target] : config.report_targets) target.name = name;
    for (auto& [name, project] : config.projects) {
        project.name = name;
        for (const auto& [class_name, machine_class] : config.machine_classes) {
            if (machine_class.launch) project.launches[class_name] = *machine_class.launch;
        }
    }
}

}  // namespace vigil::service
