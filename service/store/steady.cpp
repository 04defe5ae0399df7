#include "service/store/steady.hpp"

namespace vigil::service {

std::int64_t load_steady_s(Database& db) {
    return db.find<std::int64_t>("SELECT steady_s FROM clock").value_or(0);
}

void store_steady_s(Database& db, std::int64_t steady_s) {
    db.execute("UPDATE clock SET steady_s = ?1", steady_s);
}

}  // namespace vigil::service
