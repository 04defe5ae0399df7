#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "worker/bench/operators/live_memory.hpp"

// Memory by the operator that allocated it. Knows nothing of LibTorch.

namespace vigil_bench {

/// One operator's.
struct OperatorMemory {
    std::string name;
    PlaceMemory memory;
    /// Operators that called it, the outermost of each call, with bytes at the peak; at most three.
    std::vector<std::pair<std::string, std::int64_t>> callers;
};

struct MemoryProfile {
    int iterations = 0;
    std::int64_t peak_bytes = 0;  ///< the sum of what operators hold then
    std::int64_t end_bytes = 0;
    std::vector<OperatorMemory> operators;  ///< the largest at the peak first
};

inline constexpr const char* before_iterations = "(before the iterations)";
inline constexpr const char* in_no_operator = "(in no operator)";

/// Says for which operator a block counts: for the innermost one that does more than allocate
/// (aten::empty counts for its caller), where there is one.
class MemoryBook {
  public:
    /// A call of an operator, of one thread.
    struct Frame {
        std::uint32_t counts = 0;     ///< place of a name: what is allocated counts for it
        std::uint32_t outermost = 0;  ///< likewise: who called all of it
    };

    /// @param bytes_before  in use now
    explicit MemoryBook(std::int64_t bytes_before);

    /// @param caller  nullptr: the program
    Frame enter(const Frame* caller, std::string_view name);

    /// @param within  nullptr: the program itself asks
    /// @return  the block's label, to be given back where it is released; above 0
    std::uint32_t allocate(const Frame* within, std::int64_t bytes);

    /// @param label  0: allocated before
    void release(std::uint32_t label, std::int64_t bytes) { live_.release(label, bytes); }

    void end_iteration() { live_.end_iteration(); }

    MemoryProfile profile() const;

  private:
    std::uint32_t place_of(std::string_view name);

    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint32_t> places_;
    /// By whom it counts for and who called that: labels.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> labels_;
    LiveMemory live_;
};

/// {"iterations", "peak_bytes", "end_bytes", "operators": [{"name", "peak_bytes", "peak_blocks",
/// "end_bytes", "grown_bytes", "callers": [{"name", "peak_bytes"}]}, ...]}; the smallest operators
/// are one row where the text would be longer than 48 KiB.
nlohmann::json memory_json(const MemoryProfile& profile);

/// The ten largest as a table for a terminal.
std::string memory_table(const MemoryProfile& profile);

}  // namespace vigil_bench
