#include "service/store/shrink.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t fewest_pages = 2048;  // of 4 KiB
constexpr int incremental = 2;               // auto_vacuum, as SQLite numbers it

}  // namespace

bool should_shrink(Pages pages) {
    return pages.unused > fewest_pages && pages.unused > pages.all / 10;
}

bool shrink_slice(Database& writer) {
    const auto pages = [&] {
        return Pages{
            writer.find<std::int64_t>("PRAGMA freelist_count").value_or(0),
            writer.find<std::int64_t>("PRAGMA page_count").value_or(0)};
    };
    if (!should_shrink(pages()) ||
        writer.find<int>("PRAGMA auto_vacuum").value_or(0) != incremental) {
        return false;
    }
    writer.execute_script("PRAGMA incremental_vacuum(256)");
    return should_shrink(pages());
}

}  // namespace vigil::service
