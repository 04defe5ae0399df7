#pragma once

#include <memory>
#include <sstream>
#include <string>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

namespace vigil::test {

/// The lines that `log` writes, without time and level.
template <class Log>
std::string logged(Log log) {
    const auto before = spdlog::default_logger();
    std::ostringstream out;
    auto logger = std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_st>(out));
    logger->set_pattern("%v");
    spdlog::set_default_logger(logger);
    log();
    spdlog::set_default_logger(before);
    return out.str();
}

}  // namespace vigil::test
