#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "schema/text/nearest.hpp"
#include "service/config/build_class.hpp"
#include "service/config/check_config.hpp"
#include "service/config/config_words.hpp"
#include "service/config/reader.hpp"
#include "service/config/resolve_paths.hpp"
#include "service/config/self_test.hpp"
#include "service/config/series_rules.hpp"
#include "service/config/text_rules.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_secret_bytes = 65536;

/// What one value says about another: names must exist, secrets must be safe.
class Checker {
  public:
    Checker(const ConfigDocument& document, const Config& config, ConfigErrors& errors)
        : document_(document), config_(config), read_(errors), errors_(errors) {}

    void check() {
        for (const auto& [name, machine_class] : config_.machine_classes) {
            const auto& canary = machine_class.canary;
            if (canary) attempt([&, &name = name] { check_canary(name, *canary); });
            attempt([&, &name = name] { check_build_class(name); });
        }
        for (const auto& [name, worker] : config_.workers) {
            attempt([&, &name = name, &worker = worker] {
                known(
                    {"workers", name, "machine_class"},
                    worker.machine_class,
                    config_.machine_classes,
                    "machine class");
            });
        }
        for (const auto& [name, target] : config_.report_targets) {
            attempt([&, &name = name, &target = target] { check_target(name, target); });
        }
        for (const auto& [name, project] : config_.projects) check_project(name, project);
        if (config_.webhook) check_webhook(*config_.webhook);
        if (config_.fleet) check_fleet(*config_.fleet);
        if (config_.self_test) check_self_test(*config_.self_test);
        if (config_.object_store) {
            attempt([&] {
                check_secret(
                    {"object_store", "access_key_file"}, config_.object_store->access_key_file);
            });
        }
    }

  private:
    using Steps = std::vector<std::string>;

    /// Of a key that could not be read that is said already.
    template <class Work>
    void attempt(const Work& work) {
        ConfigErrors met;
        met.attempt(work);
        for (const auto& error : met.all()) {
            if (!read_.has(error.path())) errors_.add(error);
        }
    }

    template <class Value>
    void known(
        const Steps& steps,
        const std::string& name,
        const std::map<std::string, Value>& map,
        std::string_view noun) const {
        if (map.contains(name)) return;
        document_.refuse(
            steps,
            fmt::format(
                "names the {} \"{}\", which the config does not have{}",
                noun,
                name,
                text::did_you_mean(name, names_of(map))));
    }

    void check_canary(const std::string& machine_class, const CanaryConfig& canary) const {
        const Steps here{"machine_classes", machine_class, "canary"};
        known(below(here, "project"), canary.project, config_.projects, "project");
        for (const auto& [suite, plans] : config_.projects.at(canary.project).suites) {
            for (const auto& plan : plans) {
                if (plan.benchmark == canary.benchmark && plan.variant == canary.variant) return;
            }
        }
        document_.refuse(
            below(here, "benchmark"),
            fmt::format(
                "names {} {}, which project {} does not have",
                canary.benchmark,
                canary.variant,
                canary.project));
    }

    void check_build_class(const std::string& machine_class) const {
        const Steps here{"machine_classes", machine_class, "build_class"};
        const auto problem = build_class_problem(config_, machine_class);
        if (!problem.empty()) document_.refuse(here, problem);
        const auto& builds = config_.machine_classes.at(machine_class).build_class;
        if (builds.empty() || has_worker(builds)) return;
        document_.refuse(here, "names " + builds + ", but no worker has this machine class");
    }

    void check_target(const std::string& name, const ReportTarget& target) const {
        const Steps here{"report_targets", name};
        if (target.kind == TargetKind::issues) {
            const bool app = !target.app_id.empty();
            const auto& file = app ? target.private_key_file : target.token_file;
            check_secret(below(here, app ? "private_key_file" : "token_file"), file);
        }
        if (target.kind == TargetKind::webhook) {
            check_secret(below(here, "secret_file"), target.secret_file);
        }
        if (target.kind == TargetKind::slack) {
            check_secret(below(here, "url_file"), target.url_file);
        }
        if (target.kind == TargetKind::mail && !target.user.empty()) {
            check_secret(below(here, "password_file"), target.password_file);
        }
    }

    void check_callback(const std::string& project, const CallbackConfig& callback) const {
        const Steps here{"projects", project, "source", "callback"};
        if (callback.kind == CallbackKind::webhook) {
            check_secret(below(here, "secret_file"), callback.secret_file);
        } else {
            check_secret(below(here, "token_file"), callback.token_file);
        }
    }

    void check_project(const std::string& name, const ProjectConfig& project) {
        const Steps here{"projects", name};
        const auto& callback = project.source.callback;
        if (callback) attempt([&] { check_callback(name, *callback); });
        if (project.matrix.empty() && !is_external(project)) {
            attempt([&] {
                document_.refuse(
                    below(here, "matrix"), "is empty; it must say what is measured where");
            });
        }
        std::set<std::string> planned;  // class, benchmark and variant name a series
        for (std::size_t i = 0; i < project.matrix.size(); ++i) {
            const auto entry = below(below(here, "matrix"), fmt::format("[{}]", i));
            attempt([&] { check_matrix(entry, project, project.matrix[i], planned); });
        }
        for (const auto& report : project.reports) {
            attempt([&] {
                known(below(here, "reports"), report, config_.report_targets, "report target");
            });
        }
    }

    void check_matrix(
        const Steps& here,
        const ProjectConfig& project,
        const MatrixEntry& entry,
        std::set<std::string>& planned) {
        known(below(here, "suite"), entry.suite, project.suites, "suite");
        const auto& plans = project.suites.at(entry.suite);
        if (plans.empty())
            document_.refuse(below(here, "suite"), "names a suite without benchmarks");
        const auto classes = below(here, "machine_classes");
        for (const auto& machine_class : entry.machine_classes) {
            attempt([&] {
                const auto problem = matrix_class_problem(config_, project, machine_class);
                if (!problem.empty()) document_.refuse(classes, problem);
            });
            attempt([&] {
                known(classes, machine_class, config_.machine_classes, "machine class");
                if (!has_worker(machine_class)) {
                    document_.refuse(
                        classes,
                        "names " + machine_class +
                            ", but no worker has this machine class; its jobs would wait for ever");
                }
                check_planned(here, plans, machine_class, planned);
            });
        }
    }

    void check_planned(
        const Steps& here,
        const std::vector<BenchmarkPlan>& plans,
        const std::string& machine_class,
        std::set<std::string>& planned) const {
        for (const auto& plan : plans) {
            const auto series =
                fmt::format("{} {} on {}", plan.benchmark, plan.variant, machine_class);
            if (planned.insert(series).second) continue;
            document_.refuse(here, "measures " + series + ", which the matrix does already");
        }
    }

    bool has_worker(const std::string& machine_class) const {
        if (config_.fleet && config_.fleet->machine_classes.contains(machine_class)) return true;
        for (const auto& [name, worker] : config_.workers) {
            if (worker.machine_class == machine_class) return true;
        }
        return false;
    }

    void check_webhook(const WebhookConfig& webhook) {
        attempt([&] { check_secret({"webhook", "secret_file"}, webhook.secret_file); });
        if (!webhook.old_secret_file.empty()) {
            attempt([&] { check_secret({"webhook", "old_secret_file"}, webhook.old_secret_file); });
        }
        for (const auto& [repository, project] : webhook.projects) {
            const Steps here{"webhook", "projects", repository};
            attempt([&, &repository = repository, &project = project] {
                if (const auto problem = owner_and_name_problem(repository); !problem.empty()) {
                    document_.refuse(here, "is no repository: it " + problem);
                }
                known(here, project, config_.projects, "project");
            });
        }
    }

    void check_self_test(const SelfTestConfig& test) {
        attempt([&] {
            known(
                {"self_test", "machine_class"},
                test.machine_class,
                config_.machine_classes,
                "machine class");
        });
        for (const auto& report : test.reports) {
            attempt([&] {
                known({"self_test", "reports"}, report, config_.report_targets, "report target");
            });
        }
        attempt([&] {
            const std::string name(self_test_name);
            if (!config_.projects.contains(name)) return;
            document_.refuse(
                {"projects", name}, "has the name of the self-test's own project; give it another");
        });
    }

    void check_fleet(const FleetConfig& fleet) {
        const auto& token = fleet.slurmrestd_token_file;
        if (!token.empty()) {
            attempt([&] { check_secret({"fleet", "slurmrestd_token_file"}, token); });
        }
        for (const auto& [name, one] : fleet.machine_classes) {
            attempt([&, &name = name] {
                known(
                    {"fleet", "machine_classes", name},
                    name,
                    config_.machine_classes,
                    "machine class");
            });
        }
    }

    /// A secret is a file of its own, for its owner (and group) only.
    void check_secret(const Steps& steps, const std::string& path) const {
        struct stat found {};
        if (::stat(path.c_str(), &found) != 0) {
            document_.refuse(steps, "names the file " + path + ", which does not exist");
        }
        if (!S_ISREG(found.st_mode))
            document_.refuse(steps, "names " + path + ", which is no file");
        if ((found.st_mode & S_IRWXO) != 0) {
            document_.refuse(
                steps, "names " + path + ", which everybody may use; run: chmod 600 " + path);
        }
        const auto size = static_cast<std::uintmax_t>(found.st_size);
        if (size == 0 || size > max_secret_bytes) {
            document_.refuse(
                steps, fmt::format("names {}, which has {} bytes, not 1 to 65536", path, size));
        }
    }

    static Steps below(Steps steps, std::string key) {
        steps.push_back(std::move(key));
        return steps;
    }

    const ConfigDocument& document_;
    const Config& config_;
    const ConfigErrors read_;  ///< what the reader met
    ConfigErrors& errors_;
};

/// What is sent is there to be judged.
std::vector<Metric> all_metrics() {
    std::vector<Metric> metrics;
    for (const auto& [metric, name] : enum_names<Metric>) metrics.push_back(metric);
    return metrics;
}

}  // namespace

CheckedConfig check_config(std::string_view text, const std::string& file) {
    CheckedConfig checked;
    auto& config = checked.config;
    ConfigErrors errors;
    try {
        const ConfigDocument document(text, file);
        ConfigReader reader(document, errors);
        describe(reader, config);
        reader.done();
        for (auto& [name, project] : config.projects) {
            if (is_external(project)) project.judged = all_metrics();
            note_counted(project);
        }
        resolve_paths(config, fs::absolute(file).parent_path());
        Checker(document, config, errors).check();
        add_self_test_project(config);
        note_unfilled(document, errors);
        checked.warnings = warnings_of(document, text, config);
    } catch (const ConfigError& error) {
        errors.add(error);
    } catch (const Error& error) {
        if (error.code() != Errc::invalid_argument) throw;
        checked.errors.emplace_back(error.what());  // it is no JSON
    }
    for (const auto& error : errors.all()) checked.errors.emplace_back(error.what());
    return checked;
}

Config parse_config(std::string_view text, const std::string& file) {
    auto checked = check_config(text, file);
    if (checked.errors.empty()) return std::move(checked.config);
    const auto more = checked.errors.size() - 1;
    throw Error(
        Errc::invalid_argument,
        checked.errors.front() +
            (more == 0 ? ""
                       : fmt::format("; and {} more, which vigild --check-config shows", more)));
}

namespace {

std::string read_config(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::error_code ignored;
    if (!file || fs::is_directory(path, ignored)) {
        throw Error(
            Errc::invalid_argument,
            "reading the config " + path + ": it cannot be read; name a file with --config FILE");
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

CheckedConfig check_config_file(const std::string& path) {
    return check_config(read_config(path), path);
}

Config load_config(const std::string& path) {
    return parse_config(read_config(path), path);
}

}  // namespace vigil::service
