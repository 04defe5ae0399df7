#include "service/store/nights/ranges.hpp"

namespace vigil::service {

std::vector<NightBetween> list_nights_between(Database& db, NightlyId good, NightlyId bad) {
    std::vector<NightBetween> nights;
    auto rows = db.query(
        "SELECT n.id, n.revision FROM night n JOIN nightly b ON b.id = ?2 "
        "AND b.project_id = n.project_id WHERE n.id > ?1 AND n.id <= ?2 ORDER BY n.id",
        good,
        bad);
    while (rows.next()) nights.push_back({rows.get<NightlyId>(0), rows.get<Revision>(1)});
    return nights;
}

}  // namespace vigil::service
