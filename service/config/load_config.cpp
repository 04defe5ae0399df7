#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "schema/text/nearest.hpp"
#include "service/config/config.hpp"
#include "service/config/reader.hpp"
#include "service/config/text_rules.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_secret_bytes = 65536;

/// What one value says about another: names must exist, secrets must be safe.
class Checker {
  public:
    Checker(const ConfigDocument& document, const Config& config)
        : document_(document), config_(config) {}

    void check() const {
        for (const auto& [name, machine_class] : config_.machine_classes) {
            if (machine_class.canary) check_canary(name, *machine_class.canary);
        }
        for (const auto& [name, worker] : config_.workers) {
            known(
                {"workers", name, "machine_class"},
                worker.machine_class,
                config_.machine_classes,
                "machine class");
        }
        for (const auto& [name, target] : config_.report_targets) {
            check_target(name, target);
        }
        for (const auto& [name, project] : config_.projects) check_project(name, project);
        if (config_.webhook) check_webhook(*config_.webhook);
    }

  private:
    using Steps = std::vector<std::string>;

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

    void check_project(const std::string& name, const ProjectConfig& project) const {
        const Steps here{"projects", name};
        if (project.source.callback) check_callback(name, *project.source.callback);
        if (project.matrix.empty() && !is_measured_elsewhere(project)) {
            document_.refuse(below(here, "matrix"), "is empty; it must say what is measured where");
        }
        std::set<std::string> planned;  // class, benchmark and variant name a series
        for (std::size_t i = 0; i < project.matrix.size(); ++i) {
            const auto entry = below(below(here, "matrix"), fmt::format("[{}]", i));
            check_matrix(entry, project, project.matrix[i], planned);
        }
        for (const auto& report : project.reports) {
            known(below(here, "reports"), report, config_.report_targets, "report target");
        }
    }

    void check_matrix(
        const Steps& here,
        const ProjectConfig& project,
        const MatrixEntry& entry,
        std::set<std::string>& planned) const {
        known(below(here, "suite"), entry.suite, project.suites, "suite");
        const auto& plans = project.suites.at(entry.suite);
        if (plans.empty())
            document_.refuse(below(here, "suite"), "names a suite without benchmarks");
        const auto classes = below(here, "machine_classes");
        for (const auto& machine_class : entry.machine_classes) {
            known(classes, machine_class, config_.machine_classes, "machine class");
            if (!has_worker(machine_class)) {
                document_.refuse(
                    classes,
                    "names " + machine_class +
                        ", but no worker has this machine class; its jobs "
                        "would wait for ever");
            }
            for (const auto& plan : plans) {
                const auto series =
                    fmt::format("{} {} on {}", plan.benchmark, plan.variant, machine_class);
                if (planned.insert(series).second) continue;
                document_.refuse(here, "measures " + series + ", which the matrix does already");
            }
        }
    }

    bool has_worker(const std::string& machine_class) const {
        for (const auto& [name, worker] : config_.workers) {
            if (worker.machine_class == machine_class) return true;
        }
        return false;
    }

    void check_webhook(const WebhookConfig& webhook) const {
        check_secret({"webhook", "secret_file"}, webhook.secret_file);
        if (!webhook.old_secret_file.empty()) {
            check_secret({"webhook", "old_secret_file"}, webhook.old_secret_file);
        }
        for (const auto& [repository, project] : webhook.projects) {
            const Steps here{"webhook", "projects", repository};
            if (const auto problem = owner_and_name_problem(repository); !problem.empty()) {
                document_.refuse(here, "is no repository: it " + problem);
            }
            known(here, project, config_.projects, "project");
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
};

/// Relative paths start at the config's folder, wherever the daemon was started.
void resolve_paths(Config& config, const fs::path& folder) {
    const auto resolve = [&](std::string& path) {
        if (!path.empty()) path = (folder / path).lexically_normal().string();
    };
    resolve(config.state_dir);
    for (auto& [name, target] : config.report_targets) {
        resolve(target.path);
        resolve(target.token_file);
        resolve(target.private_key_file);
        resolve(target.secret_file);
        resolve(target.url_file);
        resolve(target.password_file);
    }
    for (auto& [name, project] : config.projects) {
        resolve(project.source.path);
        if (is_path(project.source.repository)) resolve(project.source.repository);
        if (!project.source.callback) continue;
        resolve(project.source.callback->secret_file);
        resolve(project.source.callback->token_file);
    }
    if (config.webhook) {
        resolve(config.webhook->secret_file);
        resolve(config.webhook->old_secret_file);
    }
}

/// What is sent is there to be judged.
std::vector<Metric> all_metrics() {
    std::vector<Metric> metrics;
    for (const auto& [metric, name] : enum_names<Metric>) metrics.push_back(metric);
    return metrics;
}

}  // namespace

Config parse_config(std::string_view text, const std::string& file) {
    const ConfigDocument document(text, file);
    ConfigReader reader(document);
    Config config;
    describe(reader, config);
    reader.done();
    for (auto& [name, project] : config.projects) {
        if (is_measured_elsewhere(project)) project.judged = all_metrics();
    }
    resolve_paths(config, fs::absolute(file).parent_path());
    Checker(document, config).check();
    return config;
}

Config load_config(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::error_code ignored;
    if (!file || fs::is_directory(path, ignored)) {
        throw Error(
            Errc::invalid_argument,
            "reading the config " + path + ": it cannot be read; name a file with --config FILE");
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return parse_config(text, path);
}

}  // namespace vigil::service
