#include "bisect/history/claims.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace vigil::history {

namespace {

constexpr std::size_t least_hash_digits = 7;
constexpr std::size_t most_hash_digits = 40;
constexpr std::size_t most_number_digits = 9;
constexpr std::size_t most_place_bytes = 200;
constexpr int most_nested = 20;

bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

bool is_name_sign(char c) {
    return is_decimal(c) || (c >= 'a' && c <= 'z') || c == '_';
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return out;
}

std::string_view without_spaces(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

template <class Accepts>
std::string_view take_while(std::string_view& text, Accepts accepts) {
    const auto end = std::find_if_not(text.begin(), text.end(), accepts);
    const auto taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(taken.size());
    return taken;
}

bool take(std::string_view& text, std::string_view wanted) {
    if (!text.starts_with(wanted)) return false;
    text.remove_prefix(wanted.size());
    return true;
}

// Hashes behind "this reverts commit": "a", "a, b and c"; what follows them is no hash.
void read_hashes(std::string_view text, std::vector<std::string>& hashes) {
    while (hashes.size() < most_claims) {
        take_while(text, [](char c) { return is_blank(c) || c == ',' || c == '`'; });
        const auto word = take_while(text, is_name_sign);
        if (word == "and") continue;
        const bool hex = std::all_of(word.begin(), word.end(), [](char c) {
            return is_decimal(c) || (c >= 'a' && c <= 'f');
        });
        if (!hex || word.size() < least_hash_digits || word.size() > most_hash_digits) return;
        hashes.emplace_back(word);
    }
}

std::vector<std::string> read_reverts(std::string_view text) {
    static constexpr std::string_view words = "this reverts commit";
    std::vector<std::string> hashes;
    for (auto at = text.find(words); at != text.npos; at = text.find(words, at + 1)) {
        auto behind = text.substr(at + words.size());
        take(behind, "s");
        if (!behind.empty() && is_blank(behind.front())) read_hashes(behind, hashes);
        if (hashes.size() >= most_claims) break;
    }
    return hashes;
}

/// A number and nothing that goes on with it; 0: there is none.
std::int64_t take_number(std::string_view text) {
    const auto digits = take_while(text, is_decimal);
    if (digits.empty() || digits.size() > most_number_digits) return 0;
    if (!text.empty() && is_name_sign(text.front())) return 0;
    std::int64_t number = 0;
    for (const char c : digits) number = 10 * number + (c - '0');
    return number;
}

bool is_place(char c) {
    return is_name_sign(c) || c == '-' || c == '.' || c == '/' || c == ':';
}

/// "#12", "owner/name#12", "https://machine/owner/name/issues/12" at the beginning of the text.
std::optional<IssueName> take_issue(std::string_view text) {
    static constexpr std::string_view issues = "/issues/";
    IssueName issue;
    const bool address = take(text, "https://") || take(text, "http://");
    const auto place = take_while(text, is_place);
    if (address) {
        const auto end = place.rfind(issues);
        if (end == place.npos) return std::nullopt;
        issue.place = place.substr(0, end);
        issue.number = take_number(place.substr(end + issues.size()));
    } else if (take(text, "#")) {
        if (!place.empty() && std::count(place.begin(), place.end(), '/') != 1) return std::nullopt;
        issue.place = place;
        issue.number = take_number(text);
    }
    if (issue.number == 0 || issue.place.size() > most_place_bytes) return std::nullopt;
    return issue;
}

/// The word before a place of the text, with its apostrophe.
std::string_view word_before(std::string_view text, std::size_t at) {
    auto before = without_spaces(text.substr(0, at));
    const auto begin = std::find_if_not(
        before.rbegin(), before.rend(), [](char c) { return is_name_sign(c) || c == '\''; });
    return before.substr(static_cast<std::size_t>(before.rend() - begin));
}

bool denies(std::string_view word) {
    return word == "not" || word == "never" || word == "cannot" || word.ends_with("n't");
}

std::vector<IssueName> read_fixes(std::string_view text) {
    static constexpr std::array<std::string_view, 9> words{
        "closed", "closes", "close", "fixed", "fixes", "fix", "resolved", "resolves", "resolve"};
    std::vector<IssueName> fixes;
    for (std::size_t at = 0; at < text.size() && fixes.size() < most_claims; ++at) {
        if (at > 0 && (is_name_sign(text[at - 1]) || text[at - 1] == '-')) continue;
        for (const auto word : words) {
            auto behind = text.substr(at);
            if (!take(behind, word)) continue;
            take(behind, ":");
            const auto gap = take_while(behind, [](char c) { return c == ' ' || c == '\t'; });
            const auto issue = gap.empty() ? std::nullopt : take_issue(behind);
            if (issue && !denies(word_before(text, at))) fixes.push_back(*issue);
            break;
        }
    }
    return fixes;
}

/// Without " (#12)" at its end.
std::string_view without_request(std::string_view subject) {
    auto cut = without_spaces(subject);
    if (!cut.ends_with(')')) return subject;
    cut.remove_suffix(1);
    const auto open = cut.rfind("(#");
    if (open == cut.npos || open == 0) return subject;
    const auto number = cut.substr(open + 2);
    if (number.empty() || !std::all_of(number.begin(), number.end(), is_decimal)) return subject;
    return without_spaces(cut.substr(0, open));
}

struct Verb {
    std::string_view words;
    bool removes;
};

/// `Verb "what is inside"`, around which a request's number may stand.
std::optional<std::pair<bool, std::string_view>> unquote(std::string_view subject) {
    static constexpr std::array verbs{
        Verb{"revert \"", true},
        Verb{"back out \"", true},
        Verb{"backout \"", true},
        Verb{"reapply \"", false},
        Verb{"reland \"", false},
        Verb{"re-land \"", false}};
    const auto whole = without_spaces(without_request(subject));
    const auto words = lower_case(whole.substr(0, 20));
    for (const auto& verb : verbs) {
        if (!words.starts_with(verb.words) || !whole.ends_with('"')) continue;
        if (whole.size() < verb.words.size() + 2) continue;
        auto inner = whole.substr(verb.words.size());
        inner.remove_suffix(1);
        return std::pair(verb.removes, inner);
    }
    return std::nullopt;
}

/// "[reland] X", "Reland: X", "Reapply X".
std::optional<std::string_view> brought_back(std::string_view subject) {
    static constexpr std::array<std::string_view, 6> words{
        "[reland]", "[re-land]", "[reapply]", "reland", "re-land", "reapply"};
    const auto begin = lower_case(subject.substr(0, 12));
    for (const auto word : words) {
        if (!begin.starts_with(word)) continue;
        auto rest = subject.substr(word.size());
        take(rest, ":");
        if (rest.empty() || !is_blank(rest.front())) continue;
        return without_spaces(rest);
    }
    return std::nullopt;
}

}  // namespace

Claims read_claims(std::string_view message) {
    message = message.substr(0, most_message_bytes);
    const auto text = lower_case(message);
    Claims claims;
    claims.reverts = read_reverts(text);
    const auto subject = message.substr(0, message.find('\n'));
    const bool quotes = read_subject(subject).has_value();
    claims.fixes = read_fixes(std::string_view(text).substr(quotes ? subject.size() : 0));
    return claims;
}

std::optional<SubjectClaim> read_subject(std::string_view subject) {
    SubjectClaim claim;
    bool any = false;
    for (int depth = 0; depth < most_nested; ++depth) {
        const auto peeled = unquote(subject);
        if (!peeled) break;
        any = claim.quoted = true;
        claim.removes ^= peeled->first;
        subject = peeled->second;
    }
    if (const auto rest = brought_back(subject)) {
        any = true;
        claim.quoted = false;
        subject = *rest;
    }
    if (!any || subject.empty() || unquote(subject)) return std::nullopt;
    claim.subject = std::string(subject);
    return claim;
}

bool is_about(const SubjectClaim& claim, std::string_view subject) {
    if (subject.empty() || claim.subject.empty()) return false;
    if (claim.subject == subject || claim.subject == without_request(subject)) return true;
    return !claim.quoted && without_request(claim.subject) == without_request(subject);
}

std::optional<bool> takes_out(const SubjectClaim& claim, std::string_view subject) {
    const auto own = read_subject(subject);
    if (!is_about(claim, own ? std::string_view(own->subject) : subject)) return std::nullopt;
    return claim.removes != (own && own->removes);
}

}  // namespace vigil::history
