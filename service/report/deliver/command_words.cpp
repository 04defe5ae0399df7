#include "service/report/deliver/command_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "schema/model/error.hpp"
#include "schema/model/text_ids.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::service {

namespace {

constexpr std::string_view command_mark = "/vigil";
constexpr std::size_t max_line_bytes = 1000;
constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t longest_mute_s = 366 * day_s;
constexpr std::string_view known_commands =
    "`ack`, `accept REASON`, `refute REASON`, `reopen REASON`, `mute UNTIL REASON`, `rerun`, "
    "`rebisect`, `bench`";

/// The first word; `text` is left with the rest.
std::string_view take_word(std::string_view& text) {
    const auto end = text.find_first_of(" \t");
    const auto word = text.substr(0, end);
    text = end == text.npos ? "" : text::trimmed(text.substr(end));
    return word;
}

/// The first word after the mark; `line` is left with the rest.
std::string_view take_verb(std::string_view& line) {
    line.remove_prefix(std::min(command_mark.size(), line.size()));
    line = text::trimmed(line);
    return take_word(line);
}

/// "14d", "12h", or a day. nullopt: none of these.
std::optional<std::int64_t> read_end(std::string_view word, std::int64_t now_s) {
    std::int64_t count = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), count);
    const auto unit = word.substr(static_cast<std::size_t>(read.ptr - word.data()));
    if (read.ec == std::errc{} && (unit == "d" || unit == "h") && count > 0 && count < 10'000) {
        return now_s + count * (unit == "d" ? day_s : 3600);
    }
    try {
        return text::parse_day(std::string(word));
    } catch (const Error&) {
        return std::nullopt;
    }
}

CommandWish read_mute(std::string_view rest, std::int64_t now_s) {
    const auto until_s = read_end(take_word(rest), now_s);
    if (!until_s || *until_s <= now_s || *until_s > now_s + longest_mute_s) {
        return WrongCommand{
            "`mute` needs an end within a year, as `14d`, `12h` or `2027-01-31`, and a reason"};
    }
    if (rest.empty()) return WrongCommand{"`mute` needs a reason after its end"};
    return MuteCommand{*until_s, std::string(rest)};
}

/// nullopt: it is none of these.
std::optional<CommandWish> read_measuring(std::string_view verb, std::string_view rest) {
    static constexpr std::array kinds{
        std::pair{std::string_view("rerun"), MeasureCommand::rerun},
        std::pair{std::string_view("rebisect"), MeasureCommand::rebisect},
        std::pair{std::string_view("bench"), MeasureCommand::bench}};
    for (const auto& [name, kind] : kinds) {
        if (verb != name) continue;
        if (rest.empty()) return kind;
        return WrongCommand{"`" + std::string(name) + "` stands alone below an issue"};
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> find_command(std::string_view comment) {
    const auto first = comment.find_first_not_of(" \t\r\n");
    if (first == comment.npos) return std::nullopt;
    comment.remove_prefix(first);
    const auto line = text::trimmed(comment.substr(0, comment.find('\n')));
    if (!line.starts_with(command_mark)) return std::nullopt;
    const bool ends = line.size() == command_mark.size() || line[command_mark.size()] == ' ';
    if (!ends || line.size() > max_line_bytes) return std::nullopt;
    return std::string(line);
}

CommandWish read_command(std::string_view line, std::int64_t now_s) {
    using S = RegressionState;
    static constexpr std::array decisions{
        std::pair{std::string_view("ack"), S::acknowledged},
        std::pair{std::string_view("acknowledge"), S::acknowledged},
        std::pair{std::string_view("accept"), S::accepted},
        std::pair{std::string_view("refute"), S::refuted},
        std::pair{std::string_view("reopen"), S::reported}};
    const auto verb = take_verb(line);
    if (verb == "mute") return read_mute(line, now_s);
    if (const auto measuring = read_measuring(verb, line)) return *measuring;
    for (const auto& [name, to] : decisions) {
        if (verb != name) continue;
        if (line.empty() && to != S::acknowledged) {
            return WrongCommand{"`" + std::string(name) + "` needs a reason"};
        }
        return DecideCommand{to, std::string(line)};
    }
    return WrongCommand{"this is no command; known are " + std::string(known_commands)};
}

CommandWish read_pull_command(std::string_view line) {
    if (take_verb(line) != "bench") {
        return WrongCommand{
            "below a pull request the one command is `bench`, for a fork's commit `bench HASH`"};
    }
    if (line.empty()) return PullCommand{};
    try {
        return PullCommand{Revision(std::string(line)).str()};
    } catch (const Error&) {
        return WrongCommand{"`bench` is followed by nothing, or by the full hash of a commit"};
    }
}

}  // namespace vigil::service
