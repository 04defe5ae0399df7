#include "service/config/resolve_paths.hpp"

#include "service/config/text_rules.hpp"

namespace vigil::service {

void resolve_paths(Config& config, const std::filesystem::path& folder) {
    const auto resolve = [&](std::string& path) {
        if (!path.empty()) path = (folder / path).lexically_normal().string();
    };
    resolve(config.state_dir);
    resolve(config.ledger.backup_dir);
    for (auto& [name, target] : config.report_targets) {
        resolve(target.path);
        resolve(target.token_file);
        resolve(target.private_key_file);
        resolve(target.secret_file);
        resolve(target.url_file);
        resolve(target.password_file);
    }
    for (auto& [name, project] : config.projects) {
        resolve(project.source.path);
        if (is_path(project.source.repository)) resolve(project.source.repository);
        if (!project.source.callback) continue;
        resolve(project.source.callback->secret_file);
        resolve(project.source.callback->token_file);
    }
    if (config.fleet) {
        resolve(config.fleet->folder);
        resolve(config.fleet->slurmrestd_token_file);
        if (config.fleet->worker.find('/') != std::string::npos) resolve(config.fleet->worker);
        for (auto& [name, one] : config.fleet->machine_classes) resolve(one.worker_file);
    }
    if (config.object_store) resolve(config.object_store->access_key_file);
    if (config.webhook) {
        resolve(config.webhook->secret_file);
        resolve(config.webhook->old_secret_file);
    }
}

}  // namespace vigil::service
