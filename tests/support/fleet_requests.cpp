#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/watch/requested/improvements.hpp"
#include "service/watch/requested/missed.hpp"
#include "service/watch/requested/requests.hpp"
#include "tests/support/fleet.hpp"

// What a person asks the fleet to measure.

namespace vigil::tests {

using namespace vigil::service;

RequestId Fleet::request(NewRequest wanted) {
    RequestId id;
    transact([&](Database& db) {
        wanted.project = ensure_project(db, "lab", now_s_);
        id = add_request(db, wanted, now_s_);
    });
    settle();
    return id;
}

// Every step that does something tells of it.
bool Fleet::advance_requests() {
    const auto before = find_newest_event(db_);
    for (const auto open : list_open_requests(db_, 100)) {
        transact([&](Database& db) { advance_request(db, config_, open, now_s_); });
    }
    transact([&](Database& db) { settle_missed(db, config_, now_s_); });
    transact([&](Database& db) { settle_improvements(db, now_s_); });
    return find_newest_event(db_) != before;
}

bool Fleet::supply_names() {
    const auto missing = list_missing_names(db_, 100);
    for (const auto& one : missing) {
        transact([&](Database& db) { name(db, one); });
    }
    return !missing.empty();
}

void Fleet::name(Database& db, const MissingName& missing) {
    for (int commit = 0; commit < world_.commits; ++commit) {
        if (revision(commit) != missing.name) continue;
        NightlyOffer offer;
        offer.revision = Revision(missing.name);
        record_named(db, missing, offer, now_s_);
        return;
    }
    record_unnamed(db, missing, "no such commit", now_s_);
}

}  // namespace vigil::tests
