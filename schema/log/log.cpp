#include "schema/log/log.hpp"

#include <algorithm>

#include <spdlog/spdlog.h>

#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"

namespace vigil {

namespace {

constexpr std::size_t max_value_bytes = 2000;

void log_line(spdlog::level::level_enum level, std::string_view event, LogFields fields) {
    auto* logger = spdlog::default_logger_raw();
    if (!logger->should_log(level)) return;
    std::string line(event);
    for (const auto& field : fields) line.append(" ").append(field.text());
    logger->log(level, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

std::string log_value(std::string_view text) {
    const auto shown = text::first_bytes(text, max_value_bytes);
    const bool plain = !shown.empty() && shown.size() == text.size() &&
                       std::all_of(shown.begin(), shown.end(), [](char c) {
                           return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
                       });
    if (plain) return std::string(shown);
    std::string out = "\"";
    text::append_escaped(out, shown);
    if (shown.size() != text.size()) out += "...";
    return out + '"';
}

LogField::LogField(std::string_view key, std::string_view text)
    : text_(std::string(key) + "=" + log_value(text)) {}

void log_debug(std::string_view event, LogFields fields) {
    log_line(spdlog::level::debug, event, fields);
}

void log_info(std::string_view event, LogFields fields) {
    log_line(spdlog::level::info, event, fields);
}

void log_warn(std::string_view event, LogFields fields) {
    log_line(spdlog::level::warn, event, fields);
}

void log_error(std::string_view event, LogFields fields) {
    log_line(spdlog::level::err, event, fields);
}

void log_critical(std::string_view event, LogFields fields) {
    log_line(spdlog::level::critical, event, fields);
}

}  // namespace vigil
