#include "schema/profile/fold.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/profile/interpreter.hpp"
#include "schema/profile/project_file.hpp"

namespace vigil::profile {

namespace {

constexpr int passes = 16;  // libraries call each other as deep as this

class Folder {
  public:
    Folder(const CallGraph& graph, const std::string& own, const std::string& source)
        : graph_(graph), own_(own), source_(source) {
        const auto is_own = [&](const GraphFunction& one) { return is_own_object(one.object); };
        if (std::ranges::none_of(graph.functions, is_own)) own_.clear();
        for (const auto& one : graph.functions) {
            is_own_.push_back(is_own_object(one.object) && !is_of_standard_library(one.name));
        }
    }

    Profile fold() {
        find_callers_back();
        find_shares();
        for (std::size_t i = 0; i < graph_.functions.size(); ++i) add(i);
        find_interpreter();
        for (std::size_t i = 0; i < graph_.functions.size(); ++i) add_calls(i);
        for (auto& [key, function] : functions_) finish(key, function);
        if (out_.total <= 0) {
            throw Error(Errc::invalid_argument, "callgrind wrote no costs of functions");
        }
        keep_largest(out_.functions);
        return std::move(out_);
    }

  private:
    using Key = std::tuple<std::string, std::string, bool>;  // name, file, own

    struct Gathered {
        std::int64_t cost = 0;
        std::int64_t calls = 0;
        std::map<std::string, std::int64_t> libraries;
        std::map<std::string, std::int64_t> callers;
        std::map<std::string, std::int64_t> inlined;
        std::vector<LineCost> lines;
    };

    bool is_own_object(const std::string& object) const {
        return own_.empty() || is_below(object, own_);
    }

    bool is_own(std::size_t place) const { return is_own_[place]; }

    /// Functions of libraries that the program is called by, directly or through others: their
    /// callers cannot be told a cost that is the program's own.
    void find_callers_back() {
        std::vector<std::vector<std::size_t>> callers(graph_.functions.size());
        std::vector<std::size_t> found;
        calls_back_.assign(graph_.functions.size(), false);
        const auto note = [&](std::size_t place) {
            if (calls_back_[place]) return;
            calls_back_[place] = true;
            found.push_back(place);
        };
        for (std::size_t i = 0; i < graph_.functions.size(); ++i) {
            for (const auto& edge : graph_.functions[i].calls) {
                callers[edge.to].push_back(i);
                if (!is_own(i) && is_own(edge.to)) note(i);
            }
        }
        while (!found.empty()) {
            const auto now = found.back();
            found.pop_back();
            for (const auto caller : callers[now]) {
                if (!is_own(caller)) note(caller);
            }
        }
    }

    /// Of each library function: the share of its cost that the program's functions are told. What
    /// a library function is told by another follows the costs of their calls.
    void find_shares() {
        std::vector<double> arriving(graph_.functions.size(), 0);
        for (const auto& one : graph_.functions) {
            for (const auto& edge : one.calls) arriving[edge.to] += static_cast<double>(edge.cost);
        }
        told_.assign(graph_.functions.size(), 0);
        for (int pass = 0; pass < passes; ++pass) {
            std::vector<double> told(graph_.functions.size(), 0);
            for (std::size_t i = 0; i < graph_.functions.size(); ++i) {
                const double share = is_own(i) ? 1 : told_[i];
                for (const auto& edge : graph_.functions[i].calls) {
                    if (is_folded(edge.to)) told[edge.to] += share * static_cast<double>(edge.cost);
                }
            }
            for (std::size_t i = 0; i < told.size(); ++i) {
                told_[i] = arriving[i] > 0 ? std::min(1.0, told[i] / arriving[i]) : 0;
            }
        }
    }

    bool is_folded(std::size_t place) const { return !is_own(place) && !calls_back_[place]; }

    static void add_to(std::int64_t& cost, std::int64_t more) { cost = sum(cost, more); }

    Gathered& gathered(std::size_t place) {
        const auto& one = graph_.functions[place];
        return functions_[{one.name, file_of(one.file), is_own(place)}];
    }

    std::string file_of(const std::string& file) const {
        return file == no_name ? "" : project_file(file, own_, source_);
    }

    void add(std::size_t place) {
        const auto& one = graph_.functions[place];
        add_to(out_.total, one.self);
        const bool has_no_name = one.name.empty() || one.name == no_name;
        if (is_own(place) && has_no_name) add_to(out_.unnamed, one.self);
        const double left = static_cast<double>(one.self) * (1 - told_[place]);
        auto& into = gathered(place);
        add_to(into.cost, std::llround(left));
        if (!is_own(place)) return;
        for (const auto& [file, cost] : one.inlined) {
            if (file != no_name) add_to(into.inlined[file_of(file)], cost);
        }
        into.lines.insert(into.lines.end(), one.lines.begin(), one.lines.end());
    }

    /// Machine code that an interpreter makes lies in no object.
    void find_interpreter() {
        std::map<std::string, std::int64_t> of;
        std::int64_t all = 0;
        for (const auto& one : graph_.functions) {
            const auto name = interpreter_of(one.object);
            const bool is_made = one.object.empty() || one.object == no_name;
            if (!name.empty()) add_to(of[name], one.self);
            if (!name.empty() || is_made) add_to(all, one.self);
        }
        const auto most = largest(of, 1);
        if (!most.empty() && all > out_.total / 2) out_.interpreter = most.front().name;
    }

    void add_calls(std::size_t place) {
        const auto& one = graph_.functions[place];
        const bool own = is_own(place);
        for (const auto& edge : one.calls) {
            const auto& called = graph_.functions[edge.to];
            auto& to = gathered(edge.to);
            add_to(to.calls, edge.count);
            if (own) add_to(to.callers[one.name], edge.cost);
            if (!own || !is_folded(edge.to)) continue;
            auto& from = gathered(place);
            add_to(from.cost, edge.cost);
            add_to(from.libraries[called.name], edge.cost);
            from.lines.insert(from.lines.end(), edge.lines.begin(), edge.lines.end());
        }
    }

    std::vector<NamedCost> largest_lines(const std::vector<LineCost>& lines) const {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> costs;
        for (const auto& [file, line, cost] : lines) add_to(costs[{file, line}], cost);
        std::map<std::string, std::int64_t> named;
        for (const auto& [place, cost] : costs) {
            const auto& file = graph_.line_files[place.first];
            add_to(named[fmt::format("{}:{}", file, place.second)], cost);
        }
        return largest(named, most_lines);
    }

    void finish(const Key& key, const Gathered& one) {
        const auto& [name, file, own] = key;
        Function function{name, file, one.cost, one.calls, own, {}, {}};
        function.libraries = largest(one.libraries, most_libraries);
        for (auto& caller : largest(one.callers, most_callers)) {
            function.called_by.push_back(std::move(caller.name));
        }
        function.inlined = largest(one.inlined, most_libraries);
        function.lines = largest_lines(one.lines);
        out_.functions.push_back(std::move(function));
    }

    const CallGraph& graph_;
    std::string own_;
    std::string source_;
    std::vector<bool> is_own_;
    std::vector<bool> calls_back_;
    std::vector<double> told_;
    std::map<Key, Gathered> functions_;
    Profile out_;
};

}  // namespace

std::vector<NamedCost> largest(const std::map<std::string, std::int64_t>& of, std::size_t most) {
    std::vector<NamedCost> all;
    for (const auto& [name, cost] : of) all.push_back({name, cost});
    std::ranges::stable_sort(all, std::ranges::greater{}, &NamedCost::cost);
    if (all.size() > most) all.resize(most);
    return all;
}

void keep_largest(std::vector<Function>& functions) {
    std::ranges::sort(functions, [](const Function& a, const Function& b) {
        return std::tie(b.cost, a.name, a.file) < std::tie(a.cost, b.name, b.file);
    });
    if (functions.size() > max_functions) functions.resize(max_functions);
}

void keep_largest_stacks(
    Profile& profile,
    const std::map<std::vector<std::uint32_t>, std::int64_t>& all,
    const std::vector<std::string>& names) {
    for (const auto& [frames, cost] : all) profile.stacks.push_back({frames, cost});
    std::ranges::stable_sort(profile.stacks, std::ranges::greater{}, &Stack::cost);
    if (profile.stacks.size() > max_stacks) profile.stacks.resize(max_stacks);
    std::map<std::string_view, std::uint32_t> kept;  // several places may have one name
    for (auto& stack : profile.stacks) {
        for (auto& name : stack.frames) {
            const auto next = static_cast<std::uint32_t>(kept.size());
            const auto [found, is_new] = kept.try_emplace(names[name], next);
            if (is_new) profile.frames.push_back(names[name]);
            name = found->second;
        }
    }
}

bool is_of_standard_library(const std::string& name) {
    if (name.find("std::") == name.npos && name.find("__gnu_cxx::") == name.npos) return false;
    const auto bare = bare_name(name);
    return bare.starts_with("std::") || bare.starts_with("__gnu_cxx::");
}

Profile fold(const CallGraph& graph, const std::string& own, const std::string& source) {
    return Folder(graph, own, source).fold();
}

}  // namespace vigil::profile
