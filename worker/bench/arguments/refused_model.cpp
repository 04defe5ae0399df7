#include "worker/bench/arguments/refused_model.hpp"

#include <algorithm>

#include "worker/bench/arguments/nearest_name.hpp"
#include "worker/bench/arguments/paper_names.hpp"

namespace vigil_bench {

std::string why_no_model(
    const std::string& name,
    const std::vector<std::string>& here,
    const std::vector<std::string>& zoo) {
    const PaperName* const row = find_paper_name(name);
    if (row != nullptr && row->model.empty()) {
        return "there is no model '" + name + "': " + row->why;
    }
    const auto& model = row == nullptr ? name : row->model;
    if (std::find(zoo.begin(), zoo.end(), model) != zoo.end()) {
        return "model '" + name + "' is not compiled into this vigil-bench: configure it with " +
               "-DVIGIL_BENCH_ZOO=" + model + ", or with ON for all models, and build it again";
    }
    std::vector<std::string> names = here;
    names.insert(names.end(), zoo.begin(), zoo.end());
    for (const auto& one : paper_names()) names.push_back(one.paper);
    return "unknown model '" + name + "'; see --list" + suggestion(name, names);
}

}  // namespace vigil_bench
