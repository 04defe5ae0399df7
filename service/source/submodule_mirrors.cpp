#include "service/source/submodule_mirrors.hpp"

#include <algorithm>
#include <system_error>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;
using std::chrono::duration_cast;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int times_the_bytes = 4;
constexpr std::size_t digits_of_sha1 = 40;  // a mirror's name has as many

bool is_mirror(const fs::path& folder) {
    std::error_code ignored;
    return folder.extension() == ".git" && fs::is_directory(folder, ignored);
}

std::int64_t bytes_below(const fs::path& folder) {
    std::int64_t bytes = 0;
    std::error_code failure;
    fs::recursive_directory_iterator at(folder, failure), end;
    for (; !failure && at != end; at.increment(failure)) {
        std::error_code ignored;
        if (!at->is_regular_file(ignored)) continue;
        const auto size = at->file_size(ignored);
        if (!ignored) bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
}

}  // namespace

SubmoduleMirrors::SubmoduleMirrors(fs::path folder, GitLimits limits)
    : folder_(std::move(folder)),
      limits_(limits),
      until_(steady_clock::now() + seconds(limits.timeout_s)) {}

fs::path SubmoduleMirrors::folder_of(const std::string& address) const {
    return folder_ / (wire::sha256(address).str().substr(0, digits_of_sha1) + ".git");
}

GitClone* SubmoduleMirrors::find_open(const fs::path& folder, const std::string& origin) {
    const auto known = open_.find(origin);
    if (known != open_.end()) return &known->second;
    if (!is_mirror(folder)) return nullptr;
    return &open_.emplace(origin, GitClone::open_or_clone(folder, origin, limits_)).first->second;
}

const GitClone* SubmoduleMirrors::find_anywhere(const Revision& commit) {
    std::error_code failure;
    for (fs::directory_iterator at(folder_, failure), end; !failure && at != end;
         at.increment(failure)) {
        if (!is_mirror(at->path())) continue;
        try {
            const auto* mirror = find_open(at->path(), at->path().string());
            if (mirror->contains(commit)) return mirror;
        } catch (const Error&) {  // a broken one has nothing to give; its own address says so
        }
    }
    return nullptr;
}

GitLimits SubmoduleMirrors::limits_left() {
    const auto left = duration_cast<seconds>(until_ - steady_clock::now()).count();
    if (left <= 0) {
        throw Error(
            Errc::unavailable,
            "there is no time left: all submodules of one tree have " +
                std::to_string(limits_.timeout_s) + " s together; what was fetched stays");
    }
    const auto bytes = limits_.max_bytes * times_the_bytes - bytes_below(folder_);
    if (bytes <= 0) {
        refuse(
            "the mirrors in " + folder_.string() + " have more than " +
            std::to_string(limits_.max_bytes * times_the_bytes) +
            " bytes; remove those that are not needed, or all: they are fetched again");
    }
    GitLimits limits = limits_;
    limits.timeout_s = static_cast<int>(left);
    limits.max_bytes = std::min(limits_.max_bytes, bytes);
    return limits;
}

GitClone& SubmoduleMirrors::renew(const std::string& address) {
    const auto folder = folder_of(address);
    if (auto* mirror = find_open(folder, address)) {
        mirror->set_limits(limits_left());
        mirror->fetch();
        return *mirror;
    }
    auto fresh = GitClone::open_or_clone(folder, address, limits_left());
    return open_.emplace(address, std::move(fresh)).first->second;
}

Revision SubmoduleMirrors::resolve(const std::string& address, const std::string& name) {
    constexpr std::size_t digits_of_sha256 = 64;
    const bool is_hash = name.size() == digits_of_sha1 || name.size() == digits_of_sha256;
    if (is_hash && is_lower_hex(name)) return Revision(name);
    const auto* mirror = find_open(folder_of(address), address);
    auto found = mirror != nullptr ? mirror->find_fixed(name) : std::nullopt;
    if (!found) found = renew(address).find_fixed(name);
    if (found) return *found;
    throw Error(
        Errc::not_found,
        "\"" + text::one_line(name, 100) + "\" is no tag and no commit of " +
            without_credentials(address) + "; a branch is not followed, for it moves");
}

const GitClone& SubmoduleMirrors::with(const std::string& address, const Revision& commit) {
    const auto* known = find_open(folder_of(address), address);
    if (known != nullptr && known->contains(commit)) return *known;
    if (const auto* other = find_anywhere(commit)) return *other;
    auto& mirror = renew(address);
    if (mirror.contains(commit)) return mirror;
    try {
        mirror.fetch_commit(commit);  // on no branch and no tag, as those of a pull request
    } catch (const Error& error) {
        throw Error(
            Errc::not_found,
            "commit " + commit.str() + " is on no branch and no tag of " +
                without_credentials(address) + ", or not any more: " + error.what());
    }
    return mirror;
}

fs::path submodules_folder(const Config& config, const std::string& project) {
    auto folder = clone_folder(config, project);
    return folder.replace_extension(".modules");
}

}  // namespace vigil::service
