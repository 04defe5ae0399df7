#pragma once

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace vigil {

/// `text` as a log's value: quoted when it holds anything but plain visible characters. Control
/// characters, bytes that are not UTF-8, and characters that are invisible or turn the reading
/// direction are escaped, so that a stranger's text cannot forge a line or a key. Cut at 2000
/// bytes.
std::string log_value(std::string_view text);

/// One `key=value` of an event, its value as `log_value` writes it.
class LogField {
  public:
    LogField(std::string_view key, std::string_view text);
    template <class Number>
    requires std::is_arithmetic_v<Number> LogField(std::string_view key, Number value)
        : LogField(key, number_text(value)) {}

    /// "key=value"
    const std::string& text() const { return text_; }

  private:
    static std::string number_text(bool value) { return value ? "true" : "false"; }
    template <class Number>
    static std::string number_text(Number value) {
        return std::to_string(value);
    }

    std::string text_;
};

using LogFields = std::initializer_list<LogField>;

// Every line of a log is written here: `log_warn("source.failed", {{"project", name}})` becomes
// `... level=warn source.failed project=tensorlab`. The event's name is one of our own words.
void log_debug(std::string_view event, LogFields fields = {});
void log_info(std::string_view event, LogFields fields = {});
void log_warn(std::string_view event, LogFields fields = {});
void log_error(std::string_view event, LogFields fields = {});
void log_critical(std::string_view event, LogFields fields = {});

/// Sends the log to standard error, one event per line:
/// `time=2026-01-02T03:04:05.678Z level=info event.name key=value ...`. Called once, at start.
/// @param level   trace, debug, info, warn, error or critical
/// @param worker  when not empty, `worker=NAME` follows the level on every line
/// @throws Error{invalid_argument} on another level
void start_logging(std::string_view level, std::string_view worker = {});

/// Changes the least important level that a running program logs.
/// @throws Error{invalid_argument} on another level
void set_log_level(std::string_view level);

/// Logs the exception that ended a detached coroutine; nothing when `failure` is null.
void log_failure(std::string_view event, const std::exception_ptr& failure);

}  // namespace vigil
