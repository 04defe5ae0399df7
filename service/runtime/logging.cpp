#include "service/runtime/logging.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "schema/model/error.hpp"

namespace vigil::service {

namespace {

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

}  // namespace

void start_logging(std::string_view level) {
    const auto found = level_of(level);
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto logger = std::make_shared<spdlog::logger>("vigil", std::move(sink));
    logger->set_pattern("time=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v", spdlog::pattern_time_type::utc);
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

}  // namespace vigil::service
