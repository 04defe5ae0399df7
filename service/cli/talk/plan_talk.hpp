#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bisect/search/driver.hpp"

namespace vigil::cli {

/// The search behind `vigil bisect plan --stdio`: one JSON object a line. The other side builds and
/// measures; the planner says what to measure next, and in the end what it found.
///
///   -> {"type":"start","candidates":70,"workers":1,"threshold":0.07,"alert":0.1,...}
///   <- {"ready":true,"mode":"async","persistent":true}
///   -> {"type":"results","results":[{"job":0,"commit":35,"value":101.2},...]}
///   <- {"run":[{"seq":[0,35,35,0]}]}    jobs are numbered from 0 in the order they are asked for
///   <- {"done":{"verdict":"culprit","culprits":[{"lo":20,"hi":20,"p":0.99,"effect":0.09}]}}
///   -> {"type":"end"}                   no answer; another start may follow
class PlanTalk {
  public:
    /// @return  the answer to one line, "" for none; a line that cannot be read, or comes out of
    ///          turn, is answered by {"error":"..."} and changes nothing
    std::string answer(const std::string& line);

  private:
    nlohmann::json start(const nlohmann::json& hello);
    nlohmann::json take_results(const nlohmann::json& message);
    void take_result(const nlohmann::json& result);
    nlohmann::json done_of(const search::Decision& decision) const;

    bool started_ = false;
    search::Problem problem_;
    search::Driver driver_;
    int results_ = 0;  ///< so far: within a probe, results count in the order they came in
};

}  // namespace vigil::cli
