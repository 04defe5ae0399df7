#include "tests/integration/torch/loops.hpp"

#include <stdexcept>

namespace vigil_bench::zoo::loops {

Tensor filled(const std::vector<std::int64_t>& sizes, const Value& value) {
    Tensor all = torch::empty(sizes, torch::kDouble);
    double* next = all.data_ptr<double>();
    for (std::int64_t i = 0; i < sizes[0]; ++i) {
        for (std::int64_t j = 0; j < sizes[1]; ++j) {
            for (std::int64_t k = 0; k < sizes[2]; ++k) *next++ = value(i, j, k);
        }
    }
    return all;
}

std::shared_ptr<Network> model(const std::string& name) {
    for (const auto& entry : entries()) {
        if (entry.name == name) return entry.make();
    }
    throw std::logic_error("there is no model '" + name + "'");
}

Tensors corner(const Tensors& inputs) {
    constexpr std::int64_t side = 24;
    Tensors parts;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Tensor part = inputs[i].to(torch::kDouble);
        const std::int64_t first = i < 13 ? 0 : 1;  // behind the batch
        const bool level = i >= 6 && i <= 8;
        if (!level) part = part.narrow(first, 0, side);
        if (!level && part.dim() > first + 1) part = part.narrow(first + 1, 0, side);
        parts.push_back(part);
    }
    return parts;
}

void compare(const Tensors& actual, const Tensors& loops) {
    if (actual.size() != loops.size()) throw std::runtime_error("the loops have other outputs");
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const auto where = "output " + std::to_string(i);
        if (actual[i][0].sizes() != loops[i].sizes()) {
            throw std::runtime_error(where + " of the loops has another shape");
        }
        const double size = loops[i].norm().item<double>();
        const double off = (actual[i][0] - loops[i]).norm().item<double>();
        if (size > 0 && off <= 1e-9 * size) continue;
        throw std::runtime_error(
            where + " differs from the loops by " + std::to_string(off / size) + " of its size");
    }
}

}  // namespace vigil_bench::zoo::loops
