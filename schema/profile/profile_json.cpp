#include "schema/profile/profile_json.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/profile/interpreter.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::profile {

namespace {

using nlohmann::json;

constexpr std::size_t max_name_bytes = 4000;
constexpr std::size_t max_line_bytes = 2000;  ///< of names that a worker sends; they have 1,000
constexpr std::size_t max_words_bytes = 4000;
constexpr std::size_t max_names = 100;
constexpr std::size_t max_beside = 7;
constexpr wire::IntegerRange from_zero{0, most_cost};

json json_of(const std::vector<NamedCost>& costs) {
    auto all = json::array();
    for (const auto& [name, cost] : costs) all.push_back({{"name", name}, {"cost", cost}});
    return all;
}

json json_of(const Function& one) {
    json value{
        {"name", one.name},
        {"file", one.file},
        {"cost", one.cost},
        {"calls", one.calls},
        {"is_own", one.is_own},
        {"libraries", json_of(one.libraries)},
        {"called_by", one.called_by}};
    if (!one.inlined.empty()) value["inlined"] = json_of(one.inlined);
    if (!one.lines.empty()) value["lines"] = json_of(one.lines);
    if (one.bytes > 0) value["bytes"] = one.bytes;
    if (!one.shapes.empty()) value["shapes"] = one.shapes;
    if (one.grown != 0) value["grown"] = one.grown;
    return value;
}

/// What is not as it is mostly, each with a comma before it.
std::string how_it_ran(const Profile& profile) {
    json how = json::object();
    if (profile.is_marked) how["is_marked"] = true;
    if (profile.cut_after_s > 0) how["cut_after_s"] = profile.cut_after_s;
    if (profile.iterations > 0) how["iterations"] = profile.iterations;
    if (!profile.interpreter.empty()) how["interpreter"] = profile.interpreter;
    if (profile.lacks_avx512) how["lacks_avx512"] = true;
    if (how.empty()) return "";
    const auto text = wire::write_json(how);
    return "," + text.substr(1, text.size() - 2);
}

/// A stranger's name.
std::string line_of(wire::ObjectReader& in, std::string_view key) {
    return text::one_line(in.text(key, max_name_bytes), max_line_bytes);
}

std::vector<std::string> lines_of(std::vector<std::string> texts) {
    for (auto& one : texts) one = text::one_line(one, max_line_bytes);
    return texts;
}

std::vector<NamedCost> parse_costs(const std::vector<wire::Item>& items) {
    std::vector<NamedCost> costs;
    for (const auto& item : items) {
        wire::ObjectReader of(item);
        costs.push_back({line_of(of, "name"), of.integer("cost", from_zero)});
        of.done();
    }
    return costs;
}

Function parse_function(const wire::Item& item) {
    wire::ObjectReader in(item);
    Function one;
    one.name = line_of(in, "name");
    one.file = line_of(in, "file");
    one.cost = in.integer("cost", from_zero);
    one.calls = in.integer("calls", from_zero);
    one.is_own = in.flag("is_own");
    one.libraries = parse_costs(in.items("libraries", max_names));
    one.inlined = parse_costs(in.items_or_none("inlined", max_names));
    one.lines = parse_costs(in.items_or_none("lines", max_names));
    one.called_by = lines_of(in.texts("called_by", max_names));
    one.bytes = in.integer_or("bytes", 0, from_zero);
    one.shapes = lines_of(in.texts_or_none("shapes", max_shapes));
    one.grown = in.integer_or("grown", 0, {-most_cost, most_cost});
    in.done();
    return one;
}

/// As many as fit, each after a comma but the first.
std::string functions_text(const std::vector<Function>& functions, std::size_t max_bytes) {
    std::string all;
    for (const auto& one : functions) {
        const auto text = wire::write_json(json_of(one));
        // What is around them takes less than 600 bytes.
        if (all.size() + text.size() + 600 > max_bytes) break;
        all += (all.empty() ? "" : ",") + text;
    }
    return all;
}

/// ,"frames":[...],"stacks":[[cost,place,...],...]: the smallest stacks are left out until both
/// fit.
std::string stacks_text(const Profile& profile, std::size_t max_bytes) {
    std::string frames;
    std::string stacks;
    std::size_t written = 0;  // frames come in the order in which stacks name them
    for (const auto& stack : profile.stacks) {
        std::string text = "[" + std::to_string(stack.cost);
        std::string names;
        auto next = written;
        for (const auto frame : stack.frames) {
            text += "," + std::to_string(frame);
            for (; next <= frame; ++next) {
                names += (next == 0 ? "" : ",") + wire::write_json(profile.frames.at(next));
            }
        }
        const auto size = frames.size() + names.size() + stacks.size() + text.size() + 4;
        if (size > max_bytes) break;
        written = next;
        frames += names;
        stacks += (stacks.empty() ? "" : ",") + text + "]";
    }
    return ",\"frames\":[" + frames + "],\"stacks\":[" + stacks + "]";
}

void parse_stacks(wire::ObjectReader& in, Profile& profile) {
    profile.frames = in.texts_or_none("frames", max_stacks * max_stack_frames);
    for (const auto& item : in.items_or_none("stacks", max_stacks)) {
        Stack stack;
        const auto numbers = wire::items_of(item, max_stack_frames + 1);
        if (numbers.empty()) wire::refuse(item.path, "is empty; it must begin with a cost");
        stack.cost = wire::integer_of(numbers.front(), from_zero);
        for (std::size_t i = 1; i < numbers.size(); ++i) {
            const auto last = static_cast<std::int64_t>(profile.frames.size()) - 1;
            const auto place = wire::integer_of(numbers[i], {0, last});
            stack.frames.push_back(static_cast<std::uint32_t>(place));
        }
        profile.stacks.push_back(std::move(stack));
    }
}

WhyRow parse_row(const wire::Item& item) {
    wire::ObjectReader in(item);
    WhyRow row;
    row.function = in.text("function", max_name_bytes);
    row.file = in.text("file", max_name_bytes);
    row.before = in.integer("before");
    row.after = in.integer("after");
    row.share = in.number("share");
    row.calls_before = in.integer("calls_before");
    row.calls_after = in.integer("calls_after");
    row.touched = in.flag("touched");
    row.inlined = in.texts("inlined");
    row.mostly_in = in.text("mostly_in", max_name_bytes);
    row.line = in.text_or("line", "", max_name_bytes);
    row.bytes_before = in.integer_or("bytes_before", 0);
    row.bytes_after = in.integer_or("bytes_after", 0);
    row.shapes_before = in.texts_or_none("shapes_before", max_shapes);
    row.shapes_after = in.texts_or_none("shapes_after", max_shapes);
    row.in_place_of = in.text_or("in_place_of", "", max_name_bytes);
    in.done();
    return row;
}

}  // namespace

std::string profile_text(const Profile& profile, std::size_t max_bytes) {
    const bool is_alone = profile.stacks.empty() && profile.memory.empty();
    const std::size_t room = is_alone ? max_bytes : max_bytes / 2;
    const auto functions = functions_text(profile.functions, room);
    std::string more = how_it_ran(profile);  // of profiles that older daemons do not know
    if (!profile.memory.empty()) {
        const auto left = max_bytes / (profile.stacks.empty() ? 2 : 4);
        more += ",\"memory\":[" + functions_text(profile.memory, left) + "]";
    }
    if (profile.unit != CostUnit::instructions) {
        const auto left = max_bytes - functions.size() - more.size() - 400;
        more += ",\"unit\":\"" + std::string(to_string(profile.unit)) +
                "\",\"allocated\":" + std::to_string(profile.allocated);
        more += stacks_text(profile, left);
    }
    return "{\"functions\":[" + functions + "],\"total\":" + std::to_string(profile.total) +
           ",\"unnamed\":" + std::to_string(profile.unnamed) + more + "}";
}

Profile parse_profile(std::string_view text) {
    const auto value =
        wire::parse_json(text, "the profile", {.max_bytes = wire::max_profile_bytes});
    wire::ObjectReader in(value, "profile");
    Profile profile;
    profile.total = in.integer("total", from_zero);
    profile.unnamed = in.integer("unnamed", from_zero);
    profile.is_marked = in.flag_or("is_marked", false);
    profile.cut_after_s = in.small_or("cut_after_s", 0, from_zero);
    profile.iterations = in.integer_or("iterations", 0, from_zero);
    profile.interpreter = text::one_line(in.text_or("interpreter", "", max_interpreter_bytes));
    profile.lacks_avx512 = in.flag_or("lacks_avx512", false);
    for (const auto& item : in.items("functions", max_functions)) {
        profile.functions.push_back(parse_function(item));
    }
    for (const auto& item : in.items_or_none("memory", max_functions)) {
        profile.memory.push_back(parse_function(item));
    }
    profile.unit = in.choice_or("unit", CostUnit::instructions);
    profile.allocated = in.integer_or("allocated", 0, from_zero);
    parse_stacks(in, profile);
    in.done();
    return profile;
}

Why parse_why(const json& value, const std::string& path) {
    wire::ObjectReader in(value, path);
    Why why;
    why.unit = in.choice_or("unit", CostUnit::instructions);
    why.before = in.integer("before");
    why.after = in.integer("after");
    for (const auto& item : in.items("rows", max_names)) why.rows.push_back(parse_row(item));
    why.telling = in.small("telling", from_zero);
    why.explained = in.number("explained");
    why.words = in.text("words", max_words_bytes);
    why.notes = in.texts("notes", max_names);
    for (const auto& item : in.items_or_none("beside", max_beside)) {
        why.beside.push_back(parse_why(*item.value, item.path));
    }
    in.done();
    return why;
}

}  // namespace vigil::profile
