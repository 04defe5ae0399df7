#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bisect/detect/series_watch.hpp"

namespace vigil::cli {

/// The closed loop behind `vigil confirm --stdio`: one JSON object a line. The other side measures
/// nights and runs; this one says what to run again, and what the night came to.
///
///   -> {"type":"start","metric":"time","direction":"lower_is_better","threshold":0.07,
///       "history":[[10.1,10.2,10.0],...]}        the oldest night first; its builds are -n..-1
///   <- {"ready":true}
///   -> {"type":"night","night":0,"values":[11.2,11.1,11.3]}
///   <- {"run":[-1,0]}                            fresh processes of these builds, in this order
///   -> {"type":"results","values":[10.1,11.2]}
///   <- {"done":{"verdict":"regression","old":-1,"new":0,"effect":0.1,"low":0.09,"high":0.11,
///       "p_above":0.99,"reason":"..."}}          or more runs; "none" when nothing was suspicious
///   -> {"type":"end"}                            no answer; another start may follow
class ConfirmTalk {
  public:
    explicit ConfirmTalk(detect::BarRules trigger = {}) : trigger_(trigger) {}

    /// @return  the answer to one line, "" for none; a line that cannot be read, or comes out of
    ///          turn, is answered by {"error":"..."} and changes nothing
    std::string answer(const std::string& line);

  private:
    nlohmann::json start(const nlohmann::json& hello);
    nlohmann::json take_night(const nlohmann::json& message);
    nlohmann::json take_results(const nlohmann::json& message);
    detect::SeriesWatch& series();

    detect::BarRules trigger_;
    std::optional<detect::SeriesWatch> series_;
};

}  // namespace vigil::cli
