#include "schema/archive/library.hpp"

#include <archive.h>
#include <archive_entry.h>

#include "schema/archive/path_rules.hpp"
#include "schema/model/error.hpp"

namespace vigil::archive {

void FreeArchive::operator()(struct archive* handle) const {
    archive_free(handle);
}

void FreeEntry::operator()(struct archive_entry* entry) const {
    archive_entry_free(entry);
}

std::string reason_of(struct archive* handle) {
    const char* text = archive_error_string(handle);
    return text == nullptr ? "no reason given" : printable(text);
}

Utf8Locale::Utf8Locale() : own_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), before_(nullptr) {
    if (own_ == nullptr) {
        throw Error(Errc::internal, "switching to the C.UTF-8 locale: this system has none");
    }
    before_ = uselocale(own_);
}

Utf8Locale::~Utf8Locale() {
    uselocale(before_);
    freelocale(own_);
}

}  // namespace vigil::archive
