#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

http::Response get_series(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {"limit"});
    const Page page = parse_page(request);
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto series = load_one(db, lists::series, id);
    series["points"] = lists::load_points(db, id, page.limit);
    return object_response(series);
}

}  // namespace vigil::service
