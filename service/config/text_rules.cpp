#include "service/config/text_rules.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <arpa/inet.h>

#include "service/config/links.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_name_bytes = 64;
constexpr std::size_t max_path_bytes = 4000;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool all_of(std::string_view text, std::string_view marks) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return is_letter_or_digit(c) || marks.find(c) != marks.npos;
    });
}

bool has_control_bytes(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
}

/// The part of a URL between // and the next /.
std::string_view authority(std::string_view url) {
    const auto start = url.find("://");
    if (start == url.npos) return "";
    url.remove_prefix(start + 3);
    return url.substr(0, url.find('/'));
}

bool has_password(std::string_view url) {
    const auto who = authority(url);
    const auto at = who.rfind('@');
    return at != who.npos && who.substr(0, at).find(':') != who.npos;
}

/// An address that can stand in Markdown and HTML as it is, with these places to fill and no other.
std::string template_problem(
    std::string_view text, const std::vector<std::string_view>& places, bool project) {
    if (text.empty()) return "";
    const bool secure = text.starts_with("https://");
    const auto who = authority(text);
    if ((!secure && !text.starts_with("http://")) || who.empty()) {
        return "must be a URL, https://...";
    }
    if (who.find_first_of("@{}") != who.npos) return "must name its server, and no user";
    for (const auto place : places) {
        if (text.find("{" + std::string(place) + "}") == text.npos) {
            return "must hold {" + std::string(place) + "}, where the hash goes";
        }
    }
    std::string rest(text);
    const auto fill = [&](std::string_view place) {
        const std::string whole = "{" + std::string(place) + "}";
        for (auto at = rest.find(whole); at != rest.npos; at = rest.find(whole)) {
            rest.erase(at, whole.size());
        }
    };
    for (const auto place : places) fill(place);
    if (project) fill("project");
    return is_plain_url(rest) ? "" : "holds a sign that an address must have percent-encoded";
}

}  // namespace

std::string name_problem(std::string_view text) {
    const bool fine = !text.empty() && text.size() <= max_name_bytes && all_of(text, "._+=-") &&
                      is_letter_or_digit(text.front());
    if (fine) return "";
    return "must be 1 to 64 letters, digits, . _ + = - and begin with a letter or digit";
}

std::string word_problem(std::string_view text) {
    return text.size() <= max_name_bytes && all_of(text, "_") ? ""
                                                              : "must be letters, digits and _";
}

bool is_path(std::string_view repository) {
    const auto colon = repository.find(':');  // of an address, or user@machine:path
    return colon == repository.npos || repository.substr(0, colon).find('/') != repository.npos;
}

std::optional<std::string> path_here(std::string_view repository) {
    constexpr std::string_view scheme = "file://";
    if (repository.starts_with(scheme)) return std::string(repository.substr(scheme.size()));
    if (is_path(repository)) return std::string(repository);
    return std::nullopt;
}

std::string path_problem(std::string_view text) {
    if (text.empty()) return "is empty; it must be a path";
    if (text.size() > max_path_bytes) return "is too long for a path";
    if (has_control_bytes(text)) return "has control characters";
    return "";
}

std::string free_path_problem(std::string_view text) {
    return text.empty() ? "" : path_problem(text);
}

std::string repository_problem(std::string_view text) {
    if (text.empty()) return "";
    if (text.front() == '-') return "begins with a dash; it must be a path or a URL";
    if (has_password(text)) return "holds a password; secrets come from files only";
    return path_problem(text);
}

std::string needed_repository_problem(std::string_view text) {
    return text.empty() ? "is empty; it must be a path or a URL" : repository_problem(text);
}

std::string branch_problem(std::string_view text) {
    const bool fine = !text.empty() && text.size() <= 200 && all_of(text, "._+=-/@#") &&
                      text.front() != '-' && text.front() != '/' && text.back() != '/' &&
                      text.find("..") == text.npos && text.find("@{") == text.npos &&
                      text.find("//") == text.npos;
    return fine ? "" : "must be the name of a branch, e.g. \"main\"";
}

std::string package_problem(std::string_view text) {
    const bool fine = !text.empty() && text.size() <= 214 && all_of(text, "._-/@") &&
                      text.find("..") == text.npos && text.front() != '-';
    return fine ? "" : "must be the name of a package, e.g. \"@scope/name\"";
}

std::string index_package_problem(std::string_view text) {
    const bool fine = !text.empty() && text.size() <= 100 && all_of(text, "._-") &&
                      is_letter_or_digit(text.front()) && is_letter_or_digit(text.back());
    return fine ? "" : "must be the name of a package: letters, digits, . _ -";
}

std::string local_version_problem(std::string_view text) {
    const auto is_of_name = [](char c) { return is_letter_or_digit(c) && !(c >= 'A' && c <= 'Z'); };
    bool fine = text.empty() || (text.front() == '+' && text.size() <= 40);
    for (std::size_t i = 1; fine && i < text.size(); ++i) {
        fine = is_of_name(text[i]) || (text[i] == '.' && is_of_name(text[i - 1]));
    }
    if (fine && (text.empty() || is_of_name(text.back()))) return "";
    return "must be a local version: \"+\", small letters, digits and dots, e.g. \"+cu126\"";
}

std::string owner_and_name_problem(std::string_view text) {
    const auto slash = text.find('/');
    const bool fine = slash != text.npos && name_problem(text.substr(0, slash)).empty() &&
                      name_problem(text.substr(slash + 1)).empty();
    return fine ? "" : "must be \"owner/name\"";
}

std::string slurm_problem(std::string_view text) {
    return text.size() <= max_path_bytes && all_of(text, "._+=-:,&|*()[]@/!")
               ? ""
               : "must be letters, digits and . _ + = - : , & | * ( ) [ ] @ / !";
}

std::string slurmrestd_problem(std::string_view text) {
    constexpr std::string_view scheme = "unix:";
    constexpr std::size_t max_socket_bytes = 107;  // of sun_path, but for its end
    if (text.empty()) return "";
    if (!text.starts_with(scheme)) return base_url_problem(text);
    const auto path = text.substr(scheme.size());
    const bool fine = path.size() <= max_socket_bytes && path.starts_with('/') && path.size() > 1 &&
                      !has_control_bytes(path);
    return fine ? "" : "must be unix: and the absolute path of a socket, at most 107 bytes long";
}

std::string endpoint_problem(std::string_view text) {
    return text.empty() ? "must not be empty" : public_url_problem(text);
}

std::string bucket_problem(std::string_view text) {
    const auto is_small = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    };
    const bool fine = text.size() >= 3 && text.size() <= 63 &&
                      std::all_of(text.begin(), text.end(), is_small) &&
                      text.find("..") == text.npos && text.front() != '.' && text.back() != '.';
    return fine ? "" : "must be 3 to 63 lower-case letters, digits, - and .";
}

std::string region_problem(std::string_view text) {
    const bool fine = !text.empty() && text.size() <= max_name_bytes && all_of(text, "-");
    return fine ? "" : "must be letters, digits and -";
}

std::string fleet_name_problem(std::string_view text) {
    const bool fine = !text.empty() && text.size() <= 32 && all_of(text, "") &&
                      !(text.front() >= '0' && text.front() <= '9');
    return fine ? "" : "must be 1 to 32 letters and digits, and begin with a letter";
}

std::string account_problem(std::string_view text) {
    const auto name = text.ends_with("[bot]") ? text.substr(0, text.size() - 5) : text;
    return text.empty() || name_problem(name).empty() ? "" : "must be a login";
}

std::string needed_login_problem(std::string_view text) {
    return text.empty() ? "is empty; it must be a login" : account_problem(text);
}

std::string mail_address_problem(std::string_view text) {
    // No quotes, no names: an address goes into a header and into a command of SMTP.
    const auto at = text.find('@');
    const bool fine = text.size() <= 254 && at != text.npos && at > 0 && at + 1 < text.size() &&
                      all_of(text.substr(0, at), "._+=-#$%&'*/?^`{|}~!") &&
                      all_of(text.substr(at + 1), ".-");
    return fine ? "" : "must be a mail address, e.g. \"ada@example.org\"";
}

std::string server_problem(std::string_view text) {
    const auto colon = text.rfind(':');
    const auto port = colon == text.npos ? "" : text.substr(colon + 1);
    const bool fine = colon != text.npos && colon > 0 && !port.empty() && port.size() <= 5 &&
                      all_of(text.substr(0, colon), ".-[]:") &&
                      port.find_first_not_of("0123456789") == port.npos;
    return fine ? "" : "must be a machine and a port, e.g. \"mail.example.org:587\"";
}

std::string free_server_problem(std::string_view text) {
    return text.empty() ? "" : server_problem(text);
}

std::string user_problem(std::string_view text) {
    return text.size() <= 200 && !has_control_bytes(text) ? "" : "must be a name on one line";
}

bool is_here(std::string_view server) {
    return server.starts_with("localhost:") || server.starts_with("127.") ||
           server.starts_with("[::1]:");
}

std::string label_problem(std::string_view text) {
    const bool fine = !text.empty() && text.size() <= 50 && !has_control_bytes(text);
    return fine ? "" : "must be 1 to 50 bytes on one line";
}

std::string base_url_problem(std::string_view text) {
    const bool secure = text.starts_with("https://");
    auto who = authority(text);
    if ((!secure && !text.starts_with("http://")) || who.empty()) {
        return "must be a URL, https://...";
    }
    if (who.find('@') != who.npos) return "holds a user; secrets come from files only";
    if (text.back() == '/') return "must not end with a slash";
    if (has_control_bytes(text) || text.find_first_of(" ?#") != text.npos) {
        return "must be a URL without spaces, query and fragment";
    }
    if (who.front() != '[') who = who.substr(0, who.find(':'));
    const bool here = who == "localhost" || who.starts_with("127.") || who.starts_with("[::1]");
    return secure || here ? "" : "would send the token unencrypted; it must be https://...";
}

std::string public_url_problem(std::string_view text) {
    if (text.ends_with('/')) return "must not end with a slash";
    if (text.find_first_of("?#") != text.npos) return "must be a URL without query and fragment";
    return template_problem(text, {}, false);
}

std::string commit_url_problem(std::string_view text) {
    return template_problem(text, {"revision"}, true);
}

std::string compare_url_problem(std::string_view text) {
    return template_problem(text, {"good", "bad"}, true);
}

std::string index_problem(std::string_view text) {
    auto problem = base_url_problem(text);
    return problem.starts_with("would send") ? "would be read unencrypted; it must be https://..."
                                             : problem;
}

std::string address_problem(std::string_view text) {
    in6_addr binary{};
    const std::string address(text);
    const bool fine = inet_pton(AF_INET, address.c_str(), &binary) == 1 ||
                      inet_pton(AF_INET6, address.c_str(), &binary) == 1;
    return fine ? "" : "must be an IPv4 or IPv6 address, e.g. \"127.0.0.1\" or \"::\"";
}

std::string output_problem(std::string_view text) {
    if (auto problem = path_problem(text); !problem.empty()) return problem;
    const std::filesystem::path path(text);
    if (path.is_absolute()) return "is absolute; it must be relative to the build's folder";
    for (const auto& part : path) {
        if (part == "..") return "leaves the build's folder";
    }
    return "";
}

}  // namespace vigil::service
