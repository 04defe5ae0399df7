#include "worker/bench/models/model_list.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "worker/bench/arguments/paper_names.hpp"
#include "worker/bench/models/input_size.hpp"
#include "worker/bench/models/zoo.hpp"

namespace vigil_bench {

namespace {

/// The home-made ones first.
std::vector<ZooModel> all_models() {
    auto all = home_made_models();
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
        const bool counted = model.domain == home_made_domain;
        list.push_back(
            {{"name", model.name},
             {"domain", model.domain},
             {"parameters", counted ? model.parameters : count_parameters(model.name)},
             {"source_parameters", model.parameters},
             {"source", model.source},
             {"infer_batch", model.infer_batch},
             {"train_batch", model.train_batch},
             {"description", model.description}});
        for (const auto& sized : sized_models()) {
            if (sized.model != model.name) continue;
            list.back()["sizes"] = {{"small", sized.small}, {"published", sized.published}};
        }
    }
    return nlohmann::json{{"models", list}}.dump() + "\n";
}

/// One line a name. Parameters are counted where the model is compiled in.
std::string as_paper() {
    std::string text;
    const auto all = zoo_models();
    for (const auto& row : paper_names()) {
        const bool is_here = std::any_of(
            all.begin(), all.end(), [&](const auto& model) { return model.name == row.model; });
        nlohmann::ordered_json line{{"paper", row.paper}, {"model", nullptr}, {"why", row.why}};
        if (!row.model.empty()) line["model"] = row.model;
        line["source_parameters"] = nullptr;
        if (row.parameters > 0) line["source_parameters"] = row.parameters;
        line["parameters"] = nullptr;
        if (is_here) line["parameters"] = count_parameters(row.model);
        text += line.dump() + "\n";
    }
    return text;
}

}  // namespace

std::string domain_of(const std::string& model) {
    if (is_model_file(model)) return "file";
    if (is_home_made(model)) return home_made_domain;
    for (const auto& one : zoo_models()) {
        if (one.name == model) return one.domain;
    }
    return "";
}

std::string model_list(ListFormat format) {
    if (format == ListFormat::paper) return as_paper();
    return format == ListFormat::json ? as_json() : as_text();
}

}  // namespace vigil_bench
