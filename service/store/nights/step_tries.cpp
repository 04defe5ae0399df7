#include "service/store/nights/step_tries.hpp"

namespace vigil::service {

namespace {

std::string step_of(NightlyId nightly) {
    return "nightly/" + to_string(nightly);
}

}  // namespace

StepTries load_tries(Database& db, NightlyId nightly) {
    auto rows =
        db.query("SELECT tries, message FROM step_try WHERE subject = ?1", step_of(nightly));
    if (!rows.next()) return {};
    return {rows.get<int>(0), rows.get<std::string>(1)};
}

void add_try(Database& db, NightlyId nightly, std::int64_t now_s) {
    db.execute(
        "INSERT INTO step_try(subject, tries, message, tried_at_s) VALUES (?1, 1, '', ?2) "
        "ON CONFLICT(subject) DO UPDATE SET tries = tries + 1, tried_at_s = ?2",
        step_of(nightly),
        now_s);
}

void note_try_failed(Database& db, NightlyId nightly, const std::string& message) {
    db.execute("UPDATE step_try SET message = ?2 WHERE subject = ?1", step_of(nightly), message);
}

void end_tries(Database& db, NightlyId nightly) {
    db.execute("DELETE FROM step_try WHERE subject = ?1", step_of(nightly));
}

}  // namespace vigil::service
