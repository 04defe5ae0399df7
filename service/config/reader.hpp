#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/config/keys.hpp"

namespace vigil::service {

/// What is wrong with one value of a config; caught as any other Error.
class ConfigError : public Error {
  public:
    /// @param words  "<file>:<line>:<column>: <key path> <why>"
    ConfigError(const std::string& words, std::string path)
        : Error(Errc::invalid_argument, words), path_(std::move(path)) {}
    const std::string& path() const { return path_; }  ///< of the key

  private:
    std::string path_;
};

/// What is wrong with a config, in the order it was met.
class ConfigErrors {
  public:
    /// Goes on where the work meets a ConfigError, and keeps it.
    template <class Work>
    bool attempt(const Work& work) {
        try {
            work();
            return true;
        } catch (const ConfigError& error) {
            add(error);
            return false;
        }
    }
    void add(const ConfigError& error);  ///< unless it is there
    bool has(std::string_view path) const;
    const std::vector<ConfigError>& all() const { return all_; }

  private:
    std::vector<ConfigError> all_;
};

/// The text of a config, parsed, that can say where each of its values stands.
class ConfigDocument {
  public:
    /// @throws Error{invalid_argument} naming file, line and column
    ConfigDocument(std::string_view text, std::string file);
    ~ConfigDocument();
    ConfigDocument(const ConfigDocument&) = delete;
    ConfigDocument& operator=(const ConfigDocument&) = delete;

    const nlohmann::json& root() const { return *root_; }
    const std::string& file() const { return file_; }

    /// @param steps  the way to a value: keys, and "[0]" for an element of a list
    /// @throws ConfigError; a value that is not there stands where the nearest one around it stands
    [[noreturn]] void refuse(const std::vector<std::string>& steps, const std::string& why) const;
    /// "<file>:<line>:<column>: <key path> <why>", likewise.
    ConfigError finding(const std::vector<std::string>& steps, const std::string& why) const;

  private:
    std::string file_;
    std::map<std::string, wire::JsonPosition> positions_;
    std::unique_ptr<nlohmann::json> root_;
};

/// Reads a document into the members it is shown, and keeps as an error whatever is not a key, has
/// the wrong type or is out of range: that member stays or is wrong, and the rest is read.
class ConfigReader final : public KeyVisitor {
  public:
    /// @throws ConfigError where the document is no object. Both must outlive the reader
    ConfigReader(const ConfigDocument& document, ConfigErrors& errors);
    ~ConfigReader() override;

    /// To be called after `describe`: refuses unknown keys of the outermost object.
    void done() { note_unknown(); }

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
    bool is_word(std::string_view key, std::string_view word) override;
    bool enter(std::string_view key, Presence presence, bool present) override;
    std::vector<std::string> enter_table(
        std::string_view key, std::string_view placeholder, std::vector<std::string>) override;
    void enter_entry(const std::string& name) override;
    std::size_t enter_list(std::string_view key, std::size_t size) override;
    void leave() override;
    bool has(std::string_view key, bool present) override;

  private:
    /// One object or array on the way from the outermost one.
    struct Level {
        const nlohmann::json* value;
        std::set<std::string, std::less<>> known;
        bool is_wrong = false;  ///< it stands for a value that is no object or list
    };

    template <class Work>
    bool attempt(const Work& work);

    const nlohmann::json* take(std::string_view key, Presence presence);
    std::vector<std::string> steps(std::string_view key) const;
    [[noreturn]] void refuse(std::string_view key, const std::string& why) const;
    [[noreturn]] void refuse_missing(std::string_view key) const;
    void note_unknown();
    [[noreturn]] void refuse_unknown_key(
        const std::string& key, const std::vector<std::string>& known) const;
    void push(std::string_view key, const nlohmann::json* value, const nlohmann::json& instead);
    std::vector<std::string> read_texts(std::string_view key, const nlohmann::json& value) const;

    const ConfigDocument& document_;
    ConfigErrors& errors_;
    std::vector<std::string> way_;
    std::vector<Level> levels_;
};

}  // namespace vigil::service
