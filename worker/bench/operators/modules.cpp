#include "worker/bench/operators/modules.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>

#include <nlohmann/json.hpp>

#include "worker/bench/operators/profile_text.hpp"

namespace vigil_bench {

namespace {

using nlohmann::json;

constexpr std::size_t no_module = SIZE_MAX;
constexpr double least_module_share = 0.02;
constexpr std::size_t rows_of_modules = 25;

/// The model's tree of modules, as the names of their values show it; 0 is the model itself.
class Tree {
  public:
    struct Place {
        std::string name;
        std::size_t parent = no_module;
        std::size_t depth = 0;
        std::vector<std::size_t> parts;
    };

    Tree() { places_.push_back({}); }

    /// @param value  "a.b.weight" is a value of "a.b"
    std::size_t module_of(const std::string& value) {
        std::size_t place = 0;
        for (auto dot = value.find('.'); dot != std::string::npos; dot = value.find('.', dot + 1)) {
            place = part_of(place, value.substr(0, dot));
        }
        return place;
    }

    /// The innermost module that holds both.
    std::size_t common(std::size_t a, std::size_t b) const {
        while (a != b) {
            auto& deeper = places_[a].depth >= places_[b].depth ? a : b;
            deeper = places_[deeper].parent;
        }
        return a;
    }

    const std::vector<Place>& places() const { return places_; }

  private:
    std::size_t part_of(std::size_t parent, const std::string& name) {
        const auto [found, is_new] = known_.try_emplace(name, places_.size());
        if (is_new) {
            places_.push_back({name, parent, places_[parent].depth + 1, {}});
            places_[parent].parts.push_back(found->second);
        }
        return found->second;
    }

    std::vector<Place> places_;
    std::map<std::string, std::size_t> known_;
};

/// Modules of the calls that no operator made, in the forward pass of one iteration.
class Forward {
  public:
    Forward(const Tree& tree, std::vector<std::size_t>& modules) : tree_(tree), modules_(modules) {}

    void add(std::size_t event, std::size_t owner) {
        if (owner == no_module) {
            waiting_.push_back(event);
            return;
        }
        settle(before_ == no_module ? 0 : tree_.common(before_, owner));
        modules_[event] = owner;
        before_ = owner;
    }

    /// Behind the last reader only the model itself is sure.
    void finish() { settle(0); }

  private:
    void settle(std::size_t module) {
        for (const auto event : waiting_) modules_[event] = module;
        waiting_.clear();
    }

    const Tree& tree_;
    std::vector<std::size_t>& modules_;
    std::vector<std::size_t> waiting_;
    std::size_t before_ = no_module;
};

/// @param end  of the iteration's forward pass: behind it, what is not backward is the step
void place_forward(
    const OperatorTrace& trace,
    const std::vector<std::size_t>& owners,
    std::size_t begin,
    std::size_t end,
    const Tree& tree,
    std::vector<std::size_t>& modules) {
    Forward forward(tree, modules);
    for (std::size_t i = begin; i < end; ++i) {
        const auto& event = trace.events[i];
        if (event.is_backward || event.caller) continue;
        forward.add(i, event.owner ? owners[*event.owner] : no_module);
    }
    forward.finish();
}

std::vector<std::size_t> place_events(const OperatorTrace& trace, Tree& tree) {
    std::vector<std::size_t> owners;
    for (const auto& name : trace.owners) owners.push_back(tree.module_of(name));
    std::vector<std::size_t> modules(trace.events.size(), no_module);
    for (std::size_t i = 0; i < trace.iterations.size(); ++i) {
        const auto begin = trace.iterations[i];
        const bool is_last = i + 1 == trace.iterations.size();
        auto end = is_last ? trace.events.size() : trace.iterations[i + 1];
        for (auto at = end; at > begin; --at) {
            if (!trace.events[at - 1].is_backward) continue;
            end = at;
            break;
        }
        place_forward(trace, owners, begin, end, tree, modules);
    }
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const auto& event = trace.events[i];
        if (event.caller) {
            modules[i] = modules[*event.caller];
        } else if (event.is_backward && event.forward) {
            modules[i] = modules[*event.forward];
        }
    }
    return modules;
}

std::string name_of(const ModuleUse& module) {
    return std::string(2 * module.depth, ' ') + (module.name.empty() ? "(model)" : module.name);
}

double whole_ns(const ModuleProfile& profile) {
    return profile.modules.empty() ? 1 : std::max(1.0, profile.modules.front().total_ns);
}

}  // namespace

ModuleProfile profile_modules(const OperatorTrace& trace) {
    ModuleProfile profile;
    if (trace.owners.empty() || trace.dropped > 0) return profile;
    Tree tree;
    const auto placed = place_events(trace, tree);
    const auto& places = tree.places();
    std::vector<ModuleUse> uses(places.size());
    std::vector<std::size_t> first(places.size(), no_module);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (placed[i] == no_module) continue;
        const auto& event = trace.events[i];
        uses[placed[i]].self_ns += event.self_ns;
        for (auto at = placed[i]; at != no_module; at = places[at].parent) {
            first[at] = std::min(first[at], i);
            ++uses[at].calls;
            uses[at].total_ns += event.self_ns;
            uses[at].bytes += event.bytes;
            if (!event.caller) uses[at].flops += event.flops;
        }
    }
    std::vector<std::size_t> rows(places.size(), no_module);
    const std::function<void(std::size_t)> list = [&](std::size_t place) {
        if (first[place] == no_module) return;  // nobody called it
        rows[place] = profile.modules.size();
        uses[place].name = places[place].name;
        uses[place].depth = places[place].depth;
        profile.modules.push_back(uses[place]);
        auto parts = places[place].parts;
        std::stable_sort(parts.begin(), parts.end(), [&](std::size_t a, std::size_t b) {
            return first[a] < first[b];
        });
        for (const auto part : parts) list(part);
    };
    list(0);
    for (const auto place : placed) {
        profile.of_event.push_back(place == no_module ? std::nullopt : std::optional(rows[place]));
    }
    return profile;
}

json modules_json(const ModuleProfile& profile, int iterations) {
    const double n = iterations;
    const double whole = whole_ns(profile);
    json modules = json::array();
    for (const auto& one : profile.modules) {
        modules.push_back(
            {{"name", one.name},
             {"calls", one.calls},
             {"self_ns", one.self_ns / n},
             {"total_ns", one.total_ns / n},
             {"share", one.total_ns / whole},
             {"bytes", static_cast<double>(one.bytes) / n},
             {"flops", one.flops / n}});
    }
    return modules;
}

std::string modules_table(const ModuleProfile& profile, int iterations) {
    if (profile.modules.empty()) return "";
    char line[200];
    const auto row = [&](const std::string& name,
                         const std::string& calls,
                         const std::string& total,
                         const std::string& self,
                         const std::string& share) {
        std::snprintf(
            line,
            sizeof line,
            "  %-44.44s %10.10s %12.12s %12.12s %8.8s\n",
            name.c_str(),
            calls.c_str(),
            total.c_str(),
            self.c_str(),
            share.c_str());
        return std::string(line);
    };
    const double whole = whole_ns(profile);
    std::string table = row("module", "calls", "total", "self", "share");
    std::size_t rows = 0;
    for (const auto& one : profile.modules) {
        if (one.total_ns < least_module_share * whole) continue;
        if (++rows > rows_of_modules) break;
        table +=
            row(name_of(one),
                std::to_string(one.calls / iterations),
                time_text(one.total_ns / iterations),
                time_text(one.self_ns / iterations),
                percent_text(one.total_ns / whole));
    }
    return table;
}

void add_module_events(const OperatorTrace& trace, const ModuleProfile& profile, json& events) {
    struct Stay {
        std::size_t module;
        double start_ns;
    };
    std::vector<Stay> open;
    double end_ns = 0;
    const auto close_to = [&](std::size_t depth) {
        while (open.size() > depth) {
            const auto& stay = open.back();
            const auto& name = profile.modules[stay.module].name;
            events.push_back(complete_event(
                "module", name.empty() ? "(model)" : name, stay.start_ns, end_ns, 2));
            open.pop_back();
        }
    };
    for (std::size_t i = 0; i < profile.of_event.size(); ++i) {
        const auto& event = trace.events[i];
        if (event.caller || event.use >= trace.uses.size()) continue;
        // From the model down to the module.
        std::vector<std::size_t> path;
        if (profile.of_event[i]) {
            path.push_back(*profile.of_event[i]);
            for (auto at = path.back(); profile.modules[at].depth > 0;) {
                const auto depth = profile.modules[at].depth;
                while (profile.modules[at].depth >= depth) --at;  // rows are in the tree's order
                path.push_back(at);
            }
            std::reverse(path.begin(), path.end());
        }
        std::size_t same = 0;
        while (same < open.size() && same < path.size() && open[same].module == path[same]) ++same;
        close_to(same);
        for (auto at = same; at < path.size(); ++at) open.push_back({path[at], event.start_ns});
        end_ns = event.end_ns;
    }
    close_to(0);
}

}  // namespace vigil_bench
