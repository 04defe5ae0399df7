#include "service/source/wheel_name.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <boost/algorithm/string.hpp>

#include "schema/text/characters.hpp"
#include "service/source/pep440.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_file_name = 255;
constexpr std::string_view any_abi = "none";
constexpr std::string_view stable_abi = "abi3";

/// Each of a compressed set of tags, "cp310.cp311".
template <class Is>
bool any_tag(std::string_view tags, Is&& is) {
    while (!tags.empty()) {
        const auto tag = tags.substr(0, tags.find('.'));
        tags.remove_prefix(std::min(tag.size() + 1, tags.size()));
        if (is(tag)) return true;
    }
    return false;
}

/// Whether the text is a number below 2^63 and nothing else.
std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || at != end || number < 0) return std::nullopt;
    return number;
}

/// 13 of "cp313"; nothing of another implementation, or of Python 2.
std::optional<std::int64_t> minor_version(std::string_view tag, std::string_view start) {
    if (!tag.starts_with(start)) return std::nullopt;
    return whole_number(tag.substr(start.size()));
}

bool is_free_threaded(std::string_view interpreter) {
    return interpreter.ends_with('t') &&
           minor_version(interpreter.substr(0, interpreter.size() - 1), "cp3").has_value();
}

/// "cp313" of "cp313t".
std::string_view python_tag(std::string_view interpreter) {
    if (is_free_threaded(interpreter)) interpreter.remove_suffix(1);
    return interpreter;
}

/// Whether this ABI is the interpreter's own.
bool is_own_abi(std::string_view abi, std::string_view interpreter) {
    if (abi == interpreter) return true;
    // "pp310" has "pypy310_pp73"; "m" stood behind the ABI of CPython before 3.8.
    if (!interpreter.starts_with("cp")) return abi.starts_with("pypy");
    return abi.ends_with('m') && abi.substr(0, abi.size() - 1) == interpreter;
}

std::optional<std::pair<std::int64_t, std::string>> parse_build(std::string_view text) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = whole_number(text.substr(0, digits));
    if (!number) return std::nullopt;
    return std::pair(*number, std::string(text.substr(digits)));
}

}  // namespace

std::string normalised_package(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool separator = c == '-' || c == '_' || c == '.';
        if (separator && out.ends_with('-')) continue;
        out += separator ? '-' : text::lower_case(c);
    }
    return out;
}

std::optional<WheelName> parse_wheel_name(std::string_view file) {
    const std::string_view end = ".whl";
    if (!file.ends_with(end) || file.size() > max_file_name) return std::nullopt;
    file.remove_suffix(end.size());
    std::vector<std::string> parts;
    boost::split(parts, file, [](char c) { return c == '-'; });
    if (parts.size() != 5 && parts.size() != 6) return std::nullopt;  // with a build number: 6
    WheelName name;
    name.package = normalised_package(parts[0]);
    name.version = parts[1];
    if (parts.size() == 6) {
        auto build = parse_build(parts[2]);
        if (!build) return std::nullopt;
        name.build = std::move(*build);
    }
    name.python = parts[parts.size() - 3];
    name.abi = parts[parts.size() - 2];
    name.platform = parts.back();
    if (name.package.empty() || !parse_python_version(name.version)) return std::nullopt;
    return name;
}

bool runs_on(std::string_view platforms, std::string_view machine) {
    return any_tag(platforms, [&](std::string_view tag) {
        if (tag == "any") return true;
        const bool of_linux = tag.starts_with("manylinux") || tag.starts_with("linux");
        if (!of_linux || !tag.ends_with(machine)) return false;
        return tag.substr(0, tag.size() - machine.size()).ends_with('_');
    });
}

std::optional<int> fit_of(const WheelName& wheel, std::string_view interpreter) {
    const auto python = python_tag(interpreter);
    const auto minor = minor_version(python, "cp3");
    const auto not_newer = [&](std::string_view tag, std::string_view start) {
        const auto of_tag = minor_version(tag, start);
        return minor && of_tag && *of_tag <= *minor;
    };
    const bool is_its = any_tag(wheel.python, [&](std::string_view tag) { return tag == python; });
    const bool is_older =
        any_tag(wheel.python, [&](std::string_view tag) { return not_newer(tag, "cp3"); });
    const bool is_any = any_tag(
        wheel.python, [&](std::string_view tag) { return tag == "py3" || not_newer(tag, "py3"); });
    const auto has_abi = [&](std::string_view wanted) {
        return any_tag(wheel.abi, [&](std::string_view tag) { return tag == wanted; });
    };
    const bool has_own =
        any_tag(wheel.abi, [&](std::string_view tag) { return is_own_abi(tag, interpreter); });
    if (is_its && has_own) return 0;
    if (is_older && !is_free_threaded(interpreter) && has_abi(stable_abi)) return 1;
    if ((is_its || is_any) && has_abi(any_abi)) return 2;
    return std::nullopt;
}

std::string interpreter_of(const WheelName& wheel) {
    const auto free = [](std::string_view abi) { return abi == any_abi || abi == stable_abi; };
    if (any_tag(wheel.abi, free)) return "";
    const std::string python = wheel.python.substr(0, wheel.python.find('.'));
    const bool has_own = fit_of(wheel, python) == 0;
    return !has_own && fit_of(wheel, python + "t") == 0 ? python + "t" : python;
}

}  // namespace vigil::service
