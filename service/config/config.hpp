#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/metric.hpp"
#include "schema/model/recipe.hpp"
#include "schema/model/series_rule.hpp"
#include "schema/model/states.hpp"

// What the operator decides, read from one JSON file (`vigild --config-reference` has every key).

namespace vigil::service {

/// Who may read without a token, while the daemon listens on a loopback address.
enum class OpenReads {
    never,
    local,   ///< who calls by a loopback name and shows no sign of a proxy
    proxied  ///< these, and what a proxy forwards: whoever reaches the proxy
};

struct HttpConfig {
    std::string address = "127.0.0.1";
    int port = 8321;                                      ///< 0: any free one, printed at start
    std::int64_t max_body_bytes = std::int64_t{1} << 20;  ///< JSON bodies
    std::int64_t max_webhook_bytes = std::int64_t{26} << 20;
    std::int64_t max_content_bytes = std::int64_t{4} << 30;  ///< uploads of products and logs
    int max_connections = 512;
    int request_timeout_s = 30;  ///< for a header, and for a JSON body
    int idle_timeout_s = 60;     ///< between requests of one connection
    OpenReads open_reads = OpenReads::never;
    OpenReads open_pages = OpenReads::never;        ///< the same of pages
    std::vector<std::string> trusted_proxies = {};  ///< addresses; believed whom they forward for
    int max_listeners = 1000;                       ///< of live events, beside max_connections
    int heartbeat_s = 15;                           ///< of a silent stream of events
    int max_requests_a_minute = 6000;               ///< of one caller from elsewhere; 0: any number
};

struct LedgerConfig {
    std::int64_t content_max_bytes = std::int64_t{50} << 30;
    std::int64_t ballast_bytes = 16'777'216;  ///< kept free for the day the disk is full
    int raw_nights = 400;                     ///< of a project that keep their runs; 0: all do
    int product_days = 0;        ///< a product that nobody used for longer goes; 0: none
    int archive_days = 0;        ///< the same of an archive of a source
    int log_days = 0;            ///< the same of a log
    std::string backup_dir;      ///< where deploy/backup writes; empty: not told
    int backup_due_s = 172'800;  ///< a newest backup that is older is too old
};

struct JobConfig {
    int lease_ttl_s = 60;
    int max_lost_attempts = 3;
    int claim_wait_s = 30;  ///< longest long poll
};

/// A reference build that every worker of a class measures each night, on a control chart.
struct CanaryConfig {
    std::string project;
    std::string build;  ///< version or revision of a nightly, or a revision that git has
    std::string benchmark;
    std::string variant = "default";
    int runs = 3;
};

/// Which workers' numbers may be compared, and what their machines must show.
struct MachineClassConfig {
    std::string cpu_model;  ///< substring of the fingerprint's; empty: any
    std::int64_t min_memory_bytes = 0;
    std::string gpu;                            ///< substring of one of the GPUs; empty: any
    std::map<std::string, std::string> labels;  ///< each must be shown
    EnvironmentVariables environment;           ///< for every run of the class
    std::optional<Launch> launch = {};          ///< of benchmarks that have none of their own
    std::optional<CanaryConfig> canary = {};
    std::string build_class = {};  ///< whose workers build for it; empty: its own
};

struct WorkerConfig {
    std::string machine_class;  ///< the worker's token has the worker's name
};

enum class SourceKind {
    directory,
    git,
    npm,
    http_index,
    elsewhere,  ///< others measure, and send what they found
};

/// How the files of an index are named and where they stand.
enum class IndexLayout {
    wheels,    ///< PEP 503: a page for each package, wheels that hold a whole LibTorch
    archives,  ///< one page of archives, <package>-<version>.zip
};

enum class CallbackKind {
    webhook,  ///< a signed request
    github,   ///< an event `repository_dispatch`
};

/// Where runs are asked for of who measures a project elsewhere.
struct CallbackConfig {
    CallbackKind kind = CallbackKind::webhook;
    std::string url;                                  ///< webhook
    std::string secret_file;                          ///< webhook: what it is signed with
    std::string base_url = "https://api.github.com";  ///< github: a GitHub-compatible API
    std::string repository;                           ///< github: "owner/name"
    std::string token_file;                           ///< github: secret
    int answer_within_s = 7200;  ///< then the runs are asked for again, as of a worker that is gone
};

struct SourceConfig {
    SourceKind kind = SourceKind::git;
    std::string path;                 ///< directory: the drop folder
    std::string repository;           ///< git: path or URL; else where suspects come from, or empty
    std::string branch = "main";      ///< git
    std::string package;              ///< npm
    std::string dist_tag = "latest";  ///< npm: which tag is the nightly
    std::string version;  ///< npm, http-index: only versions that contain this text, e.g. "-dev."
    std::string index;    ///< http-index: address of the page
    IndexLayout layout = IndexLayout::wheels;  ///< http-index
    std::vector<std::string> packages;  ///< http-index: the first has the commit, all are one night
    std::vector<std::string> day_from;  ///< http-index: whose version has the day; empty: all
    std::vector<std::string> local_versions;  ///< http-index: "+cpu", each a variant; empty: any
    std::string python;                       ///< http-index, wheels: "cp311", "cp313t"; or empty
    std::string machine = "x86_64";           ///< http-index, wheels
    int settle_s = 60;              ///< elsewhere: a night without additions for so long is judged
    bool file_unconfirmed = false;  ///< elsewhere: a suspicion becomes a regression all the same
    std::optional<CallbackConfig> callback = {};  ///< elsewhere: who measures again
    std::int64_t max_archive_bytes = std::int64_t{2} << 30;
    std::int64_t max_unpacked_bytes = std::int64_t{8} << 30;
    int max_entries = 200'000;
};

/// One line of the matrix: every variant of these benchmarks on each of these machine classes.
struct MatrixEntry {
    std::string suite;
    std::vector<std::string> machine_classes;
};

struct Thresholds {
    double time_ratio = 0.07;
    double memory_ratio = 0.07;
    double other_ratio = 0.07;
};

enum class TargetKind {
    folder,
    standard_output,
    issues,   ///< a GitHub-compatible issue tracker
    webhook,  ///< a signed request for each report
    slack,    ///< an incoming webhook as Slack has it
    mail      ///< by SMTP
};

enum class MailSecurity {
    starttls,  ///< a plain connection that must turn into TLS
    tls,       ///< from the first byte
    none       ///< this machine only
};

/// When a target is left alone, every day.
struct QuietHours {
    std::string from = "22:00";
    std::string to = "07:00";
    std::string time_zone = "UTC";  ///< IANA name
};

/// When a target gets the summary of a week.
struct WeeklyConfig {
    std::string cron = "0 8 * * mon";
    std::string time_zone = "UTC";  ///< IANA name
};

struct ReportTarget {
    std::string name;
    TargetKind kind = TargetKind::folder;
    std::string path;                  ///< folder
    std::string base_url;              ///< issues: GitHub-compatible API
    std::string repository;            ///< issues: "owner/name"
    std::string token_file;            ///< issues: secret
    std::string account;               ///< issues: whose the token is; empty: the tracker is asked
    std::string app_id;                ///< issues: of a GitHub App, in place of a token
    std::int64_t installation_id = 0;  ///< issues: of the app
    std::string private_key_file;      ///< issues: of the app; secret
    std::string proxy;                 ///< issues, webhook, slack: machine:port; or empty
    bool checks = false;               ///< issues: a nightly's commit gets a check
    bool culprit_comments = false;    ///< issues: pull requests that brought culprits get a comment
    std::vector<std::string> labels;  ///< issues: of what is filed
    std::map<std::string, std::string> logins;  ///< issues: address or name in commits -> login
    std::vector<std::string> on_call;           ///< issues: logins that are asked in turns
    int on_call_turn_s = 604'800;               ///< issues: how long a turn is
    std::optional<bool> night_summaries = {};   ///< by default of every kind that calls nobody
    bool troubles = true;                       ///< whether reports of troubles go there
    bool regressions = true;
    double min_change_ratio = 0;      ///< of regressions; what no longer runs always counts
    std::vector<std::string> states;  ///< schema/model/regression_words.hpp; empty: any
    std::string url;                  ///< webhook
    std::string secret_file;          ///< webhook: what it is signed with
    std::string url_file;             ///< slack: its address is a secret
    std::string server;               ///< mail: machine:port
    MailSecurity security = MailSecurity::starttls;  ///< mail
    std::string user;                                ///< mail; empty: nobody signs in
    std::string password_file;                       ///< mail: secret
    std::string from;                                ///< mail
    std::vector<std::string> to;                     ///< mail
    int collect_s = 0;                           ///< slack, mail: what comes within so long is one
    std::optional<QuietHours> quiet_hours = {};  ///< webhook, slack, mail
    double urgent_change_ratio = 0.5;  ///< webhook, slack, mail: it waits for nothing; 0: never
    std::optional<WeeklyConfig> weekly = {};  ///< folder, webhook, slack, mail
};

struct ScheduleConfig {
    std::string cron;               ///< five fields
    std::string time_zone = "UTC";  ///< IANA name
    bool at_start = false;          ///< once more, when the daemon sees a first schedule
};

/// How the addresses in reports are made; empty: there is none.
struct LinkConfig {
    std::string public_url;   ///< of this service, as readers of reports reach it; no final slash
    std::string commit_url;   ///< with {revision}, and {project} where it is of use
    std::string compare_url;  ///< with {good} and {bad}
};

struct SearchBudget {
    int max_probes = 200;
    int max_builds = 60;
    double further_share = 1;  ///< for further changes, of what the first one took
    int improvements = 0;      ///< probes of a night, for what got better; 0: it is not searched
};

/// How a verified culprit is profiled.
struct WhyConfig {
    int profiles_per_day = 20;  ///< culprits; 0: none is, not by hand either
    int timeout_s = 600;        ///< of one profiled run
};

/// Whether taking a verified culprit back would help.
struct RevertConfig {
    int checks_per_day = 20;  ///< 0: none
};

struct ProjectConfig {
    std::string name;
    SourceConfig source;
    Recipe recipe;
    std::optional<Recipe> source_recipe;  ///< archives: how a revision becomes the like of one
    std::map<std::string, std::vector<BenchmarkPlan>> suites;  ///< benchmarks x variants, expanded
    std::vector<MatrixEntry> matrix;
    std::map<std::string, Launch> launches;  ///< of machine classes: no key, taken from them
    std::vector<Metric> judged = {
        Metric::cpu_time_ns, Metric::gpu_time_ns, Metric::peak_process_bytes};
    std::vector<SeriesRule> series_rules;  ///< the first that fits a series decides
    Thresholds thresholds;
    int runs_per_night = 3;
    int confirm_runs_per_night = 2000;  ///< of all that is measured again in one night
    int max_machine_hours_a_day = 0;    ///< of all its jobs on a UTC day; 0: any number
    SearchBudget search;
    WhyConfig why;
    RevertConfig revert;
    std::optional<ScheduleConfig> schedule;
    int night_due_s = 129'600;  ///< with a schedule: without a nightly so long it is late; 0: never
    int answer_due_s = 259'200;        ///< not acknowledged so long: late in the inbox; 0: never
    std::string pinned_version;        ///< of the nightly that is the pinned baseline; empty: none
    std::vector<std::string> reports;  ///< names of targets
    bool badge = false;                ///< anybody may see how it stands
    std::string pull_label = "vigil";  ///< pull requests with it are measured; empty: none are
    LinkConfig links;                  ///< each key: else the daemon's
};

struct WebhookConfig {
    std::string secret_file;
    std::map<std::string, std::string> projects;  ///< "owner/name" -> project watched by it
    std::string old_secret_file = {};  ///< taken too, while a secret is being replaced; or empty
    int poll_s = 3600;                 ///< nothing asked for a nightly so long: look; 0: never
    int settle_s = 10;                 ///< pushes that come within so long are one nightly
};

/// What a cluster's scheduler is asked for where a machine class needs machines.
struct FleetClassConfig {
    int max_allocations = 1;          ///< at a time
    int max_requests_an_hour = 20;    ///< new allocations
    int max_machine_hours_a_day = 0;  ///< 0: any number
    int jobs_each = 5;                ///< waiting jobs for which one more machine is asked for
    int idle_s = 300;                 ///< a worker without a job for so long gives its machine back
    int time_limit_s = 14'400;        ///< of an allocation
    bool drain_differing = false;     ///< machines that differ from the class take no more jobs
    std::string worker_file;          ///< settings of its workers
    std::string partition;            ///< this and those below: as Slurm has them; empty: not given
    std::string constraint;
    std::string gres;
    std::string account;
    std::string qos;
    std::string reservation;
};

/// Machines that Slurm is asked for.
struct FleetConfig {
    std::string name = "vigil";           ///< begins the names of its jobs; one daemon has it
    std::string folder;                   ///< that the cluster's machines see, too
    std::string worker = "vigil-worker";  ///< the program on them
    std::string slurmrestd;             ///< "unix:PATH" or a URL; empty: Slurm's commands are used
    std::string slurmrestd_token_file;  ///< empty: none is sent
    std::map<std::string, FleetClassConfig> machine_classes;
};

/// A store that speaks S3, from which workers get products and archives.
struct ObjectStoreConfig {
    std::string endpoint;  ///< "https://s3.eu-central-1.amazonaws.com"
    std::string bucket;    ///< of this daemon alone
    std::string region = "us-east-1";
    std::string access_key_file;  ///< the key's id, then its secret: a line each
    bool path_style = true;       ///< the bucket is in the path; else before the endpoint's name
    int link_s = 300;             ///< how long a worker may begin to fetch by one link
};

/// A project of the daemon's own that plants a regression every night, and must report it.
struct SelfTestConfig {
    std::string machine_class;  ///< on which it is measured
    ScheduleConfig schedule;
    int due_s = 28'800;                ///< after its planting the report must be out
    std::vector<std::string> reports;  ///< names of targets
};

struct Config {
    std::string state_dir;
    HttpConfig http;
    LedgerConfig ledger;
    JobConfig jobs;
    std::map<std::string, MachineClassConfig> machine_classes;
    std::map<std::string, WorkerConfig> workers;
    std::map<std::string, ReportTarget> report_targets;
    bool hold_reports = false;  ///< nothing is sent to any report target
    std::map<std::string, ProjectConfig> projects;
    std::optional<WebhookConfig> webhook;
    std::optional<FleetConfig> fleet = {};
    std::string log_level = "info";
    LinkConfig links;
    std::optional<ObjectStoreConfig> object_store = {};
    std::optional<SelfTestConfig> self_test = {};
};

/// Reads and checks a config. Comments (// and /* */) are allowed; unknown keys, wrong types and
/// values out of range are errors with file, line, column, key and the nearest known key.
/// @throws Error{invalid_argument}
Config load_config(const std::string& path);

/// The same for a text. @param file  names it in errors; relative paths start at its folder
Config parse_config(std::string_view text, const std::string& file);

/// The machine class of a worker, by the name of its token: of the config's workers, or, named
/// "class@machine", of a class of its fleet. nullptr: it has none.
const std::string* find_worker_class(const Config& config, const std::string& worker);

/// The effective values as commented-free JSON, every key present, secrets' contents never.
std::string effective_config(const Config& config);

/// A benchmark as a machine class starts it: with its own launch, or else with the class's.
BenchmarkPlan launched(
    BenchmarkPlan plan, const ProjectConfig& project, const std::string& machine_class);

/// Whether every report there calls somebody: what is no news is not sent.
bool calls_people(TargetKind kind);

/// Whether a target gets the summaries of nights.
bool takes_night_summaries(const ReportTarget& target);

/// Whether the project's numbers come from elsewhere: nothing of it can be measured here.
bool is_external(const ProjectConfig& project);

/// Where the archive of a night has a local version, "cpu" of "+cpu"; empty: it holds one only.
std::string folder_of(const SourceConfig& source, const std::string& local_version);

/// How a build of the project is made from its input; nullptr: by nothing.
const Recipe* find_recipe(const ProjectConfig& project, InputKind input);

/// Whether the commits between two nights can be listed.
bool has_history(const ProjectConfig& project);

/// Why no single revision of the project can be built, for a person; nullopt: each can.
std::optional<std::string> why_no_revisions(const ProjectConfig& project);

/// @throws Error{conflict} where no single revision can be built
void check_searchable(const ProjectConfig& project);

/// Whether nights come as archives and a search builds revisions: its ends are other builds than
/// those of the nights.
bool are_archives_searched(const ProjectConfig& project);

/// Whether what looks worse can be measured again, here or elsewhere.
bool can_measure_again(const ProjectConfig& project);

/// The threshold that applies to a metric.
double threshold_of(const Thresholds& thresholds, Metric metric);

}  // namespace vigil::service
