#include "service/store/alone.hpp"

#include <exception>
#include <new>

namespace vigil::service {

std::optional<std::string> try_alone(Database& db, const std::function<void()>& work) {
    db.execute("SAVEPOINT alone");
    const auto undo = [&] {
        db.execute("ROLLBACK TO alone");
        db.execute("RELEASE alone");
    };
    try {
        work();
        db.execute("RELEASE alone");
        return std::nullopt;
    } catch (const std::bad_alloc&) {
        if (db.in_transaction()) undo();
        throw;
    } catch (const Error& error) {
        if (!db.in_transaction()) throw;
        undo();
        if (error.code() == Errc::unavailable) throw;
        return error.what();
    } catch (const std::exception& error) {
        if (!db.in_transaction()) throw;
        undo();
        return error.what();
    }
}

}  // namespace vigil::service
