#include "service/report/facts/requested.hpp"

#include <string_view>

#include "schema/text/characters.hpp"
#include "service/config/text_rules.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t first_monday_s = 4 * 86'400;

std::string known_login(const ReportTarget& target, const std::string& key) {
    if (key.empty()) return "";
    for (const auto& [who, login] : target.logins) {
        if (text::folded(who) == text::folded(key)) return login;
    }
    return "";
}

std::string checked(std::string_view login) {
    return needed_login_problem(login).empty() ? std::string(login) : "";
}

/// "ada" of "7+ada@users.noreply.github.com".
std::string login_in(std::string_view email) {
    static constexpr std::string_view tail = "@users.noreply.github.com";
    if (!email.ends_with(tail)) return "";
    email.remove_suffix(tail.size());
    const auto plus = email.find('+');
    if (plus != email.npos) email.remove_prefix(plus + 1);
    return checked(email);
}

}  // namespace

std::string login_of(
    const ReportTarget& target, const std::string& name, const std::string& email) {
    if (auto login = known_login(target, email); !login.empty()) return login;
    if (auto login = known_login(target, name); !login.empty()) return login;
    return login_in(email);
}

std::string on_call_at(const ReportTarget& target, std::int64_t at_s) {
    if (target.on_call.empty()) return "";
    const auto since_s = at_s < first_monday_s ? 0 : at_s - first_monday_s;
    const auto turn = static_cast<std::size_t>(since_s / target.on_call_turn_s);
    return target.on_call[turn % target.on_call.size()];
}

std::string login_to_ask(const ReportTarget& target, const RequestedRow& about) {
    static constexpr std::string_view by_comment = "github:";  // as a command names its author
    if (about.assigned.starts_with(by_comment)) {
        return checked(std::string_view(about.assigned).substr(by_comment.size()));
    }
    auto login = about.assigned.empty() ? login_of(target, about.author, about.email)
                                        : known_login(target, about.assigned);
    return login.empty() ? on_call_at(target, about.found_s) : login;
}

}  // namespace vigil::service
