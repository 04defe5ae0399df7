#include "service/runtime/logging.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "schema/model/error.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_value_bytes = 2000;

constexpr std::array levels{
    std::pair{std::string_view("trace"), spdlog::level::trace},
    std::pair{std::string_view("debug"), spdlog::level::debug},
    std::pair{std::string_view("info"), spdlog::level::info},
    std::pair{std::string_view("warn"), spdlog::level::warn},
    std::pair{std::string_view("error"), spdlog::level::err},
    std::pair{std::string_view("critical"), spdlog::level::critical}};

void append_escaped(std::string& out, char c) {
    static constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
        out += {'\\', c};
    } else if (c == '\n') {
        out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
        out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
        out += c;
    }
}

}  // namespace

void start_logging(std::string_view level) {
    const auto* found = std::find_if(
        levels.begin(), levels.end(), [&](const auto& known) { return known.first == level; });
    if (found == levels.end()) {
        throw Error(
            Errc::invalid_argument,
            "unknown log level; the choices are trace, debug, info, warn, error, critical");
    }
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto logger = std::make_shared<spdlog::logger>("vigil", std::move(sink));
    logger->set_pattern("time=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v", spdlog::pattern_time_type::utc);
    logger->set_level(found->second);
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
}

std::string log_value(std::string_view text) {
    const auto shown = text.substr(0, max_value_bytes);
    const bool plain = !shown.empty() && shown.size() == text.size() &&
                       std::all_of(shown.begin(), shown.end(), [](char c) {
                           return c > ' ' && c != 0x7f && c != '"' && c != '\\' && c != '=';
                       });
    if (plain) return std::string(shown);
    std::string out = "\"";
    for (const char c : shown) append_escaped(out, c);
    if (shown.size() != text.size()) out += "...";
    return out + '"';
}

}  // namespace vigil::service
