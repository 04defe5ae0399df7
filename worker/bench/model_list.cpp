#include "worker/bench/model_list.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "worker/bench/models.hpp"
#include "worker/bench/zoo.hpp"

namespace vigil_bench {

namespace {

constexpr const char* home_made = "operators";

std::int64_t count_parameters_of(const ModelEntry& model) {
    constexpr std::uint64_t any_seed = 1;
    std::int64_t count = 0;
    for (const auto& parameter : make_problem(model, 1, any_seed).parameters) {
        count += parameter.numel();
    }
    return count;
}

/// The home-made ones first.
std::vector<ZooModel> all_models() {
    std::vector<ZooModel> all;
    for (const auto& model : models()) {
        all.push_back(
            {model.name,
             home_made,
             model.description,
             count_parameters_of(model),
             model.infer_batch,
             model.train_batch});
    }
    const auto zoo = zoo_models();
    all.insert(all.end(), zoo.begin(), zoo.end());
    return all;
}

std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, text.size()), ' ') + " ";
}

std::string as_text() {
    std::string text;
    for (const auto& model : all_models()) {
        const auto batches =
            std::to_string(model.infer_batch) + "/" + std::to_string(model.train_batch);
        text += padded(model.name, 27) + padded(model.domain, 14) +
                padded(std::to_string(model.parameters), 9) + " parameters  batch " +
                padded(batches, 7) + model.description + "\n";
    }
    return text;
}

std::string as_json() {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& model : all_models()) {
        const bool counted = model.domain == home_made;
        list.push_back(
            {{"name", model.name},
             {"domain", model.domain},
             {"parameters", counted ? model.parameters : count_parameters(model.name)},
             {"infer_batch", model.infer_batch},
             {"train_batch", model.train_batch},
             {"description", model.description}});
    }
    return nlohmann::json{{"models", list}}.dump() + "\n";
}

}  // namespace

std::string model_list(ListFormat format) {
    return format == ListFormat::json ? as_json() : as_text();
}

}  // namespace vigil_bench
