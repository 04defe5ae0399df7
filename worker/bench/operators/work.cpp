#include "worker/bench/operators/work.hpp"

#include <algorithm>
#include <string_view>

#include "worker/bench/operators/work_rules.hpp"

namespace vigil_bench {

namespace {

std::string plain_name(const std::string& name) {
    constexpr std::string_view of_aten = "aten::";
    const bool is_aten = name.compare(0, of_aten.size(), of_aten) == 0;
    return is_aten ? name.substr(of_aten.size()) : name;
}

/// "add_" and "add" count alike; "_softmax" keeps what it begins with.
std::string without_place(std::string name) {
    if (name.size() > 1 && name.back() == '_') name.pop_back();
    return name;
}

bool is_view(const OperatorShapes& call, const std::string& name) {
    if (call.outputs.empty() || (!name.empty() && name.back() == '_')) return false;
    return std::all_of(call.outputs.begin(), call.outputs.end(), [](const TensorShape& one) {
        return one.is_shared;
    });
}

double largest_count(const OperatorShapes& call) {
    double largest = 0;
    for (const auto& argument : call.arguments) {
        for (const auto& tensor : argument.tensors) largest = std::max(largest, tensor.count());
    }
    for (const auto& output : call.outputs) largest = std::max(largest, output.count());
    return largest;
}

double bytes_of(const OperatorShapes& call, const std::string& name) {
    double written = 0;
    for (const auto& output : call.outputs) written += output.bytes();
    double read = 0;
    bool is_first = true;
    for (const auto& argument : call.arguments) {
        for (const auto& tensor : argument.tensors) {
            const bool is_part = is_first && reads_a_part(name);
            read += is_part ? std::min(written, tensor.bytes()) : tensor.bytes();
            is_first = false;
        }
    }
    return read + written;
}

}  // namespace

double TensorShape::count() const {
    double product = 1;
    for (const auto size : sizes) product *= static_cast<double>(size);
    return product;
}

Work operator+(const Work& a, const Work& b) {
    return {
        a.product_flops + b.product_flops,
        a.other_flops + b.other_flops,
        a.bytes + b.bytes,
        a.is_known && b.is_known};
}

Work divided(const Work& work, double parts) {
    return {
        work.product_flops / parts, work.other_flops / parts, work.bytes / parts, work.is_known};
}

Work work_of(const OperatorShapes& call) {
    const auto full = plain_name(call.name);
    const auto name = without_place(full);
    Work work;
    work.is_known = true;
    if (is_allocation(name) || is_view(call, full)) return work;
    work.bytes = bytes_of(call, name);
    if (const auto products = product_flops_of(name, call)) {
        work.product_flops = *products;
    } else if (const auto windows = window_flops_of(name, call)) {
        work.other_flops = *windows;
    } else if (const auto each = flops_per_element(name)) {
        work.other_flops = *each * largest_count(call);
    } else {
        work.is_known = is_without_flops(name);
    }
    return work;
}

Work with_calls(const Work& own, const Work& within) {
    if (own.product_flops > 0) return own;
    // Not within: a conversion of a number, or memory that is filled first.
    const bool is_more = own.flops() > within.flops() ||
                         (own.flops() == within.flops() && own.bytes >= within.bytes);
    return is_more ? own : within;
}

}  // namespace vigil_bench
