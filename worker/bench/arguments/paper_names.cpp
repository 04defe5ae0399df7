#include "worker/bench/arguments/paper_names.hpp"

namespace vigil_bench {

const std::vector<PaperName>& paper_names() {
#define PAPER(paper, model, parameters, why) {#paper, #model, parameters, why, false},
#define TAKEN(paper, model, parameters, why) {#paper, #model, parameters, why, true},
    static const std::vector<PaperName> all{
#include "worker/bench/arguments/paper_names.inc"
    };
#undef PAPER
#undef TAKEN
    return all;
}

const PaperName* find_paper_name(const std::string& name) {
    for (const auto& row : paper_names()) {
        if (row.paper == name && !row.names_another) return &row;
    }
    return nullptr;
}

}  // namespace vigil_bench
