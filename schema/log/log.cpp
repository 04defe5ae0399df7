#include "schema/log/log.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"

namespace vigil {

namespace {

constexpr std::size_t max_value_bytes = 2000;

constexpr std::array levels{
    std::pair{std::string_view("trace"), spdlog::level::trace},
    std::pair{std::string_view("debug"), spdlog::level::debug},
    std::pair{std::string_view("info"), spdlog::level::info},
    std::pair{std::string_view("warn"), spdlog::level::warn},
    std::pair{std::string_view("error"), spdlog::level::err},
    std::pair{std::string_view("critical"), spdlog::level::critical}};

spdlog::level::level_enum level_of(std::string_view level) {
    const auto* found = std::find_if(
        levels.begin(), levels.end(), [&](const auto& known) { return known.first == level; });
    if (found == levels.end()) {
        throw Error(
            Errc::invalid_argument,
            "unknown log level; the choices are trace, debug, info, warn, error, critical");
    }
    return found->second;
}

/// The word for a level that the config uses too: spdlog's own writes "warning".
class LevelWord : public spdlog::custom_flag_formatter {
  public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line)
        override {
        const auto* found = std::find_if(levels.begin(), levels.end(), [&](const auto& known) {
            return known.second == message.level;
        });
        line.append(found->first.data(), found->first.data() + found->first.size());
    }
    std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
        return std::make_unique<LevelWord>();
    }
};

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

void start_logging(std::string_view level, std::string_view worker) {
    const auto found = level_of(level);
    auto logger = std::make_shared<spdlog::logger>(
        "vigil", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    std::string name;
    if (!worker.empty()) {
        name = " worker=";
        // A percent sign would begin one of the pattern's fields.
        for (const char c : log_value(worker)) name.append(c == '%' ? 2 : 1, c);
    }
    auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    formatter->add_flag<LevelWord>('*').set_pattern(
        "time=%Y-%m-%dT%H:%M:%S.%eZ level=%*" + name + " %v");
    logger->set_formatter(std::move(formatter));
    logger->set_level(found);
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
}

void set_log_level(std::string_view level) {
    spdlog::set_level(level_of(level));
}

void log_failure(std::string_view event, const std::exception_ptr& failure) {
    if (!failure) return;
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& error) {
        log_error(event, {{"error", error.what()}});
    }
}

}  // namespace vigil
