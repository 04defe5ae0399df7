#include "service/store/work/hooked_repositories.hpp"

namespace vigil::service {

namespace {

struct NamedRepository {
    std::int64_t github_id = 0;
    std::string name;
};

}  // namespace

HookedRepositories hooked_repositories(Database& db) {
    HookedRepositories all;
    for (auto& row : db.all<NamedRepository>(
             "SELECT github_id, name FROM hooked_repository ORDER BY seen_at_s, name")) {
        all[row.github_id].push_back(std::move(row.name));
    }
    return all;
}

void note_hooked_repository(
    Database& db, std::int64_t github_id, const std::string& name, std::int64_t now_s) {
    db.execute(
        "INSERT INTO hooked_repository(name, github_id, seen_at_s) VALUES (?1, ?2, ?3)"
        " ON CONFLICT(name) DO UPDATE SET github_id = excluded.github_id,"
        " seen_at_s = excluded.seen_at_s WHERE github_id <> excluded.github_id",
        name,
        github_id,
        now_s);
}

}  // namespace vigil::service
