#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// Table `self_test`: the regressions that the daemon plants in its own project.

namespace vigil::service {

/// One that is to be reported.
struct OpenSelfTest {
    std::int64_t number = 0;  ///< of its night, from 1
    bool is_missed = false;   ///< its time was over at an earlier look
    std::string benchmark;    ///< that is slower
    Revision revision;        ///< the planted commit
    std::int64_t planted_at_s = 0;
    std::int64_t due_at_s = 0;
};

/// A new night of the self-test, before its commits are made; one that was cut off is taken up.
/// @return  its number, from 1
std::int64_t begin_self_test(Database& db, std::int64_t now_s);

/// The commits of a night are made. @param planted  of the regression; nullopt: it is quiet
struct PlantedRegression {
    std::string benchmark;
    Revision revision;
    std::int64_t due_at_s = 0;
};
void record_planted(
    Database& db, std::int64_t number, const std::optional<PlantedRegression>& planted);

/// Those that wait or were missed, oldest first; of the missed ones the newest few.
std::vector<OpenSelfTest> list_open_self_tests(Database& db);

void note_self_test_reported(Database& db, std::int64_t number, std::int64_t at_s);
void note_self_test_missed(Database& db, std::int64_t number);

/// When the newest planted regression that was reported was planted, UTC.
std::optional<std::int64_t> find_reported_self_test_s(Database& db);

/// When a report that names this commit as the culprit of a regression was written, and every
/// target had it.
std::optional<std::int64_t> find_culprit_report_s(
    Database& db, ProjectId project, const Revision& culprit);

/// How far a planted regression has come, in words for a person.
std::string self_test_stage(Database& db, ProjectId project, const OpenSelfTest& test);

}  // namespace vigil::service
