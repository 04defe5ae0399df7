#include "service/store/work/same_trees.hpp"

namespace vigil::service {

std::vector<Digest> list_built_archives(
    Database& db, BuildId source, const Digest& recipe, int limit) {
    return db.all<Digest>(
        "SELECT a.input_digest FROM build s JOIN build a ON a.project_id = s.project_id "
        "AND a.revision = s.revision AND a.input_kind = 'archive' WHERE s.id = ?1 "
        "AND EXISTS (SELECT 1 FROM product p WHERE p.build_id = a.id AND p.recipe_digest = ?2 "
        "AND p.state = 'built') ORDER BY a.id DESC LIMIT ?3",
        source,
        recipe,
        limit);
}

void share_products(Database& db, BuildId source, const Digest& recipe, const Digest& archive) {
    db.execute(
        "INSERT INTO product(build_id, recipe_digest, toolchain, state, digest, log_digest, "
        "duration_ns, created_at_s) SELECT s.id, p.recipe_digest, p.toolchain, p.state, "
        "p.digest, p.log_digest, p.duration_ns, p.created_at_s FROM build s JOIN build a "
        "ON a.project_id = s.project_id AND a.revision = s.revision "
        "AND a.input_kind = 'archive' AND a.input_digest = ?3 JOIN product p "
        "ON p.build_id = a.id AND p.recipe_digest = ?2 AND p.state = 'built' WHERE s.id = ?1 "
        "ON CONFLICT DO NOTHING",
        source,
        recipe,
        archive);
}

}  // namespace vigil::service
