#include "worker/lease/worker_settings.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "schema/http/target.hpp"
#include "schema/model/enum_names.hpp"
#include "schema/model/error.hpp"
#include "schema/model/launch.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "worker/run/neighbours.hpp"

namespace vigil {

template <>
inline constexpr auto enum_names<worker::SandboxMode> =
    std::to_array<std::pair<worker::SandboxMode, std::string_view>>(
        {{worker::SandboxMode::automatic, "auto"},
         {worker::SandboxMode::require, "require"},
         {worker::SandboxMode::off, "off"}});

}  // namespace vigil

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t smallest_cache = std::int64_t{64} << 20;
constexpr std::int64_t longest_drain_s = 86'400;
constexpr std::size_t max_shared = 256;  // GPUs, or workers, of one machine
constexpr const char* root_path = "config";

std::string read_config(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        throw Error(Errc::invalid_argument, "reading " + file.string() + ": it cannot be opened");
    }
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Which part of its machine it has.
void read_share(wire::ObjectReader& in, WorkerSettings& settings) {
    const auto refuse_unless = [&](const std::string& problem, std::string_view key) {
        if (!problem.empty()) wire::refuse(in.path(key), problem);
    };
    const auto cores = in.text_or("cores", "");
    refuse_unless(cores_problem(cores), "cores");
    if (!cores.empty()) settings.cores = *parse_cores(cores);
    if (in.find("memory_node")) {
        settings.numa_memory = in.small("memory_node", {0, max_numa_memory});
    }
    if (in.find("gpus")) settings.gpus = in.texts("gpus", max_shared);
    settings.beside = in.texts_or_none("beside", max_shared);
    if (settings.beside.empty()) return;
    if (settings.machine_lock.empty()) {
        wire::refuse(in.path("beside"), "goes with machine_lock, which all of them share");
    }
    refuse_unless(neighbour_name_problem(settings.name), "name");
    for (const auto& name : settings.beside) {
        refuse_unless(neighbour_name_problem(name), "beside");
        if (name == settings.name) wire::refuse(in.path("beside"), "names this worker itself");
    }
}

void refuse_unless_url(const wire::ObjectReader& in, const char* key, const std::string& url) {
    try {
        http::parse_base_url(url);
    } catch (const Error& error) {
        wire::refuse(in.path(key), error.what());
    }
}

bool is_url(const std::string& text) {
    return text.starts_with("http://") || text.starts_with("https://");
}

/// A folder, or the address of a cache with a token of its own.
void read_build_cache(wire::ObjectReader& in, const auto& path_of, WorkerSettings& settings) {
    auto& cache = settings.build_cache;
    const auto place = in.text_or("ccache_dir", "");
    if (is_url(place)) {
        try {
            http::parse_base_url(place);
        } catch (const Error& error) {
            wire::refuse(in.path("ccache_dir"), error.what());
        }
        cache.url = place;
    } else {
        cache.folder = path_of(place);
    }
    cache.writers = in.choice_or<CacheWriters>("ccache_writers", cache.writers);
    settings.build_cache_token_file = path_of(in.text_or("ccache_token_file", ""));
    if (!settings.build_cache_token_file.empty() && cache.url.empty()) {
        wire::refuse(in.path("ccache_token_file"), "goes with a URL in ccache_dir");
    }
}

WorkerSettings read_settings(wire::ObjectReader& in, const fs::path& folder) {
    const auto path_of = [&](const std::string& text) {
        return text.empty() ? fs::path() : (folder / text).lexically_normal();
    };
    WorkerSettings settings;
    settings.server = in.text("server");
    settings.content_from = in.text_or("content_from", "");
    settings.name = in.text("name");
    settings.token_file = path_of(in.text("token_file"));
    settings.state_dir = path_of(in.text("state_dir"));
    settings.machine_lock = path_of(in.text_or("machine_lock", ""));
    read_build_cache(in, path_of, settings);
    settings.cache_max_bytes = in.integer_or(
        "cache_max_bytes", settings.cache_max_bytes, {smallest_cache, wire::positive.high});
    settings.labels = in.text_map("labels");
    settings.bench_source = path_of(in.text_or("bench_source", ""));
    settings.sandbox = in.choice_or<SandboxMode>("sandbox", settings.sandbox);
    settings.allow_uncontained = in.flag_or("allow_uncontained", settings.allow_uncontained);
    for (const auto& path : in.texts_or_none("read_only_paths")) {
        if (path.empty() || path.front() != '/') {
            wire::refuse(
                in.path("read_only_paths"), "must hold absolute paths, not \"" + path + '"');
        }
        settings.read_only_paths.emplace_back(path);
    }
    read_share(in, settings);
    settings.drain_s = in.integer_or("drain_s", settings.drain_s, {0, longest_drain_s});
    settings.log_level = in.text_or("log_level", settings.log_level);
    static constexpr std::array levels{"debug", "info", "warn", "error"};
    if (std::find(levels.begin(), levels.end(), settings.log_level) == levels.end()) {
        wire::refuse(in.path("log_level"), "must be debug, info, warn or error");
    }
    in.done();
    for (const auto* key : {"server", "name", "token_file", "state_dir"}) {
        if (in.text(key).empty()) wire::refuse(in.path(key), "must not be empty");
    }
    refuse_unless_url(in, "server", settings.server);
    if (!settings.content_from.empty()) {
        refuse_unless_url(in, "content_from", settings.content_from);
    }
    return settings;
}

/// The line on which the top-level key stands that an error's path begins with; 0: unknown.
int line_of(
    const std::string& message, const std::map<std::string, wire::JsonPosition>& positions) {
    const std::string start = std::string(root_path) + ".";
    if (message.rfind(start, 0) != 0) return 0;
    const auto end = message.find_first_of(" .[", start.size());
    const auto key = message.substr(start.size(), end - start.size());
    const auto found = positions.find("/" + wire::pointer_step(key));
    return found == positions.end() ? 0 : found->second.line;
}

}  // namespace

WorkerSettings load_settings(const fs::path& file) {
    const auto text = read_config(file);
    std::map<std::string, wire::JsonPosition> positions;
    wire::JsonLimits limits;
    limits.comments = wire::Comments::allowed;
    const auto json = wire::parse_json(text, file.string(), limits, positions);
    try {
        wire::ObjectReader in(json, root_path);
        return read_settings(in, fs::absolute(file).parent_path());
    } catch (const Error& error) {
        const int line = line_of(error.what(), positions);
        throw Error(
            error.code(),
            line == 0 ? fmt::format("{}: {}", file.string(), error.what())
                      : fmt::format("{}, line {}: {}", file.string(), line, error.what()));
    }
}

std::string effective_settings(const WorkerSettings& settings) {
    std::vector<std::string> paths;
    for (const auto& path : settings.read_only_paths) paths.push_back(path.string());
    nlohmann::json json = {
        {"server", settings.server},
        {"content_from", settings.content_from},
        {"name", settings.name},
        {"token_file", settings.token_file.string()},
        {"state_dir", settings.state_dir.string()},
        {"ccache_dir",
         settings.build_cache.url.empty() ? settings.build_cache.folder.string()
                                          : settings.build_cache.url},
        {"ccache_token_file", settings.build_cache_token_file.string()},
        {"ccache_writers", to_string(settings.build_cache.writers)},
        {"machine_lock", settings.machine_lock.string()},
        {"beside", settings.beside},
        {"cores", cores_text(settings.cores)},
        {"memory_node", nullptr},
        {"gpus", nullptr},
        {"cache_max_bytes", settings.cache_max_bytes},
        {"labels", settings.labels},
        {"bench_source", settings.bench_source.string()},
        {"sandbox", to_string(settings.sandbox)},
        {"allow_uncontained", settings.allow_uncontained},
        {"read_only_paths", paths},
        {"drain_s", settings.drain_s},
        {"log_level", settings.log_level}};
    if (settings.numa_memory) json["memory_node"] = *settings.numa_memory;
    if (settings.gpus) json["gpus"] = *settings.gpus;
    constexpr int indent = 2;
    return json.dump(indent);
}

std::string load_token(const fs::path& file) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Errc::invalid_argument, "reading the token file " + file.string() + ": " + why);
    };
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        refuse("it is missing; make one with `vigil token add`");
    }
    if ((status.st_mode & 077) != 0) {
        refuse("others than its owner may read it; run chmod 600 on it");
    }
    std::ifstream in(file);
    std::string token;
    std::getline(in, token);
    while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
    if (token.empty()) refuse("it is empty");
    return token;
}

}  // namespace vigil::worker
