#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"
#include "schema/wire/digest.hpp"
#include "tests/support/canned_server.hpp"

namespace vigil::test {

/// A file server as those of package indexes are: ETags, HEAD, ranges; and the faults of one.
class IndexServer {
  public:
    IndexServer() : server_([this](const CannedRequest& request) { return answer(request); }) {}

    std::string url() const { return server_.url(); }

    void put(const std::string& path, const std::string& body) {
        const std::lock_guard lock(mutex_);
        files_[path] = body;
    }
    void redirect(const std::string& path, const std::string& to) { redirects_[path] = to; }
    /// The next answers with this file's body break off after so many bytes.
    void cut(const std::string& path, std::vector<std::size_t> after) { cuts_[path] = after; }

    bool knows_etags = true;
    bool knows_head = true;
    std::vector<CannedRequest> requests;

    /// "GET 200 /path", "HEAD 200 /path", "GET 206 /path", ...
    std::vector<std::string> log;

    std::size_t count(const std::string& line) const {
        return static_cast<std::size_t>(std::count(log.begin(), log.end(), line));
    }

  private:
    CannedReply answer(const CannedRequest& request) {
        const std::lock_guard lock(mutex_);
        requests.push_back(request);
        CannedReply reply = answer_of(request);
        const std::string fault = reply.fault == Fault::cut ? " cut" : "";
        log.push_back(
            request.method + " " + std::to_string(reply.status) + " " + request.target + fault);
        return reply;
    }

    CannedReply answer_of(const CannedRequest& request) {
        const auto& headers = request.headers;
        if (redirects_.contains(request.target)) {
            return {302, "", {{"location", redirects_.at(request.target)}}, Fault::none, 0};
        }
        if (!files_.contains(request.target)) return {404, "nothing here", {}, Fault::none, 0};
        const std::string& body = files_.at(request.target);
        const std::string etag = '"' + wire::sha256(body).brief() + '"';
        CannedReply reply{200, body, {{"accept-ranges", "bytes"}}, Fault::none, 0};
        if (knows_etags) reply.headers["etag"] = etag;
        if (headers.contains("if-none-match") && headers.at("if-none-match") == etag) {
            return {304, "", reply.headers, Fault::none, 0};
        }
        if (request.method == "HEAD") {
            if (!knows_head) return {405, "", {}, Fault::none, 0};
            reply.headers["content-length"] = std::to_string(body.size());
            reply.body.clear();
            return reply;
        }
        if (headers.contains("range") && headers.at("if-range") == etag) {
            const std::size_t from = std::stoul(headers.at("range").substr(6));
            if (from >= body.size()) return {416, "", {}, Fault::none, 0};
            reply.status = 206;
            reply.body = body.substr(from);
            reply.headers["content-range"] = "bytes " + std::to_string(from) + "-" +
                                             std::to_string(body.size() - 1) + "/" +
                                             std::to_string(body.size());
        }
        auto& cuts = cuts_[request.target];
        if (!cuts.empty()) {
            reply.fault = Fault::cut;
            reply.cut_after = std::min(cuts.front(), reply.body.size());
            cuts.erase(cuts.begin());
        }
        return reply;
    }

    std::mutex mutex_;
    std::map<std::string, std::string> files_;
    std::map<std::string, std::string> redirects_;
    std::map<std::string, std::vector<std::size_t>> cuts_;
    CannedServer server_;  // the last: its thread uses the others
};

/// Makes wheels and archives with a LibTorch's layout in them, small.
class TorchMaker {
  public:
    explicit TorchMaker(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::string more_metadata;  ///< lines of wheels that are made from now on

    /// A wheel's bytes. @param requires_torch  version, or empty
    std::string wheel(
        const std::string& package,
        const std::string& version,
        const std::string& commit,
        const std::string& requires_torch = "") const {
        const auto root = fresh();
        const std::string info = package + "-" + version + ".dist-info";
        write(
            root / package / "version.py",
            "__version__ = '" + version + "'\ndebug = False\ncuda = None\ngit_version = '" +
                commit + "'\nhip = None\n");
        if (package == "torch") write_libraries(root / "torch", commit);
        write(
            root / info / "METADATA",
            "Metadata-Version: 2.1\nName: " + package + "\nVersion: " + version + "\n" +
                (requires_torch.empty() ? ""
                                        : "Requires-Dist: torch (==" + requires_torch + ")\n") +
                more_metadata);
        write(root / info / "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n");
        write(root / info / "RECORD", package + "/version.py,,\n");
        return zipped(root, package + " '" + info + "'");
    }

    /// A wheel of one file, <folder>/<package>.txt, which holds the version.
    std::string parted_wheel(
        const std::string& package, const std::string& version, const std::string& folder) const {
        const auto root = fresh();
        write(root / folder / (package + ".txt"), version);
        write(root / folder / "__init__.py", "");
        return zipped(root, folder);
    }

    std::string archive(const std::string& version, const std::string& commit) const {
        const auto root = fresh();
        write_libraries(root / "libtorch", commit);
        write(root / "libtorch/build-version", version + "\n");
        write(root / "libtorch/build-hash", commit + "\n");
        return zipped(root, "libtorch");
    }

  private:
    std::filesystem::path fresh() const {
        const auto root = folder_ / ("made" + std::to_string(count_++));
        std::filesystem::create_directories(root);
        return root;
    }

    static void write(const std::filesystem::path& file, const std::string& text) {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }

    static void write_libraries(const std::filesystem::path& root, const std::string& commit) {
        for (const std::string library : {"libtorch", "libtorch_cpu", "libc10", "libgomp-1"}) {
            // Hex that does not pack well, so that there is something to break off.
            std::string bytes =
                "\x7f"
                "ELF";
            for (int i = 0; i < 64; ++i) {
                bytes += wire::sha256(library + commit + std::to_string(i)).str();
            }
            write(root / "lib" / (library + ".so"), bytes);
        }
        write(root / "include/torch/csrc/api/include/torch/torch.h", "#pragma once\n");
        write(root / "include/ATen/ATen.h", "#pragma once\n");
        write(root / "share/cmake/Torch/TorchConfig.cmake", "set(TORCH_FOUND TRUE)\n");
    }

    static std::string zipped(const std::filesystem::path& root, const std::string& names) {
        const std::string command =
            "cd '" + root.string() + "' && python3 -m zipfile -c out.zip " + names;
        if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot make a zip");
        std::ifstream in(root / "out.zip", std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::filesystem::path folder_;
    mutable int count_ = 0;
};

}  // namespace vigil::test
