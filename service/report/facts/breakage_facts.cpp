#include "service/report/facts/night_facts.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"

namespace vigil::service {

namespace {

void load_commit(Database& db, BisectionId bisection, int position, BreakageFact& fact) {
    Query row = db.query(
        "SELECT revision, subject, author, pins, (SELECT p.log_digest FROM product p WHERE "
        "p.build_id = suspect.build_id AND p.state = 'failed' ORDER BY p.id DESC LIMIT 1) "
        "FROM suspect WHERE bisection_id = ?1 "
        "AND position = ?2",
        bisection,
        position);
    if (!row.next()) return;
    fact.culprit = row.get<Revision>(0);
    fact.subject = row.get<std::string>(1);
    fact.author = row.get<std::string>(2);
    fact.pins = row.get<std::string>(3);
    fact.log = row.get<std::optional<Digest>>(4);
}

}  // namespace

std::optional<BreakageFact> find_breakage(Database& db, NightlyId nightly) {
    Query row = db.query(
        "SELECT b.id, b.good_revision, b.state, b.conclusion, b.log_tail, (SELECT count(*) FROM "
        "suspect s WHERE s.bisection_id = b.id AND s.position > 0), (SELECT count(*) FROM probe p "
        "WHERE p.bisection_id = b.id), (SELECT o.name FROM night o WHERE o.project_id = "
        "b.project_id AND o.revision = b.good_revision AND o.id < b.nightly_id ORDER BY o.id DESC "
        "LIMIT 1), b.bad_revision FROM bisection b WHERE b.nightly_id = ?1 AND b.kind = 'build' "
        "ORDER BY b.id DESC LIMIT 1",
        nightly);
    if (!row.next()) return std::nullopt;
    BreakageFact fact;
    fact.bisection = row.get<BisectionId>(0);
    fact.good = row.get<Revision>(1);
    fact.state = row.get<BisectionState>(2);
    const auto conclusion = parse_conclusion(row.get<std::string>(3));
    fact.said = conclusion.summary;
    fact.log_tail = row.get<std::optional<std::string>>(4).value_or("");
    fact.commits = row.get<std::int64_t>(5);
    fact.builds = row.get<std::int64_t>(6);
    fact.good_night = row.get<std::optional<std::string>>(7).value_or("");
    fact.bad = row.get<Revision>(8);
    for (const auto& ending : conclusion.endings) {
        if (ending.ending != search::Ending::culprit) continue;
        load_commit(db, fact.bisection, ending.first, fact);
    }
    return fact;
}

}  // namespace vigil::service
