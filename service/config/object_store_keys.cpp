#include "service/config/keys.hpp"
#include "service/config/text_rules.hpp"

// The keys of the store that workers get content from.

namespace vigil::service {

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
