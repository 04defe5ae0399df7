#include "service/pages/common/render.hpp"

#include <algorithm>
#include <memory>

#include <ctemplate/template.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "service/pages/common/files.hpp"

namespace vigil::service {

namespace {

constexpr auto strip_lines = ctemplate::STRIP_BLANK_LINES;
/// In front of every template, so that none can forget it.
constexpr std::string_view escapes = "{{%AUTOESCAPE context=\"HTML\"}}";

std::unique_ptr<ctemplate::TemplateCache> load_templates() {
    auto cache = std::make_unique<ctemplate::TemplateCache>();
    for (const auto& file : page_files()) {
        if (!file.served.empty()) continue;
        const auto text = std::string(escapes) + std::string(file.text);
        VIGIL_ASSERT(cache->StringToTemplateCache(std::string(file.name), text, strip_lines));
    }
    cache->Freeze();
    return cache;
}

const ctemplate::TemplateCache& templates() {
    static const auto cache = load_templates();
    return *cache;
}

void fill(ctemplate::TemplateDictionary& into, const nlohmann::json& view);

void fill_object(
    ctemplate::TemplateDictionary& into, const std::string& key, const nlohmann::json& value) {
    const auto other = value.find("template");
    auto* inner =
        other == value.end() ? into.AddSectionDictionary(key) : into.AddIncludeDictionary(key);
    if (other != value.end()) inner->SetFilename(other->get<std::string>());
    fill(*inner, value);
}

void fill(ctemplate::TemplateDictionary& into, const nlohmann::json& view) {
    for (const auto& [key, value] : view.items()) {
        if (value.is_object()) {
            fill_object(into, key, value);
        } else if (value.is_array()) {
            for (const auto& one : value) fill_object(into, key, one);
        } else if (value.is_string()) {
            into.SetValue(key, shown_text(value.get_ref<const std::string&>(), most_of_a_text));
        } else if (value.is_number()) {
            into.SetValue(key, value.dump());
        } else if (value.is_boolean() && value.get<bool>()) {
            into.ShowSection(key);
        }
    }
}

}  // namespace

std::string shown_text(std::string_view text, std::size_t most) {
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
    if (text.size() <= most && std::ranges::all_of(text, is_plain)) return std::string(text);
    std::string shown;
    for (std::size_t count = 0; !text.empty(); ++count) {
        if (count == most) return shown + "\u2026";
        const auto character = text::first_character(text);
        const bool breaks = character.code == '\n' || character.code == '\t';
        const bool hides = !character.is_sound || (text::is_hidden(character.code) && !breaks);
        text::append(shown, hides ? text::replacement : character.code);
        text.remove_prefix(character.bytes);
    }
    return shown;
}

std::string render(std::string_view name, const nlohmann::json& view) {
    ctemplate::TemplateDictionary dictionary{std::string(name)};
    fill(dictionary, view);
    std::string html;
    const bool done =
        templates().ExpandNoLoad(std::string(name), strip_lines, &dictionary, nullptr, &html);
    if (!done)
        throw Error(Errc::internal, "rendering the template " + std::string(name) + " failed");
    return html;
}

}  // namespace vigil::service
