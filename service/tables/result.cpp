#include "service/tables/result.hpp"

#include <algorithm>
#include <utility>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "service/tables/cell.hpp"
#include "service/tables/fields.hpp"

namespace vigil::tables {

namespace {

constexpr std::size_t max_notes = 500;
constexpr std::size_t max_batches = 1000;  // of one model in one way

/// A batch that is not said fits another that leaves room for what is said.
bool fits(const Result& known, const Result& more) {
    if (known.batch != 0 && more.batch != 0) return false;
    const bool both = !known.status.empty() && !more.status.empty();
    if (both && known.status != more.status) return false;
    return std::none_of(more.values.begin(), more.values.end(), [&](const auto& value) {
        return known.values.contains(value.first);
    });
}

}  // namespace

std::string way_of(const Result& result) {
    std::string way;
    for (const auto* part :
         {&result.suite,
          &result.model,
          &result.mode,
          &result.device,
          &result.precision,
          &result.backend,
          &result.setting,
          &result.version}) {
        way += *part + '\n';
    }
    return way + std::to_string(result.threads) + "," + std::to_string(result.processes) + "," +
           std::to_string(result.gpus);
}

std::optional<double> Result::get(Field field) const {
    const auto found = values.find(field);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

bool is_passing(const Result& result) {
    const std::string status = text::lower_case(result.status);
    return status == "pass" || status == "passed" || status == "pass_due_to_skip";
}

bool is_oom(const std::string& status) {
    const std::string word = text::lower_case(status);
    return word == "oom" || word.find("outofmemory") != word.npos ||
           word.find("out of memory") != word.npos || word.find("fail_oom") != word.npos;
}

bool is_unsupported(const std::string& status) {
    const std::string word = text::lower_case(status);
    return word == "unsupported" || word == "skipped" || word == "skip_by_dryrun";
}

std::string status_of_both(const std::string& status, const std::string& base) {
    return status + " in " + base + " too";
}

bool is_of_both(const std::string& status) {
    return is_unsupported(status.substr(0, status.find(' '))) && status.ends_with(" too");
}

void ResultList::note(const std::string& text) {
    if (std::find(notes_.begin(), notes_.end(), text) != notes_.end()) return;
    if (notes_.size() < max_notes) {
        notes_.push_back(text);
    } else {
        ++more_notes_;
    }
}

std::vector<std::string> ResultList::notes() const {
    auto all = notes_;
    if (more_notes_ > 0) all.push_back("and " + std::to_string(more_notes_) + " more like these");
    return all;
}

void ResultList::add(Result result, const std::string& where) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Errc::invalid_argument, "reading " + where + ": " + why);
    };
    bool fine = result.model.size() <= max_text_bytes;
    for (const auto& [name, text] : text_members) {
        fine = fine && (result.*text).size() <= max_text_bytes;
    }
    if (!fine) refuse("a name of more than 200 bytes");
    auto& same_way = by_way_[way_of(result)];
    auto at = std::find_if(same_way.begin(), same_way.end(), [&](std::size_t i) {
        return results_[i].batch == result.batch;
    });
    if (at == same_way.end()) {
        at = std::find_if(same_way.begin(), same_way.end(), [&](std::size_t i) {
            return fits(results_[i], result);
        });
    }
    if (at != same_way.end()) {
        Result& known = results_[*at];
        for (const auto& [field, value] : result.values) {
            if (!known.values.contains(field)) continue;
            refuse("'" + result.model + "' has this value already");
        }
        const bool both = !result.status.empty() && !known.status.empty();
        if (both && result.status != known.status) {
            refuse("'" + result.model + "' has another status already");
        }
        known.values.merge(result.values);
        if (known.status.empty()) known.status = result.status;
        if (known.domain.empty()) known.domain = result.domain;
        if (known.batch == 0) known.batch = result.batch;
        known.metrics.merge(result.metrics);
        known.facts.merge(result.facts);
        return;
    }
    if (results_.size() >= max_results) refuse("too many results");
    if (same_way.size() >= max_batches) refuse("too many batches of '" + result.model + "'");
    same_way.push_back(results_.size());
    results_.push_back(std::move(result));
}

}  // namespace vigil::tables
