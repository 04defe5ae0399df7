#include "service/store/lists/lists.hpp"

// What stands below issues and pull requests, and the pull requests that are measured.

namespace vigil::service::lists {

const List notices{
    "notice",
    "SELECT notice.id, notice.target, notice.place, notice.number,"
    " nullif(notice.revision, '') AS revision, nullif(notice.status, '') AS status,"
    " notice.title, notice.version, notice.state, notice.given_up AS 'given_up:bool',"
    " notice.attempts, notice.ambiguous AS 'ambiguous:bool',"
    " iif(notice.state = 'pending', notice.next_attempt_at_s, NULL) AS next_attempt_at_s,"
    " notice.external_ref, notice.message, notice.changed_at_s FROM notice"
    " WHERE notice.id <= :newest AND (:state IS NULL OR notice.state = :state)"
    " AND (:given_up IS NULL OR notice.given_up = :given_up)"
    " AND (:target IS NULL OR notice.target = :target)"
    " AND (:number IS NULL OR notice.number = :number)"
    " AND (:since_s IS NULL OR notice.changed_at_s >= :since_s)"
    " AND (:until_s IS NULL OR notice.changed_at_s < :until_s)"
    " ORDER BY notice.id DESC LIMIT :limit",
    {{"", "SELECT body FROM notice WHERE id = ?1"}}};

const List pulls{
    "pull",
    "SELECT pull.id, project.name AS project, pull.target, pull.number, pull.head, pull.base,"
    " pull.is_fork AS 'is_fork:bool', pull.asked_by AS 'by', pull.state, pull.message,"
    " pull.request_id AS request, pull.created_at_s, pull.ended_at_s"
    " FROM pull JOIN project ON project.id = pull.project_id"
    " WHERE pull.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR pull.state = :state)"
    " AND (:target IS NULL OR pull.target = :target)"
    " AND (:number IS NULL OR pull.number = :number)"
    " AND (:since_s IS NULL OR pull.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR pull.created_at_s < :until_s)"
    " ORDER BY pull.id DESC LIMIT :limit"};

}  // namespace vigil::service::lists
