#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/tables/result.hpp"

namespace vigil::tables {

/// What a column of a table holds, as its header says.
struct Column {
    enum class Kind {
        ignored,  ///< known, and of no use here
        model,
        task_model,  ///< "Object Detection/DETR": domain and model
        text,        ///< `text` of the result
        count,       ///< `count` of the result
        status,
        value,    ///< `field`, times `scale`
        unknown,  ///< maybe a backend's name
    };
    Kind kind = Kind::unknown;
    std::string Result::*text = nullptr;
    std::int64_t Result::*count = nullptr;
    std::optional<Field> field = {};
    double scale = 1;
    std::string mode = {};   ///< a column of one mode: "Train active"
    bool inverse = false;    ///< how much slower: 2 is a speedup of 0.5
    bool ambiguous = false;  ///< beside names of backends it is one of them: "compile", "gpu"
};

Column parse_column(const std::string& header);

/// Whether it is what published tables call the way that nothing was done to.
bool is_base_name(const std::string& name);

/// A column that has a backend's name: "jit, ms", "A100 (batch size 4) with torch.compile".
struct BackendColumn {
    std::string backend;
    std::string version = {};     ///< "2.0" of "torch 2.0 - no compile"
    std::int64_t batch = 0;       ///< 0: as the row says
    std::optional<double> scale;  ///< seconds of its unit, when it names one
};

BackendColumn parse_backend_column(const std::string& header);

}  // namespace vigil::tables
