#pragma once

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/harness/read.hpp"

// What tests of the readers share.

namespace vigil::harness::testing {

using Lines = std::vector<std::string>;

inline Report only_report(
    const std::string& text, const ReadOptions& options = {}, const std::string& file = "file") {
    auto reports = read_reports(text, file, options);
    REQUIRE(reports.size() == 1);
    return reports[0];
}

/// "NAME|QUANTITY: 1 2" of each reading; of a failure "NAME|QUANTITY failed: why".
inline Lines values_of(const Report& report) {
    Lines lines;
    for (const auto& reading : report.readings) {
        std::string samples;
        for (const double one : reading.samples) samples += fmt::format(" {:.6g}", one);
        const auto failed = reading.samples.empty() ? " failed: " + reading.failure : ":" + samples;
        lines.push_back(reading.benchmark + "|" + reading.quantity + failed);
    }
    return lines;
}

}  // namespace vigil::harness::testing
