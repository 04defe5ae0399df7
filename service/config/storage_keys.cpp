#include "service/config/keys.hpp"
#include "service/config/text_rules.hpp"

// The keys of what is kept, and of the store that workers get content from.

namespace vigil::service {

namespace {
constexpr std::int64_t mib = std::int64_t{1} << 20;
constexpr std::int64_t gib = 1024 * mib;
constexpr std::int64_t tib = 1024 * gib;
constexpr wire::IntegerRange days{0, 36'500};
}  // namespace

void describe_ledger(KeyVisitor& v, LedgerConfig& ledger) {
    v.integer("content_max_bytes", ledger.content_max_bytes, {64 * mib, 1024 * tib});
    v.integer("ballast_bytes", ledger.ballast_bytes, {mib, 16 * gib});
    v.small("raw_nights", ledger.raw_nights, {0, 100'000});
    v.small("product_days", ledger.product_days, days);
    v.small("archive_days", ledger.archive_days, days);
    v.small("log_days", ledger.log_days, days);
    v.text("backup_dir", ledger.backup_dir, {"path", free_path_problem});
    v.small("backup_due_s", ledger.backup_due_s, {3600, 366 * 86'400});
}

void describe_object_store(KeyVisitor& v, ObjectStoreConfig& store) {
    constexpr auto must = Presence::required;
    v.text("endpoint", store.endpoint, {"http or https URL", endpoint_problem, must});
    v.text("bucket", store.bucket, {"name of a bucket", bucket_problem, must});
    v.text("region", store.region, {"name of a region", region_problem});
    v.text(
        "access_key_file",
        store.access_key_file,
        {"path of a file that others cannot read", path_problem, must});
    v.flag("path_style", store.path_style);
    v.small("link_s", store.link_s, {10, 604'800});
}

}  // namespace vigil::service
