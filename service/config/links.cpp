#include "service/config/links.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "schema/http/target.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_url_bytes = 2000;

/// How a forge names what it shows, behind https://machine/path-of-the-repository.
struct Forge {
    std::string_view machine;
    std::string_view commit;
    std::string_view compare;
    std::size_t min_parts = 2;
    std::size_t max_parts = 2;
};

constexpr std::array forges{
    Forge{"github.com", "/commit/{revision}", "/compare/{good}...{bad}"},
    Forge{"gitlab.com", "/-/commit/{revision}", "/-/compare/{good}...{bad}", 2, 20},
    Forge{"codeberg.org", "/commit/{revision}", "/compare/{good}...{bad}"},
    Forge{"bitbucket.org", "/commits/{revision}", ""}};

bool is_plain_part(std::string_view part) {
    return !part.empty() && part.front() != '.' && part.front() != '-' &&
           std::all_of(part.begin(), part.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.';
           });
}

std::size_t count_plain_parts(std::string_view path) {
    std::size_t count = 0;
    while (true) {
        const auto slash = path.find('/');
        if (!is_plain_part(path.substr(0, slash))) return 0;
        ++count;
        if (slash == path.npos) return count;
        path.remove_prefix(slash + 1);
    }
}

std::string fill(
    std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& values) {
    std::string out;
    while (!text.empty()) {
        const auto open = text.find('{');
        out += text.substr(0, open);
        if (open == text.npos) break;
        const auto close = text.find('}', open);
        if (close == text.npos) return "";
        const auto name = text.substr(open + 1, close - open - 1);
        const auto value = std::find_if(
            values.begin(), values.end(), [&](const auto& one) { return one.first == name; });
        if (value == values.end()) return "";
        out += http::percent_encode(value->second);
        text.remove_prefix(close + 1);
    }
    return out;
}

std::string on_server(const Links& links, std::string_view path, const std::string& name) {
    if (links.templates.public_url.empty()) return "";
    return links.templates.public_url + std::string(path) + http::percent_encode(name);
}

}  // namespace

LinkConfig guess_links(std::string_view repository) {
    std::string_view path;
    const Forge* known = nullptr;
    for (const auto& forge : forges) {
        for (const std::string_view scheme :
             {"https://", "http://", "ssh://git@", "git://", "git@", ""}) {
            if (!repository.starts_with(scheme)) continue;
            auto rest = repository.substr(scheme.size());
            if (!rest.starts_with(forge.machine)) continue;
            rest.remove_prefix(forge.machine.size());
            const char behind = scheme.find("://") == scheme.npos ? ':' : '/';
            if (rest.empty() || rest.front() != behind) continue;
            known = &forge;
            path = rest.substr(1);
        }
    }
    if (known == nullptr) return {};
    while (path.ends_with('/')) path.remove_suffix(1);
    if (path.ends_with(".git")) path.remove_suffix(4);
    const auto parts = count_plain_parts(path);
    if (parts < known->min_parts || parts > known->max_parts) return {};
    const std::string start = "https://" + std::string(known->machine) + "/" + std::string(path);
    LinkConfig links;
    links.commit_url = start + std::string(known->commit);
    if (!known->compare.empty()) links.compare_url = start + std::string(known->compare);
    return links;
}

Links links_of(const Config& config, const std::string& project) {
    Links links{project, config.links};
    const auto found = config.projects.find(project);
    if (found == config.projects.end()) return links;
    const LinkConfig& own = found->second.links;
    const LinkConfig guess = guess_links(found->second.source.repository);
    if (!own.public_url.empty()) links.templates.public_url = own.public_url;
    if (!own.commit_url.empty()) links.templates.commit_url = own.commit_url;
    if (!own.compare_url.empty()) links.templates.compare_url = own.compare_url;
    if (links.templates.commit_url.empty()) links.templates.commit_url = guess.commit_url;
    if (links.templates.compare_url.empty()) links.templates.compare_url = guess.compare_url;
    return links;
}

std::string commit_url(const Links& links, const Revision& revision) {
    if (revision.empty()) return "";
    return fill(
        links.templates.commit_url, {{"revision", revision.str()}, {"project", links.project}});
}

std::string range_url(const Links& links, const Revision& good, const Revision& bad) {
    if (good.empty() || bad.empty()) return "";
    return fill(
        links.templates.compare_url,
        {{"good", good.str()}, {"bad", bad.str()}, {"project", links.project}});
}

std::string pull_url(const Links& links, std::int64_t number) {
    static constexpr std::string_view commit = "/commit/{revision}";
    std::string_view repository = links.templates.commit_url;
    if (!repository.ends_with(commit)) return "";
    repository.remove_suffix(commit.size());
    if (repository.ends_with("/-")) return "";  // GitLab
    if (repository.starts_with("https://codeberg.org/")) return "";
    return fill(repository, {{"project", links.project}}) + "/pull/" + std::to_string(number);
}

std::string regression_url(const Links& links, RegressionId regression) {
    return on_server(links, "/regressions/", to_string(regression));
}

std::string open_regressions_url(const Links& links) {
    if (links.templates.public_url.empty()) return "";
    return links.templates.public_url + "/regressions" +
           http::query_string({{"project", links.project}, {"state", "open"}});
}

std::string regression_data_url(const Links& links, RegressionId regression) {
    return on_server(links, "/api/v1/regressions/", to_string(regression));
}

std::string nightly_url(const Links& links, NightlyId nightly) {
    return on_server(links, "/nightlies/", to_string(nightly));
}

std::string series_url(const Links& links, SeriesId series) {
    return on_server(links, "/series/", to_string(series));
}

std::string bisection_url(const Links& links, BisectionId bisection) {
    return on_server(links, "/bisections/", to_string(bisection));
}

std::string request_url(const Links& links, RequestId request) {
    return on_server(links, "/requests/", to_string(request));
}

std::string trust_url(const Links& links) {
    return on_server(links, "/trust", "");
}

std::string log_url(const Links& links, const Digest& digest) {
    return digest.empty() ? "" : on_server(links, "/logs/", digest.str());
}

bool is_plain_url(std::string_view text) {
    return (text.starts_with("https://") || text.starts_with("http://")) &&
           text.size() <= max_url_bytes && std::all_of(text.begin(), text.end(), [](char c) {
               static constexpr std::string_view refused = "<>\"'`()[]{}|\\^";
               return c > ' ' && c < 0x7f && refused.find(c) == refused.npos;
           });
}

}  // namespace vigil::service
