#include "worker/bench/operators/in_place_rows.hpp"

#include <algorithm>
#include <unordered_map>

namespace vigil_bench {

namespace {

/// Calls that follow one another, by kind.
class Window {
  public:
    /// @return  false: with this call the kinds cannot be done one after the other
    bool add(const InPlaceCall& call, std::size_t place) {
        const auto known = ranks_.find(call.kind);
        const int rank = known != ranks_.end() ? known->second : static_cast<int>(rows_.size());
        if (!may_come(call, rank)) return false;
        if (known == ranks_.end()) {
            ranks_.emplace(call.kind, rank);
            rows_.emplace_back();
        }
        rows_[static_cast<std::size_t>(rank)].push_back(place);
        for (const void* const memory : call.reads) {
            auto& read = uses_[memory].last_read;
            read = std::max(read, rank);
        }
        auto& written = uses_[call.writes].last_written;
        written = std::max(written, rank);
        return true;
    }

    void end_into(std::vector<std::vector<std::size_t>>& all) {
        for (auto& row : rows_) {
            if (row.size() >= least_row) all.push_back(std::move(row));
        }
        *this = {};
    }

  private:
    /// The ranks of the latest kinds that touched a memory; -1: none did.
    struct Uses {
        int last_read = -1;
        int last_written = -1;
    };

    /// It moves before calls of later kinds: those must not have touched what it changes, nor
    /// changed what it reads. Calls of its own kind are done at once: the same holds for them.
    bool may_come(const InPlaceCall& call, int rank) const {
        const auto uses_of = [&](const void* memory) {
            const auto found = uses_.find(memory);
            return found == uses_.end() ? Uses{} : found->second;
        };
        const Uses changed = uses_of(call.writes);
        if (std::max(changed.last_read, changed.last_written) >= rank) return false;
        return std::all_of(call.reads.begin(), call.reads.end(), [&](const void* memory) {
            return uses_of(memory).last_written < rank;
        });
    }

    std::unordered_map<std::string, int> ranks_;  ///< place in rows_, by kind
    std::vector<std::vector<std::size_t>> rows_;
    std::unordered_map<const void*, Uses> uses_;
};

}  // namespace

std::vector<std::vector<std::size_t>> find_rows(const std::vector<InPlaceCall>& calls) {
    std::vector<std::vector<std::size_t>> all;
    Window window;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (calls[i].kind.empty()) {
            window.end_into(all);
        } else if (!window.add(calls[i], i)) {
            window.end_into(all);
            window.add(calls[i], i);
        }
    }
    window.end_into(all);
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace vigil_bench
