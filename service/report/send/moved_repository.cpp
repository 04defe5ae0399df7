#include "service/report/send/moved_repository.hpp"

#include <algorithm>

#include "schema/http/client.hpp"
#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "service/report/send/tracker_answer.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_moved = 1000;
constexpr std::size_t max_location_bytes = 2000;

std::string key_of_path(const ReportTarget& target, const std::string& path) {
    return target.base_url + " " + path;
}

/// What of a path follows its repository's; nullopt: it is of no repository.
std::optional<std::string> rest_of(const ReportTarget& target, const std::string& path) {
    const auto repository = repository_path(target);
    if (!path.starts_with(repository + "/")) return std::nullopt;
    return path.substr(repository.size());
}

}  // namespace

const MovedRepositories::NewPlace* MovedRepositories::find_place(
    const ReportTarget& target, const std::string& path) const {
    const auto found = known_.find(key_of_path(target, path));
    return found == known_.end() ? nullptr : &found->second;
}

std::string MovedRepositories::path_now(const ReportTarget& target, const std::string& path) const {
    if (const auto* place = find_place(target, path)) return place->path;
    const auto rest = rest_of(target, path);
    const auto* repository = rest ? find_place(target, repository_path(target)) : nullptr;
    return repository != nullptr ? repository->path + *rest : path;
}

std::optional<std::string> redirect_of(const ReportTarget& target, const http::Exchange& exchange) {
    const int status = is_answered(exchange) ? exchange.response.status : 0;
    if (status != 301 && status != 302 && status != 307 && status != 308) return std::nullopt;
    const auto location = exchange.response.headers.find("location");
    if (location == exchange.response.headers.end()) return std::nullopt;
    return path_on_same_server(http::parse_base_url(target.base_url), location->second);
}

bool MovedRepositories::note_moved(
    const ReportTarget& target, const std::string& path, const std::string& there) {
    if (known_.size() >= max_moved) known_.clear();
    const auto key = key_of_path(target, path);
    auto& place = known_[key];
    place.path = there;
    if (++place.hops > max_redirects) {
        known_.erase(key);
        known_.erase(key_of_path(target, repository_path(target)));
        return false;
    }
    const auto rest = rest_of(target, path);
    if (!rest || !there.ends_with(*rest)) return true;  // not the repository, but one of its issues
    const auto repository = there.substr(0, there.size() - rest->size());
    known_[key_of_path(target, repository_path(target))].path = repository;
    return true;
}

void MovedRepositories::note_arrived(const ReportTarget& target, const std::string& path) {
    const auto found = known_.find(key_of_path(target, path));
    if (found != known_.end()) found->second.hops = 0;
    const auto whole = known_.find(key_of_path(target, repository_path(target)));
    if (whole == known_.end() || whole->second.told) return;
    whole->second.told = true;
    log_warn(
        "tracker.moved",
        {{"target", target.name},
         {"repository", target.repository},
         {"place", text::harmless(whole->second.path, 300)},
         {"todo",
          "it was renamed or transferred, and is followed; put its new name into repository of the "
          "target and into webhook.projects"}});
}

std::optional<std::int64_t> MovedRepositories::find_id(const ReportTarget& target) const {
    const auto* place = find_place(target, repository_path(target));
    if (place == nullptr) return std::nullopt;
    return issue_number(place->path);  // "/repositories/ID" ends as the address of an issue does
}

std::optional<std::string> path_on_same_server(
    const http::BaseUrl& base, std::string_view location) {
    const bool plain = location.size() <= max_location_bytes &&
                       std::all_of(location.begin(), location.end(), [](char c) {
                           return c > ' ' && c < 0x7f && c != '#' && c != '\\';
                       });
    if (!plain) return std::nullopt;
    if (!location.starts_with('/')) {
        const auto scheme_end = location.find("://");
        if (scheme_end == location.npos) return std::nullopt;
        const auto path_at =
            std::min(location.find_first_of("/?", scheme_end + 3), location.size());
        try {
            const auto there = http::parse_base_url(location.substr(0, path_at));
            const bool same = there.secure == base.secure && there.port == base.port &&
                              text::lower_case(there.host) == text::lower_case(base.host);
            if (!same) return std::nullopt;
        } catch (const Error&) {
            return std::nullopt;
        }
        location.remove_prefix(path_at);
    }
    if (!location.starts_with('/') || location.starts_with("//")) return std::nullopt;
    return std::string(location);
}

}  // namespace vigil::service
