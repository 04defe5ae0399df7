#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/job_json.hpp"
#include "service/local/answer.hpp"
#include "service/local/compare.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;

std::string verdict_line(const CompareResult& result) {
    const auto& judgement = result.judgement;
    if (result.stopped) return "stopped before a verdict";
    if (!judgement.decided) return "unsure";
    switch (judgement.verdict) {
        case Verdict::regression: return "worse";
        case Verdict::improvement: return "better";
        case Verdict::drift: return "worse, not beyond the threshold";
        case Verdict::noise: return "no change beyond the threshold";
        default: return "unsure";
    }
}

std::string_view compared_word(const CompareResult& result) {
    const auto& judgement = result.judgement;
    if (result.stopped) return "stopped";
    if (!judgement.decided) return "unsure";
    switch (judgement.verdict) {
        case Verdict::regression: return "worse";
        case Verdict::improvement: return "better";
        case Verdict::drift: return "drift";
        case Verdict::noise: return "same";
        default: return "unsure";
    }
}

json side_json(const history::Commit& commit) {
    return {
        {"revision", commit.revision.str()},
        {"author", commit.author},
        {"subject", commit.subject},
        {"merge", commit.merge}};
}

}  // namespace

std::string compare_text(const CompareResult& result) {
    const Comparison& c = result.judgement.comparison;
    const Metric metric = metric_of(result.order.measure);
    const std::string verdict = verdict_line(result);
    const std::string& reason = result.judgement.reason;
    const bool said = reason.starts_with(verdict) || reason.empty();
    std::string text = fmt::format(
        "\n{}{}{}\n", said ? "" : verdict, said ? "" : ": ", reason.empty() ? verdict : reason);
    if (c.runs_before > 0) {
        text += fmt::format(
            "  {:<7}  {}, 90 % interval {} to {}\n",
            to_string(result.order.measure),
            percent_text(c.change_ratio),
            percent_text(c.low),
            percent_text(c.high));
        text += fmt::format(
            "  good     {}  {}  {}\n",
            value_text(c.before, metric),
            result.good.revision.brief(),
            text::one_line(result.good.subject, 60));
        text += fmt::format(
            "  bad      {}  {}  {}\n",
            value_text(c.after, metric),
            result.bad.revision.brief(),
            text::one_line(result.bad.subject, 60));
        text += fmt::format(
            "  P(above {:.4g} %) {:.3f}; {} + {} runs, {}\n",
            100 * result.order.threshold,
            c.above,
            c.runs_before,
            c.runs_after,
            text::short_duration(result.seconds));
    }
    if (!result.hint.empty()) text += "  " + result.hint + "\n";
    return text;
}

json compare_json(const CompareResult& result) {
    json samples = json::array();
    for (const auto& run : result.runs) {
        samples.push_back(
            {{"side", run.side == detect::Side::a ? "good" : "bad"},
             {"block", run.block},
             {"value", run.value}});
    }
    json value = asked_json(result.order);
    value.update(
        {{"verdict", compared_word(result)},
         {"reason", result.judgement.reason},
         {"comparison", wire::to_json(result.judgement.comparison)},
         {"good", side_json(result.good)},
         {"bad", side_json(result.bad)},
         {"stopped", result.stopped},
         {"runs", result.runs.size()},
         {"runs_failed", result.runs_failed},
         {"builds", result.builds},
         {"seconds", result.seconds},
         {"same_product", result.same_product},
         {"values", std::move(samples)}});
    return value;
}

}  // namespace vigil::local
