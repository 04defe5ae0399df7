#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/wire/json.hpp"
#include "service/config/keys.hpp"

namespace vigil::service {

/// The text of a config, parsed, that can say where each of its values stands.
class ConfigDocument {
  public:
    /// @throws Error{invalid_argument} naming file, line and column
    ConfigDocument(std::string_view text, std::string file);
    ~ConfigDocument();
    ConfigDocument(const ConfigDocument&) = delete;
    ConfigDocument& operator=(const ConfigDocument&) = delete;

    const nlohmann::json& root() const { return *root_; }

    /// @param steps  the way to a value: keys, and "[0]" for an element of a list
    /// @throws Error{invalid_argument} "<file>:<line>: <key path> <why>"; a value that is not there
    ///         stands where the nearest one around it stands
    [[noreturn]] void refuse(const std::vector<std::string>& steps, const std::string& why) const;

  private:
    std::string file_;
    std::map<std::string, wire::JsonPosition> positions_;
    std::unique_ptr<nlohmann::json> root_;
};

/// Reads a document into the members it is shown, and refuses whatever is not a key, has the wrong
/// type or is out of range. Errors are ConfigDocument's.
class ConfigReader final : public KeyVisitor {
  public:
    explicit ConfigReader(const ConfigDocument& document);
    ~ConfigReader() override;

    /// To be called after `describe`: refuses unknown keys of the outermost object.
    void done() { refuse_unknown(); }

    void check(bool fine, std::string_view key, const std::string& why) override;
    void no_key(std::string_view key, const std::string& why) override;
    void text(std::string_view key, std::string& value, const TextRule& rule) override;
    void integer(std::string_view key, std::int64_t& value, wire::IntegerRange range) override;
    void number(std::string_view key, double& value, wire::NumberRange range) override;
    void flag(std::string_view key, bool& value) override;
    void word(
        std::string_view key,
        std::string& value,
        const std::vector<std::string>& choices,
        Presence presence) override;
    void words(
        std::string_view key,
        std::vector<std::string>& values,
        const std::vector<std::string>& choices) override;
    void texts(
        std::string_view key, std::vector<std::string>& values, const TextRule& rule) override;
    void text_map(std::string_view key, std::map<std::string, std::string>& values) override;
    void command(std::string_view key, Command& value, Shell shell) override;
    bool enter(std::string_view key, Presence presence, bool present) override;
    std::vector<std::string> enter_table(
        std::string_view key, std::string_view placeholder, std::vector<std::string>) override;
    void enter_entry(const std::string& name) override;
    std::size_t enter_list(std::string_view key, std::size_t size) override;
    void leave() override;

  private:
    /// One object or array on the way from the outermost one.
    struct Level {
        const nlohmann::json* value;
        std::set<std::string, std::less<>> known;
    };

    const nlohmann::json* take(std::string_view key, Presence presence);
    std::vector<std::string> steps(std::string_view key) const;
    [[noreturn]] void refuse(std::string_view key, const std::string& why) const;
    [[noreturn]] void refuse_missing(std::string_view key) const;
    void refuse_unknown() const;
    void refuse_unknown_key(const std::string& key, const std::vector<std::string>& known) const;
    void push(std::string_view key, const nlohmann::json& value);
    std::vector<std::string> read_texts(std::string_view key, const nlohmann::json& value) const;

    const ConfigDocument& document_;
    std::vector<std::string> way_;
    std::vector<Level> levels_;
};

}  // namespace vigil::service
