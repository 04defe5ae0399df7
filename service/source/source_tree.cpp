#include "service/source/source_tree.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "bisect/history/gitmodules.hpp"
#include "schema/archive/path_rules.hpp"
#include "schema/text/characters.hpp"
#include "schema/wire/json.hpp"
#include "service/source/archived_tree.hpp"
#include "service/source/git_library.hpp"
#include "service/source/tar_writer.hpp"
#include "service/source/temporary_file.hpp"
#include "service/source/words.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_entry_name = 255;
constexpr std::size_t max_notes = 100;
constexpr std::size_t max_missing = 20;
constexpr std::int64_t max_link_bytes = 1024;

using Submodules = std::map<std::string, history::Submodule, std::less<>>;

/// The repository that a part of the tree is of: the project's, or a submodule's.
struct Layer {
    git_repository* repository = nullptr;
    std::size_t above = 0;  ///< names of the path down to it
    GitPointer<git_odb> odb = nullptr;
    Submodules submodules = {};
    std::unique_ptr<ArchivedTree> archived = nullptr;  ///< where attributes change what is exported
};

bool is_lfs_pointer(std::string_view content) {
    constexpr std::size_t most = 1024;
    return content.size() < most && content.starts_with("version https://git-lfs.github.com/spec/");
}

GitPointer<git_tree> tree_of(git_repository* repository, const Revision& revision) {
    const auto commit = find_commit(repository, revision.str());
    if (!commit) throw Error(Errc::not_found, "there is no such commit");
    git_tree* tree = nullptr;
    const int code = git_commit_tree(&tree, commit.get());
    if (code != 0) throw_git(code, "reading its tree");
    return GitPointer<git_tree>(tree);
}

class TreeExport {
  public:
    TreeExport(
        ContentStore& content, SubmoduleMirrors& mirrors, const TreeLimits& limits, TarWriter& tar)
        : content_(content), mirrors_(mirrors), limits_(limits), tar_(tar) {}

    /// Adds the whole tree of the project's revision.
    void add_all(const GitClone& clone, const Revision& revision) {
        archive::PathParts path;
        const auto tree = tree_of(clone.handle(), revision);
        add_layer(clone, revision, clone.origin(), path);
        note_counts();
        if (git_tree_entry_byname(tree.get(), std::string(source_file).c_str()) == nullptr) {
            add_source_file(tree.get());
        }
    }

    /// But for what only the tar knows.
    SourceTree result() && {
        SourceTree made;
        made.entries = entries_;
        for (const auto& one : added_) made.submodules.push_back(one.path);
        made.notes = std::move(notes_);
        made.missing = std::move(missing_);
        return made;
    }

  private:
    void add_layer(
        const GitClone& clone,
        const Revision& revision,
        const std::string& origin,
        archive::PathParts& path) {
        const auto tree = tree_of(clone.handle(), revision);
        Layer layer{.repository = clone.handle(), .above = path.size()};
        git_odb* odb = nullptr;
        const int code = git_repository_odb(&odb, layer.repository);
        if (code != 0) throw_git(code, "opening the object database");
        layer.odb.reset(odb);
        const Layer* outer = std::exchange(layer_, &layer);
        const std::size_t depth = origins_.size();
        origins_.push_back(origin);
        const auto leave = [&] {
            layer_ = outer;
            origins_.resize(depth);
        };
        try {
            layer.submodules = submodules_of(tree.get(), path);
            int looked_at = 0;
            const TemporaryFile file{content_.temporary_path()};
            if (has_export_attributes(tree.get(), 0, looked_at)) {
                layer.archived = std::make_unique<ArchivedTree>(clone, revision, file.path);
            }
            add(tree.get(), path);
            if (layer.archived) layer.archived->check_ended();
        } catch (...) {
            leave();
            throw;
        }
        leave();
    }

    Submodules submodules_of(const git_tree* tree, archive::PathParts path) {
        const auto* entry = git_tree_entry_byname(tree, ".gitmodules");
        if (entry == nullptr) return {};
        path.emplace_back(".gitmodules");
        try {
            if (git_tree_entry_filemode(entry) == GIT_FILEMODE_LINK) refuse("it is a link");
            const auto file = blob(git_tree_entry_id(entry), path, history::max_gitmodules_bytes);
            return history::parse_gitmodules(content_of(file.get()));
        } catch (const Error& error) {
            miss(path, error);
            return {};
        }
    }

    void add(const git_tree* tree, archive::PathParts& path) {
        if (std::ssize(path) > limits_.max_depth) refuse(shown(path) + " lies too deep");
        std::set<std::string, std::less<>> names;
        const std::size_t count = git_tree_entrycount(tree);
        for (std::size_t i = 0; i < count; ++i) {
            const git_tree_entry* entry = git_tree_entry_byindex(tree, i);
            path.emplace_back(git_tree_entry_name(entry));
            check_name(path);
            if (!names.insert(path.back()).second) refuse(shown(path) + " is there twice");
            if (++entries_ > limits_.max_entries) {
                refuse("it has more than " + std::to_string(limits_.max_entries) + " entries");
            }
            if (layer_->archived && !layer_->archived->takes(path_below(path))) {
                ignored_.add(path);
                --entries_;
            } else {
                add_entry(entry, path);
            }
            path.pop_back();
        }
    }

    /// From the root of the innermost repository.
    std::string path_below(const archive::PathParts& path) const {
        const auto below = path.begin() + static_cast<std::ptrdiff_t>(layer_->above);
        return archive::join_path({below, path.end()});
    }

    /// Whether a .gitattributes of the tree may name export-ignore or export-subst.
    bool has_export_attributes(const git_tree* tree, int depth, int& looked_at) {
        if (depth > limits_.max_depth) return false;
        const std::size_t count = git_tree_entrycount(tree);
        for (std::size_t i = 0; i < count; ++i) {
            if (++looked_at > limits_.max_entries) return false;  // such a tree is refused
            const git_tree_entry* entry = git_tree_entry_byindex(tree, i);
            const git_oid* oid = git_tree_entry_id(entry);
            const auto mode = git_tree_entry_filemode(entry);
            const std::string_view name = git_tree_entry_name(entry);
            const bool is_file = mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
            if (is_file && name == ".gitattributes") {
                const auto file = blob(oid, {std::string(name)}, limits_.max_file_bytes);
                const auto text = content_of(file.get());
                if (text.find("export-") != text.npos) return true;
            }
            if (mode != GIT_FILEMODE_TREE) continue;
            git_tree* raw = nullptr;
            const int code = git_tree_lookup(&raw, layer_->repository, oid);
            if (code != 0) throw_git(code, "reading the folder " + std::string(name));
            const GitPointer<git_tree> below(raw);
            if (has_export_attributes(below.get(), depth + 1, looked_at)) return true;
        }
        return false;
    }

    static std::string shown(const archive::PathParts& path) {
        return "\"" + archive::printable(archive::join_path(path)) + "\"";
    }

    void check_name(const archive::PathParts& path) const {
        const std::string& name = path.back();
        if (name.empty() || name == "." || name == ".." || text::lower_case(name) == ".git" ||
            name.find('/') != name.npos || name.size() > max_entry_name) {
            refuse(shown(path) + " is not a name that a tree may hold");
        }
        if (std::ssize(archive::join_path(path)) > limits_.max_path) {
            refuse("the path " + shown(path) + " is too long");
        }
    }

    void add_entry(const git_tree_entry* entry, archive::PathParts& path) {
        const git_oid* oid = git_tree_entry_id(entry);
        switch (git_tree_entry_filemode(entry)) {
            case GIT_FILEMODE_TREE: {
                git_tree* raw = nullptr;
                const int code = git_tree_lookup(&raw, layer_->repository, oid);
                if (code != 0) throw_git(code, "reading the folder " + shown(path));
                const GitPointer<git_tree> tree(raw);
                tar_.add_folder(archive::join_path(path));
                add(tree.get(), path);
                return;
            }
            case GIT_FILEMODE_COMMIT: return add_submodule(oid, path);
            case GIT_FILEMODE_LINK: return add_link(oid, path);
            case GIT_FILEMODE_BLOB: return add_file(oid, path, false);
            case GIT_FILEMODE_BLOB_EXECUTABLE: return add_file(oid, path, true);
            default: refuse(shown(path) + " is neither a file, nor a folder, nor a link");
        }
    }

    void add_submodule(const git_oid* oid, archive::PathParts& path) {
        const std::size_t parts = path.size();
        tar_.add_folder(archive::join_path(path));
        const auto found = layer_->submodules.find(path_below(path));
        if (found == layer_->submodules.end()) {
            note("submodule " + shown(path) + " has no entry in .gitmodules: its folder is empty");
            return;
        }
        const auto& submodule = found->second;
        if (!submodule.wanted) {
            note(
                "submodule " + shown(path) +
                " has \"update = none\" in .gitmodules: its folder is empty");
            return;
        }
        if (missing_.size() >= max_missing) return;
        try {
            const auto taken = static_cast<int>(added_.size());
            const auto address = history::submodule_address(submodule, origins_, taken);
            const Revision pin(git_oid_tostr_s(oid));
            const auto& mirror = mirrors_.with(address, pin);
            added_.push_back({archive::printable(archive::join_path(path)), pin, submodule.url});
            add_layer(mirror, pin, address, path);
        } catch (const Error& error) {
            path.resize(parts);
            miss(path, error);
        }
    }

    void miss(const archive::PathParts& path, const Error& error) {
        if (missing_.size() >= max_missing) return;
        missing_.push_back(
            {archive::printable(archive::join_path(path)), error.what(), error.code()});
    }

    void add_source_file(const git_tree* tree) {
        auto submodules = nlohmann::json::array();
        for (const auto& [path, pin, url] : added_) {
            submodules.push_back(
                {{"path", path},
                 {"revision", pin.str()},
                 {"url", archive::printable(without_credentials(url))}});
        }
        const nlohmann::json made{
            {"version", 1},
            {"tree", git_oid_tostr_s(git_tree_id(tree))},
            {"submodules", submodules},
            {"notes", notes_}};
        tar_.add_file(std::string(source_file), false, wire::write_json(made) + "\n");
    }

    GitPointer<git_blob> blob(
        const git_oid* oid, const archive::PathParts& path, std::int64_t most) {
        std::size_t size = 0;
        git_object_t type = GIT_OBJECT_INVALID;
        int code = git_odb_read_header(&size, &type, layer_->odb.get(), oid);
        if (code != 0) throw_git(code, "reading " + shown(path));
        if (type != GIT_OBJECT_BLOB) refuse(shown(path) + " is not a file's content");
        if (static_cast<std::int64_t>(size) > most) {
            refuse(shown(path) + " is larger than " + std::to_string(most) + " bytes");
        }
        git_blob* raw = nullptr;
        code = git_blob_lookup(&raw, layer_->repository, oid);
        if (code != 0) throw_git(code, "reading " + shown(path));
        return GitPointer<git_blob>(raw);
    }

    static std::string_view content_of(const git_blob* file) {
        const auto size = static_cast<std::size_t>(git_blob_rawsize(file));
        return {static_cast<const char*>(git_blob_rawcontent(file)), size};
    }

    void add_link(const git_oid* oid, const archive::PathParts& path) {
        const auto link = blob(oid, path, max_link_bytes);
        const std::string target(content_of(link.get()));
        if (archive::link_stays_inside(path, target)) {
            tar_.add_link(archive::join_path(path), target);
            return;
        }
        --entries_;
        note(
            "link " + shown(path) + " -> \"" + archive::printable(target) +
            "\" is left out: it does not surely stay inside");
    }

    void add_file(const git_oid* oid, const archive::PathParts& path, bool executable) {
        const auto left = limits_.max_bytes - bytes_;
        const auto file = blob(oid, path, std::min(limits_.max_file_bytes, left));
        auto bytes = content_of(file.get());
        std::string filled_in;
        if (layer_->archived && bytes.find("$Format:") != bytes.npos) {
            filled_in = layer_->archived->content(limits_.max_file_bytes);
            if (filled_in != bytes) filled_.add(path);
            bytes = filled_in;
        }
        if (is_lfs_pointer(bytes)) pointers_.add(path);
        bytes_ += std::ssize(bytes);
        tar_.add_file(archive::join_path(path), executable, bytes);
    }

    void note_counts() {
        const auto tell = [&](const Counted& counted, const std::string& words) {
            if (counted.count == 0) return;
            const auto entries = counted.count == 1 ? " entry" : " entries";
            note(std::to_string(counted.count) + entries + words + ", e.g. " + counted.first);
        };
        tell(ignored_, " left out by export-ignore");
        tell(filled_, " filled in by export-subst");
        tell(pointers_, " that stands for a file of git-lfs, which is not fetched");
    }

    void note(std::string text) {
        if (notes_.size() == max_notes) notes_.emplace_back("and more");
        if (notes_.size() < max_notes) notes_.push_back(std::move(text));
    }

    struct Added {
        std::string path;
        Revision pin;
        std::string url;
    };

    /// Entries that are told by their number and the first of them.
    struct Counted {
        int count = 0;
        std::string first;
        void add(const archive::PathParts& path) {
            if (++count == 1) first = shown(path);
        }
    };

    ContentStore& content_;
    SubmoduleMirrors& mirrors_;
    TreeLimits limits_;
    TarWriter& tar_;
    const Layer* layer_ = nullptr;      ///< the innermost
    std::vector<std::string> origins_;  ///< of all layers, outer first
    int entries_ = 0;
    std::int64_t bytes_ = 0;
    Counted ignored_;
    Counted filled_;
    Counted pointers_;
    std::vector<std::string> notes_;
    std::vector<Added> added_;
    std::vector<MissingSubmodule> missing_;
};

}  // namespace

SourceTree export_source_tree(
    const GitClone& clone,
    const Revision& revision,
    ContentStore& content,
    SubmoduleMirrors& mirrors,
    TreeLimits limits) {
    const auto attempt = "exporting the tree of " + revision.str() + " from " + clone.path();
    return attempting(attempt, [&] {
        const TemporaryFile file{content.temporary_path()};
        TarWriter tar(file.path);
        TreeExport writer(content, mirrors, limits, tar);
        writer.add_all(clone, revision);
        auto result = std::move(writer).result();
        const auto digest = tar.finish();
        if (!result.missing.empty()) return result;
        result.digest = digest;
        result.bytes = tar.bytes();
        result.describe = clone.describe(revision);
        result.committed_at_s = clone.committed_at_s(revision);
        content.adopt(file.path, digest);
        return result;
    });
}

}  // namespace vigil::service
