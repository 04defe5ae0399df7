#include "service/report/facts/mending_facts.hpp"

#include "service/store/database.hpp"

namespace vigil::service {

std::vector<MendingFact> load_mendings(
    Database& db, RegressionId regression, std::optional<NightlyId> only) {
    std::vector<MendingFact> facts;
    auto row = db.query(
        "SELECT m.nightly_id, m.bad_nightly_id, n.name, b.name, n.revision, b.revision, m.state, "
        "m.told FROM mending m JOIN nightly n ON n.id = m.nightly_id "
        "JOIN nightly b ON b.id = m.bad_nightly_id WHERE m.regression_id = ?1 "
        "AND (?2 IS NULL OR m.nightly_id = ?2) AND EXISTS (SELECT 1 FROM regression_series x "
        "WHERE x.regression_id = ?1 AND x.recovered_nightly_id = m.nightly_id) "
        "ORDER BY m.nightly_id",
        regression,
        only);
    while (row.next()) {
        MendingFact fact;
        fact.nightly = row.get<NightlyId>(0);
        fact.bad_nightly = row.get<NightlyId>(1);
        fact.night = row.get<std::string>(2);
        fact.bad_night = row.get<std::string>(3);
        fact.mended = row.get<Revision>(4);
        fact.bad = row.get<Revision>(5);
        if (row.get<std::string>(6) == "told") fact.told = parse_mending(row.get<std::string>(7));
        facts.push_back(std::move(fact));
    }
    return facts;
}

std::vector<EarlierFact> load_earlier(Database& db, RegressionId regression) {
    std::vector<EarlierFact> facts;
    auto row = db.query(
        "SELECT o.id, o.culprit, max(n.name), (SELECT s.subject FROM suspect s "
        "WHERE s.bisection_id = o.bisection_id AND s.revision = o.culprit AND s.position > 0), "
        "(SELECT x.external_ref FROM report p JOIN outbox x ON x.report_id = p.id "
        "WHERE p.regression_id = o.id AND x.external_ref LIKE 'http%' "
        "ORDER BY p.version DESC, x.id LIMIT 1) "
        "FROM regression r JOIN regression_series mine ON mine.regression_id = r.id "
        "JOIN regression_series theirs ON theirs.series_id = mine.series_id "
        "AND theirs.regression_id < r.id AND theirs.recovered_nightly_id IS NOT NULL "
        "JOIN regression o ON o.id = theirs.regression_id "
        "JOIN nightly n ON n.id = theirs.recovered_nightly_id AND n.id < r.nightly_id "
        "AND n.created_at_s > r.created_at_s - 30 * 86400 "
        "WHERE r.id = ?1 GROUP BY o.id ORDER BY o.id DESC LIMIT 3",
        regression);
    while (row.next()) {
        EarlierFact fact;
        fact.regression = row.get<RegressionId>(0);
        fact.culprit = row.get<std::optional<Revision>>(1);
        fact.night = row.get<std::string>(2);
        fact.subject = row.get<std::optional<std::string>>(3).value_or("");
        fact.issue = row.get<std::optional<std::string>>(4).value_or("");
        facts.push_back(std::move(fact));
    }
    return facts;
}

}  // namespace vigil::service
