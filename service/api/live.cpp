#include "service/api/live.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/listing.hpp"
#include "service/store/events.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

bool fits(const std::optional<std::string>& wish, const std::string& is) {
    return !wish || *wish == is;
}

std::optional<std::int64_t> last_event_id(const http::Request& request) {
    const auto text = request.header("last-event-id").value_or("");
    if (text.empty()) return std::nullopt;
    std::int64_t id = 0;
    const auto* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, id);
    if (error != std::errc() || at != end || id < 0) {
        throw Error(Errc::invalid_argument, "the Last-Event-ID is not the number of an event");
    }
    return id;
}

}  // namespace

bool EventWish::wants(const LiveEvent& event) const {
    return fits(project, event.project) && fits(kind, event.kind) && fits(subject, event.subject);
}

EventWish read_event_wish(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {"project", "kind", "subject", "after"});
    const Filters filters(request, db, context.config);
    for (const char* name : {"project", "kind", "subject"}) {
        static_cast<void>(filters.value("event", name));  // refuses what names nothing
    }
    const auto newest = find_newest_event(db).value;
    auto after = last_event_id(request);
    if (!after) after = number_filter(request, "after");
    return {
        text_filter(request, "project"),
        text_filter(request, "kind"),
        text_filter(request, "subject"),
        std::min(after.value_or(newest), newest)};
}

std::vector<LiveEvent> load_live_events(Database& db, std::int64_t after, int limit) {
    std::vector<LiveEvent> events;
    for (const auto& event : lists::load_events_after(db, after, limit)) {
        const auto id = event.at("id").get<std::int64_t>();
        const auto& project = event.at("project");
        events.push_back(
            {id,
             project.is_string() ? project.get<std::string>() : "",
             event.at("kind").get<std::string>(),
             event.at("subject").get<std::string>(),
             "id: " + std::to_string(id) + "\ndata: " + wire::write_json(event) + "\n\n"});
    }
    return events;
}

}  // namespace vigil::service
