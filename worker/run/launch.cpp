#include "worker/run/launch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sched.h>
#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/syscall.h>

#include "schema/model/error.hpp"
#include "schema/text/nearest.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

using Names = std::vector<const char*>;

/// As the loader finds it, below `root`; empty: none of the names is there.
fs::path find_library(const Names& names, const fs::path& root) {
    for (const char* folder :
         {"usr/local/lib",
          "usr/lib/x86_64-linux-gnu",
          "usr/lib/aarch64-linux-gnu",
          "usr/lib64",
          "usr/lib"}) {
        for (const char* name : names) {
            std::error_code ignored;
            if (fs::exists(root / folder / name, ignored)) return fs::path("/") / folder / name;
        }
    }
    return {};
}

fs::path find_intel_openmp(const fs::path& root) {
    return find_library({"libiomp5.so", "libomp.so.5"}, root);
}

fs::path folder_of(int processor, const fs::path& root) {
    return root / fmt::format("sys/devices/system/cpu/cpu{}", processor);
}

/// Whether it is the first of the worker's threads of its core.
bool is_first_of_core(int processor, const std::vector<int>& own, const fs::path& root) {
    const auto siblings =
        parse_cores(first_line(folder_of(processor, root) / "topology/thread_siblings_list"));
    if (!siblings) return true;
    const auto first =
        std::find_first_of(own.begin(), own.end(), siblings->begin(), siblings->end());
    return first == own.end() || *first == processor;
}

std::string socket_of(int processor, const fs::path& root) {
    return first_line(folder_of(processor, root) / "topology/physical_package_id");
}

int node_of(int processor, const fs::path& root) {
    for (const int node : numa_memories(root)) {
        std::error_code ignored;
        if (fs::exists(folder_of(processor, root) / fmt::format("node{}", node), ignored)) {
            return node;
        }
    }
    return numa_memories(root).front();
}

/// A profile in the words of the other keys.
Launch written_out(const Launch& launch, const std::vector<int>& own, const fs::path& root) {
    if (launch.profile == LaunchProfile::none) return launch;
    std::vector<int> cores{own.front()};
    if (launch.profile == LaunchProfile::xeon_socket) {
        cores.clear();
        for (const int processor : own) {
            if (socket_of(processor, root) == socket_of(own.front(), root) &&
                is_first_of_core(processor, own, root)) {
                cores.push_back(processor);
            }
        }
    }
    Launch written;
    written.cores = cores_text(cores);
    written.numa_memory = node_of(own.front(), root);
    written.allocator = Allocator::jemalloc;
    written.openmp.threads = static_cast<int>(cores.size());
    written.openmp.affinity = "granularity=fine,compact,1,0";
    written.openmp.blocktime_ms = 1;
    // As the dashboard has it, where it is there.
    if (!find_intel_openmp(root).empty()) written.openmp.library = OpenMpLibrary::intel;
    return written;
}

/// Whether the kernel lets this process speak of memory nodes; containers often do not.
std::string why_no_memory_policy() {
    int policy = 0;
    if (::syscall(SYS_get_mempolicy, &policy, nullptr, 0UL, nullptr, 0UL) == 0) return "";
    return fmt::format(
        "choosing the memory node is refused here ({}): a container needs CAP_SYS_NICE",
        std::strerror(errno));
}

class Applying {
  public:
    Applying(const Launch& launch, const std::vector<int>& own, const fs::path& root)
        : launch_(launch), own_(own), root_(root) {}

    AppliedLaunch apply() {
        use_cores();
        use_memory_node();
        use_allocator();
        use_openmp();
        if (!preloads_.empty()) applied_.variables["LD_PRELOAD"] = text::joined(preloads_, ":");
        if (!missing_.empty()) throw Error(Errc::unavailable, text::joined(missing_, "; "));
        return applied_;
    }

  private:
    void use_cores() {
        if (launch_.cores.empty()) return;
        const auto cores = parse_cores(launch_.cores).value_or(std::vector<int>{});
        std::vector<int> lacking;
        std::set_difference(
            cores.begin(), cores.end(), own_.begin(), own_.end(), std::back_inserter(lacking));
        if (!lacking.empty()) {
            missing_.push_back(fmt::format(
                "the worker has no core {}; it may use {}", cores_text(lacking), cores_text(own_)));
        }
        applied_.processors = cores;
    }

    void use_memory_node() {
        if (!launch_.numa_memory) return;
        const auto nodes = numa_memories(root_);
        if (std::find(nodes.begin(), nodes.end(), *launch_.numa_memory) == nodes.end()) {
            missing_.push_back(fmt::format(
                "there is no memory node {}; this machine has {}",
                *launch_.numa_memory,
                cores_text(nodes)));
            return;
        }
        if (nodes.size() == 1) return;  // all memory is there
        const auto why = root_ == "/" ? why_no_memory_policy() : "";
        if (!why.empty()) missing_.push_back(why);
        applied_.numa_memory = launch_.numa_memory;
    }

    void preload(const fs::path& library, const std::string& name, const std::string& package) {
        if (library.empty()) {
            missing_.push_back(
                fmt::format("{} is not installed: apt-get install {}", name, package));
        } else {
            preloads_.push_back(library.string());
        }
    }

    void use_allocator() {
        const auto library = find_allocator(launch_.allocator, root_);
        switch (launch_.allocator) {
            case Allocator::standard: break;
            case Allocator::jemalloc:
                preload(library, "jemalloc", "libjemalloc2");
                applied_.variables["MALLOC_CONF"] = dashboard_malloc;
                break;
            case Allocator::tcmalloc: preload(library, "tcmalloc", "libtcmalloc-minimal4"); break;
        }
    }

    void use_openmp() {
        const auto& openmp = launch_.openmp;
        auto& variables = applied_.variables;
        if (openmp.threads > 0) variables["OMP_NUM_THREADS"] = std::to_string(openmp.threads);
        if (!openmp.affinity.empty()) variables["KMP_AFFINITY"] = openmp.affinity;
        if (openmp.blocktime_ms) {
            variables["KMP_BLOCKTIME"] = std::to_string(*openmp.blocktime_ms);
        }
        if (openmp.library == OpenMpLibrary::intel) {
            preload(find_intel_openmp(root_), "Intel's OpenMP", "libomp5");
        }
    }

    const Launch& launch_;
    const std::vector<int>& own_;
    const fs::path& root_;
    AppliedLaunch applied_;
    std::vector<std::string> preloads_;
    std::vector<std::string> missing_;
};

}  // namespace

AppliedLaunch apply_launch(
    const Launch& launch, const std::vector<int>& own, const fs::path& root) {
    VIGIL_ASSERT(!own.empty());
    const auto written = written_out(launch, own, root);
    return Applying(written, own, root).apply();
}

std::string words_of(const AppliedLaunch& launch) {
    std::vector<std::string> words;
    if (!launch.processors.empty()) words.push_back("cores " + cores_text(launch.processors));
    if (launch.numa_memory) words.push_back(fmt::format("memory of node {}", *launch.numa_memory));
    for (const auto& [name, value] : launch.variables) words.push_back(name + "=" + value);
    return text::joined(words, "; ");
}

std::vector<int> own_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> own;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int core = 0; core <= max_core; ++core) {
            if (CPU_ISSET(static_cast<std::size_t>(core), &set)) own.push_back(core);
        }
    }
    return own.empty() ? std::vector<int>{0} : own;  // more than a set of the C library holds
}

std::vector<int> numa_memories(const fs::path& root) {
    const auto nodes = parse_cores(first_line(root / "sys/devices/system/node/online"));
    return nodes.value_or(std::vector<int>{0});
}

fs::path find_allocator(Allocator allocator, const fs::path& root) {
    switch (allocator) {
        case Allocator::standard: break;
        case Allocator::jemalloc: return find_library({"libjemalloc.so.2"}, root);
        case Allocator::tcmalloc:
            return find_library({"libtcmalloc.so.4", "libtcmalloc_minimal.so.4"}, root);
    }
    return {};
}

}  // namespace vigil::worker
