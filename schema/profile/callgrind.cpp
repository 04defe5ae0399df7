#include "schema/profile/callgrind.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "schema/profile/fold.hpp"
#include "schema/profile/interpreter.hpp"
#include "schema/profile/project_file.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"

namespace vigil::profile {

namespace {

constexpr std::size_t most_name_bytes = 1000;
constexpr std::size_t most_columns = 64;  // positions or events of a line
constexpr std::int64_t most_line = 100'000'000;
constexpr std::string_view of_costs = "0123456789+-*";

/// A number of at most most_cost. @return nothing: it is none
std::optional<std::int64_t> number(std::string_view word) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    return whole && value >= 0 && value <= most_cost ? std::optional(value) : std::nullopt;
}

/// A line's number, which may be told by its distance to the one before: "12", "+3", "-2", "*".
std::int64_t line_after(std::int64_t last, std::string_view word) {
    if (word == "*") return last;
    const bool is_distance = word.starts_with('+') || word.starts_with('-');
    const auto value = number(is_distance ? word.substr(1) : word).value_or(0);
    const auto line = !is_distance ? value : word.front() == '+' ? last + value : last - value;
    return std::clamp<std::int64_t>(line, 0, most_line);
}

std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const auto word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

/// Names of one kind: "(12) name" gives 12 a name, "(12)" is that name again.
class Names {
  public:
    const std::string& read(std::string_view text, text::ReadBudget& budget) {
        static const std::string none;
        if (!text.starts_with('(')) return keep(plain_, text, budget);
        const auto end = text.find(')');
        if (end == text.npos) return none;
        const std::string id(text.substr(1, end - 1));
        auto rest = text.substr(end + 1);
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        const auto known = by_id_.find(id);
        if (rest.empty()) return known == by_id_.end() ? none : known->second;
        budget.row();
        budget.make(2 * text::tree_bytes + id.size() + rest.size());
        return by_id_[id] = text::one_line(rest, most_name_bytes);
    }

  private:
    static const std::string& keep(
        std::map<std::string, std::string>& in, std::string_view text, text::ReadBudget& budget) {
        const std::string key(text);
        const auto found = in.find(key);
        if (found != in.end()) return found->second;
        budget.row();
        budget.make(2 * text::tree_bytes + 2 * key.size());
        return in[key] = text::one_line(text, most_name_bytes);
    }

    std::unordered_map<std::string, std::string> by_id_;
    std::map<std::string, std::string> plain_;
};

/// Reads the text of one process into the graph of all.
class Reader {
  public:
    /// @param own, source  as read_callgrind's
    Reader(
        CallGraph& into,
        const std::string& own,
        const std::string& source,
        text::ReadBudget& budget)
        : graph_(into), own_(own), source_(source), budget_(budget), is_own_(own.empty()) {}

    void read(std::string_view line) {
        budget_.step(line.size() + 1);
        if (line.empty()) return;
        if (of_costs.find(line.front()) != of_costs.npos) return read_cost(line);
        const auto equals = line.find('=');
        const auto key = line.substr(0, std::min(equals, line.size()));
        if (equals == line.npos) return read_events(line);
        const auto value = line.substr(equals + 1);
        if (key == "ob") {
            object_ = objects_.read(value, budget_);
            is_own_ = own_.empty() || is_below(object_, own_);
        } else if (key == "fl") {
            file_ = code_file_ = files_.read(value, budget_);
        } else if (key == "fi" || key == "fe") {
            code_file_ =
                files_.read(value, budget_);  // of inlined code: it counts for the function
        } else if (key == "fn") {
            called_.reset();
            now_ = place_of(functions_.read(value, budget_), file_, object_);
            code_file_ = file_;
            line_of_project_.reset();
        } else if (key == "cob") {
            called_object_ = objects_.read(value, budget_);
        } else if (key == "cfi" || key == "cfl") {
            called_file_ = files_.read(value, budget_);
        } else if (key == "cfn") {
            called_name_ = functions_.read(value, budget_);
        } else if (key == "calls") {
            read_calls(value);
        }
    }

  private:
    /// "events: Ir Dr": which of the numbers are instructions.
    void read_events(std::string_view line) {
        if (line.starts_with("positions:")) {
            positions_ = 0;
            line_position_.reset();
            line.remove_prefix(line.find(':') + 1);
            while (positions_ < most_columns) {
                const auto word = next_word(line);
                if (word.empty()) break;
                if (word == "line") line_position_ = positions_;
                ++positions_;
            }
        } else if (line.starts_with("events:")) {
            line.remove_prefix(line.find(':') + 1);
            event_.reset();
            for (std::size_t i = 0; i < most_columns; ++i) {
                const auto word = next_word(line);
                if (word.empty()) break;
                if (word == "Ir") event_ = i;
            }
        }
    }

    void read_calls(std::string_view value) {
        const auto count = number(next_word(value)).value_or(0);
        called_ = {
            place_of(
                called_name_.value_or(""),
                called_file_.value_or(file_),
                called_object_.value_or(object_)),
            count};
        called_name_.reset();
        called_file_.reset();
        called_object_.reset();
    }

    /// A position, then numbers; behind "calls" all that the call cost.
    void read_cost(std::string_view line) {
        for (std::size_t i = 0; i < positions_; ++i) {
            const auto word = next_word(line);
            if (i == line_position_) line_ = line_after(line_, word);
        }
        std::optional<std::int64_t> cost;
        for (std::size_t i = 0; event_ && i <= *event_; ++i) cost = number(next_word(line));
        const auto called = std::exchange(called_, std::nullopt);
        if (!now_) return;
        if (!called) {
            auto& one = graph_.functions[*now_];
            one.self = sum(one.self, cost.value_or(0));
            if (code_file_ != one.file) add_inlined(one, cost.value_or(0));
            add_line(one.lines, cost.value_or(0));
            return;
        }
        const auto [found, is_new] = edges_.try_emplace({*now_, called->first}, 0);
        auto& edges = graph_.functions[*now_].calls;
        if (is_new) {
            budget_.row();
            // The names of both stand in the lists of each other when the graph is folded.
            budget_.make(
                3 * text::tree_bytes + 2 * sizeof(CallEdge) + graph_.functions[*now_].name.size() +
                graph_.functions[called->first].name.size());
            found->second = edges.size();
            edges.push_back({called->first, 0, 0});
        }
        auto& edge = edges[found->second];
        edge.count = sum(edge.count, called->second);
        edge.cost = sum(edge.cost, cost.value_or(0));
        add_line(edge.lines, cost.value_or(0));
    }

    /// Costs come in the order of addresses: code of another header that is inlined counts for the
    /// line of the project before it.
    void add_line(std::vector<LineCost>& lines, std::int64_t cost) {
        if (!is_own_) return;
        const auto file = place_of_file(code_file_);
        if (file && line_ > 0) line_of_project_ = {*file, static_cast<std::uint32_t>(line_), 0};
        if (!line_of_project_) return;
        const auto& [place, line, none] = *line_of_project_;
        if (!lines.empty() && lines.back().file == place && lines.back().line == line) {
            lines.back().cost = sum(lines.back().cost, cost);
            return;
        }
        budget_.make(2 * sizeof(LineCost));
        lines.push_back({place, line, cost});
    }

    /// @return  nothing: it is no file of the project
    std::optional<std::uint32_t> place_of_file(const std::string& file) {
        const auto [found, is_new] = line_files_.try_emplace(file);
        if (is_new) {
            budget_.row();
            budget_.make(2 * text::tree_bytes + 2 * file.size());
            auto name = project_file(file, own_, source_);
            if (name.empty() || name.starts_with('/') || name == no_name) return std::nullopt;
            found->second = static_cast<std::uint32_t>(graph_.line_files.size());
            graph_.line_files.push_back(std::move(name));
        }
        return found->second;
    }

    void add_inlined(GraphFunction& one, std::int64_t cost) {
        const auto [found, is_new] = one.inlined.try_emplace(code_file_, 0);
        if (is_new) {
            budget_.row();
            budget_.make(2 * text::tree_bytes + 4 * code_file_.size());
        }
        found->second = sum(found->second, cost);
    }

    std::size_t place_of(
        const std::string& name, const std::string& file, const std::string& object) {
        auto plain = plain_name(name);
        const auto [found, is_new] =
            known_.try_emplace({plain, file, object}, graph_.functions.size());
        if (is_new) {
            budget_.row();
            budget_.make(
                3 * text::tree_bytes + 3 * sizeof(GraphFunction) +
                4 * (plain.size() + file.size()) + 2 * object.size());
            graph_.functions.push_back({std::move(plain), file, object, 0, {}});
        }
        return found->second;
    }

    CallGraph& graph_;
    const std::string& own_;
    const std::string& source_;
    text::ReadBudget& budget_;
    Names objects_, files_, functions_;
    std::string object_, file_;
    std::string code_file_;  ///< of the lines that come
    bool is_own_;            ///< they are of the program, and of no library
    std::map<std::string, std::optional<std::uint32_t>> line_files_;
    std::optional<LineCost> line_of_project_;  ///< the last one of this function
    std::optional<std::string> called_object_, called_file_, called_name_;
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> known_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> edges_;
    std::optional<std::size_t> now_;                              ///< whose costs come
    std::optional<std::pair<std::size_t, std::int64_t>> called_;  ///< by the line before, how often
    std::size_t positions_ = 1;
    std::optional<std::size_t> line_position_ = 0;
    std::int64_t line_ = 0;  ///< of the last costs; 0: not known
    std::optional<std::size_t> event_ = 0;
};

}  // namespace

Profile read_callgrind(
    const std::vector<std::string>& texts, const std::string& own, const std::string& source) {
    std::size_t bytes = 0;
    for (const auto& text : texts) bytes += text.size();
    text::ReadBudget budget(bytes);
    CallGraph graph;
    for (const auto& text : texts) {
        Reader reader(graph, own, source, budget);
        text::for_each_line(text, [&](std::string_view line) { reader.read(line); });
    }
    return fold(graph, own, source);
}

std::string find_interpreter(const std::vector<std::string>& texts) {
    std::string name;
    for (const auto& text : texts) {
        text::for_each_line(text, [&](std::string_view line) {
            const bool is_object = line.starts_with("ob=(") || line.starts_with("cob=(");
            if (name.empty() && is_object) name = interpreter_of(line);
        });
    }
    return name;
}

}  // namespace vigil::profile
