#include "worker/bench/operators/chains.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace vigil_bench {

namespace {

/// What is in some memory now, and who wrote it.
struct Value {
    std::size_t writer = 0;
    std::size_t readers = 0;
    std::size_t last_reader = 0;
};

}  // namespace

std::vector<std::vector<std::size_t>> find_chains(const std::vector<MemoryCall>& calls) {
    std::unordered_map<const void*, Value> values;
    // Of each call, the only reader of what it wrote.
    std::vector<std::optional<std::size_t>> only_reader(calls.size());
    const auto end = [&](const Value& value) {
        if (value.readers == 1) only_reader[value.writer] = value.last_reader;
    };
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto& call = calls[i];
        for (const void* const memory : call.reads) {
            const auto value = values.find(memory);
            if (value == values.end()) continue;
            ++value->second.readers;
            value->second.last_reader = i;
        }
        if (call.writes == nullptr || call.is_in_place) continue;
        const auto [value, is_new] = values.try_emplace(call.writes, Value{i, 0, 0});
        if (is_new) continue;
        end(value->second);
        value->second = {i, 0, 0};
    }
    for (const auto& [memory, value] : values) end(value);

    const auto next_of = [&](std::size_t i) -> std::optional<std::size_t> {
        const auto next = only_reader[i];
        if (!calls[i].is_element_wise || !next || !calls[*next].is_element_wise) return {};
        const auto& reader = calls[*next];
        const bool is_second =
            reader.is_symmetric && reader.reads.size() > 1 && reader.reads[1] == calls[i].writes;
        return reader.reads.front() == calls[i].writes || is_second ? next : std::nullopt;
    };
    std::vector<bool> is_inner(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (const auto next = next_of(i)) is_inner[*next] = true;
    }
    std::vector<std::vector<std::size_t>> chains;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (is_inner[i]) continue;
        std::vector<std::size_t> chain{i};
        while (const auto next = next_of(chain.back())) chain.push_back(*next);
        if (chain.size() > 1) chains.push_back(std::move(chain));
    }
    return chains;
}

}  // namespace vigil_bench
