#include "service/config/document.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_config_bytes = std::size_t{8} << 20;

std::string pointer(const std::vector<std::string>& steps, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        const auto& step = steps[i];
        const bool element = step.starts_with('[');
        text += "/" + (element ? step.substr(1, step.size() - 2) : wire::pointer_step(step));
    }
    return text;
}

}  // namespace

ConfigDocument::ConfigDocument(std::string_view text, std::string file)
    : file_(std::move(file)), root_(std::make_unique<nlohmann::json>()) {
    wire::JsonLimits limits;
    limits.max_bytes = max_config_bytes;
    limits.comments = wire::Comments::allowed;
    *root_ = wire::parse_json(text, file_, limits, positions_);
}

ConfigDocument::~ConfigDocument() = default;

void ConfigDocument::refuse(const std::vector<std::string>& steps, const std::string& why) const {
    int line = 1;
    for (auto count = steps.size();; --count) {
        const auto found = positions_.find(pointer(steps, count));
        if (found != positions_.end()) {
            line = found->second.line;
            break;
        }
        if (count == 0) break;
    }
    const auto path = steps.empty() ? "the config" : key_path(steps);
    throw Error(Errc::invalid_argument, fmt::format("{}:{}: {} {}", file_, line, path, why));
}

std::string key_path(const std::vector<std::string>& steps) {
    std::string path;
    for (const auto& step : steps) {
        if (!path.empty() && !step.starts_with('[')) path += '.';
        path += step;
    }
    return path;
}

}  // namespace vigil::service
