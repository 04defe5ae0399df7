#include "service/source/npm_client.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/json.hpp"
#include "service/source/child.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t max_answer_bytes = std::size_t{32} << 20;
constexpr std::int64_t max_cache_bytes = std::int64_t{256} << 20;  // one file, without a tarball
constexpr std::size_t max_versions = 50'000;
constexpr int ask_timeout_s = 120;
constexpr int pack_timeout_s = 1800;

bool is_alphanumeric(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// "name" or "@scope/name", in the characters that the registry allows today.
bool is_package_name(std::string_view name) {
    if (name.empty() || name.size() > 214) return false;
    if (name.front() == '@') {
        const auto slash = name.find('/');
        if (slash == name.npos) return false;
        const auto scope = name.substr(1, slash - 1);
        return scope.find('@') == scope.npos && is_package_name(scope) && name[slash + 1] != '@' &&
               is_package_name(name.substr(slash + 1));
    }
    return is_alphanumeric(name.front()) && std::all_of(name.begin(), name.end(), [](char c) {
               return is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~';
           });
}

const json* find_member(const json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

std::string text_or_empty(const json* value, std::size_t most) {
    if (value == nullptr || !value->is_string()) return "";
    const auto& text = value->get_ref<const std::string&>();
    return text.size() <= most ? text : "";
}

json parse_answer(const std::string& text) {
    return wire::parse_json(text, "npm's answer", {.max_bytes = max_answer_bytes});
}

/// npm's own words for a failure: its JSON says them best, else the first line that is one.
[[noreturn]] void throw_failure(const ChildResult& result) {
    std::string code;
    std::string words;
    try {
        const json answer = parse_answer(result.output);
        const json* error = find_member(answer, "error");
        if (error != nullptr) {
            code = text_or_empty(find_member(*error, "code"), 100);
            words = text_or_empty(find_member(*error, "summary"), 10'000);
        }
    } catch (const Error&) {
        words = result.errors;
    }
    if (words.empty()) words = result.errors;
    words = text::one_line(without_addresses(words));
    if (words.empty()) words = "no reason given";
    throw Error(
        code == "E404" ? Errc::not_found : Errc::unavailable,
        "npm ended with " +
            (result.signal != 0 ? "signal " + std::to_string(result.signal)
                                : "code " + std::to_string(result.exit_code)) +
            ": " + words);
}

}  // namespace

bool is_npm_version(const std::string& text) {
    return !text.empty() && text.size() <= 100 && text.front() >= '0' && text.front() <= '9' &&
           std::count(text.begin(), text.end(), '.') >= 2 &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_alphanumeric(c) || c == '.' || c == '-' || c == '+';
           });
}

NpmClient::NpmClient(std::string package, fs::path folder, const std::atomic<bool>* stop)
    : package_(std::move(package)), folder_(std::move(folder)), stop_(stop) {
    if (is_package_name(package_)) return;
    refuse("source.package \"" + text::one_line(package_, 80) + "\" is no name of an npm package");
}

std::string NpmClient::ask(
    const std::vector<std::string>& arguments, std::int64_t file_bytes) const {
    const auto program = find_program("npm");
    if (!program) {
        throw Error(
            Errc::unavailable,
            "asking npm for " + package_ + ": npm is not on PATH; install Debian's package npm");
    }
    Command command{*program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--json", "--loglevel=error", "--ignore-scripts"});
    const EnvironmentVariables extra{
        {"NO_COLOR", "1"},
        {"npm_config_cache", (folder_ / "cache").string()},
        {"npm_config_update_notifier", "false"},
        {"npm_config_progress", "false"}};
    ChildLimits limits;
    limits.timeout_s = arguments.front() == "pack" ? pack_timeout_s : ask_timeout_s;
    limits.output_bytes = std::int64_t{max_answer_bytes};
    limits.file_bytes = file_bytes;
    limits.stop = stop_;
    return attempting("asking npm for " + package_, [&] {
        auto result = run_child(command, folder_, extra, limits);
        if (result.exit_code != 0) throw_failure(result);
        return std::move(result.output);
    });
}

NpmPackage NpmClient::package(const std::string& tag) const {
    const json answer =
        parse_answer(ask({"view", package_, "dist-tags", "versions"}, max_cache_bytes));
    NpmPackage package;
    const json* tags = find_member(answer, "dist-tags");
    if (tags != nullptr && tags->is_object()) {
        for (const auto& [name, version] : tags->items()) {
            package.tags += (package.tags.empty() ? "" : ", ") + name;
            if (name == tag) package.tagged = text_or_empty(&version, 100);
        }
        package.tags = text::one_line(package.tags);
    }
    const json* versions = find_member(answer, "versions");
    const json none = json::array();
    const json single = versions != nullptr && versions->is_string() ? json{*versions} : none;
    const json& list = versions != nullptr && versions->is_array() ? *versions : single;
    if (list.size() > max_versions) {
        refuse(package_ + " has too many versions");
    }
    for (const auto& version : list) {
        auto text = text_or_empty(&version, 100);
        if (is_npm_version(text)) package.versions.push_back(std::move(text));
    }
    return package;
}

std::vector<NpmVersion> NpmClient::versions(const std::string& range) const {
    const std::string text =
        ask({"view",
             package_ + "@" + range,
             "version",
             "gitHead",
             "dist.integrity",
             "dist.unpackedSize"},
            max_cache_bytes);
    std::vector<NpmVersion> found;
    if (text.find_first_not_of(" \r\n\t") == text.npos) return found;  // nothing matches
    const json answer = parse_answer(text);
    const json list = answer.is_array() ? answer : json::array({answer});
    for (const auto& item : list) {
        NpmVersion version;
        // One field alone comes bare: a version of which nothing else is known.
        version.version =
            text_or_empty(item.is_string() ? &item : find_member(item, "version"), 100);
        version.commit = text_or_empty(find_member(item, "gitHead"), 100);
        version.integrity = text_or_empty(find_member(item, "dist.integrity"), 1000);
        const json* size = find_member(item, "dist.unpackedSize");
        if (size != nullptr && size->is_number_integer()) {
            version.unpacked_bytes = std::max<std::int64_t>(0, size->get<std::int64_t>());
        }
        if (is_npm_version(version.version)) found.push_back(std::move(version));
    }
    return found;
}

fs::path NpmClient::pack(const std::string& version, std::int64_t max_bytes) const {
    VIGIL_ASSERT(is_npm_version(version));
    const fs::path target = folder_ / "pack";
    std::error_code code;
    fs::remove_all(target, code);
    fs::create_directory(target, code);
    if (code) throw Error(Errc::unavailable, "making " + target.string() + ": " + code.message());
    // The client's words about it are not needed: what lies in the folder afterwards counts.
    ask({"pack", package_ + "@" + version, "--pack-destination", target.string()},
        std::max(max_bytes, std::int64_t{1} << 20));
    std::vector<fs::path> files;
    for (fs::directory_iterator at(target, code), end; !code && at != end; at.increment(code)) {
        files.push_back(at->path());
    }
    if (!code && files.size() == 1) return files.front();
    refuse(
        "packing " + package_ + " " + version + ": npm left " + std::to_string(files.size()) +
        " files instead of one");
}

}  // namespace vigil::service
