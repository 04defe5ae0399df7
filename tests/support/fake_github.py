"""The state of a small GitHub, and what people and programs do to it; serve_github.py puts it on an
address. Standard library only."""

import hashlib
import hmac
import json
import os
import re
import subprocess
import threading
import time
import urllib.parse
import urllib.request
import uuid

REPOSITORY = "lab/tensorlab"
BOT = "vigil-bot"  # whose token every program has


def utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Github:
    """The state, and what happens to it. repository: name; folder: of its git repository, or
    None; branch: that pull requests are to come into."""

    def __init__(self, repository=REPOSITORY, folder=None, branch="main"):
        self.repository, self.folder, self.branch = repository, folder, branch
        self.lock = threading.RLock()
        self.url = ""
        self.threads, self.comments, self.checks = [], [], []  # issues and pull requests share
        self.permissions = {}
        self.hook = None
        self.writes = []  # what programs wrote: (method, path)
        self.deliveries = []  # (event, status)
        self.clock = int(time.time())

    # What people do -------------------------------------------------------------------------------

    def permit(self, login, permission="write"):
        self.permissions[login] = permission

    def set_hook(self, url, secret):
        self.hook = (url, secret.encode())

    def deliver(self, event, payload):
        """One signed delivery, as GitHub sends it; one that fails is not sent again."""
        if not self.hook:
            return None
        url, secret = self.hook
        body = json.dumps(payload | {"repository": {
            "full_name": self.repository, "default_branch": self.branch}}).encode()
        request = urllib.request.Request(url, body, method="POST", headers={
            "Content-Type": "application/json", "X-GitHub-Event": event,
            "X-GitHub-Delivery": str(uuid.uuid4()),
            "X-Hub-Signature-256":
                "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()})
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                said = json.loads(reply.read())["state"]
        except (OSError, ValueError) as error:
            said = str(error)
        self.deliveries.append((event, said))
        return said

    def comment(self, number, login, body):
        with self.lock:
            thread = self.thread(number)
            comment = self.add_comment(number, login, body)
        issue = {"number": number, "html_url": self.address(thread)}
        if thread["pull"]:
            issue["pull_request"] = {"url": f"{self.url}/repos/{self.repository}/pulls/{number}"}
        self.deliver("issue_comment", {
            "action": "created", "issue": issue,
            "comment": {"id": comment["id"], "body": body, "user": {"login": login}}})
        return comment

    def pull(self, branch, home=None, title=None, login="ada"):
        with self.lock:
            thread = self.add_thread(title or f"Merge {branch}", "", login)
            thread["pull"] = {"branch": branch, "home": home or self.repository, "labels": []}
            self.read_head(thread)
        self.tell_of_pull(thread, "opened")
        return thread

    def push(self, number):
        with self.lock:
            thread = self.thread(number)
            self.read_head(thread)
        self.tell_of_pull(thread, "synchronize")

    def label(self, number, label="vigil"):
        with self.lock:
            thread = self.thread(number)
            thread["pull"]["labels"].append(label)
        self.tell_of_pull(thread, "labeled", label)

    def unlabel(self, number, label="vigil"):
        with self.lock:
            thread = self.thread(number)
            thread["pull"]["labels"].remove(label)
        self.tell_of_pull(thread, "unlabeled", label)

    def close(self, number):
        with self.lock:
            thread = self.thread(number)
            thread["state"] = "closed"
        self.tell_of_pull(thread, "closed")

    def merge(self, number, revision):
        """Its change is on the branch, as this commit."""
        with self.lock:
            thread = self.thread(number)
            thread["state"] = "closed"
            thread["pull"].update(merged_at=utc(time.time()), merge_commit_sha=revision)
        self.tell_of_pull(thread, "closed")

    def tell_of_pull(self, thread, action, label=None):
        with self.lock:
            self.clock = max(self.clock + 1, int(time.time()))
            thread["updated"] = self.clock
            payload = {"action": action, "pull_request": self.shown_pull(thread)}
        if label:
            payload["label"] = {"name": label}
        self.deliver("pull_request", payload)

    # State ----------------------------------------------------------------------------------------

    def thread(self, number):
        if not 0 < number <= len(self.threads):
            raise Refused(404, "Not Found")
        return self.threads[number - 1]

    def add_thread(self, title, body, login):
        self.threads.append({"number": len(self.threads) + 1, "title": title, "body": body,
                             "state": "open", "login": login, "pull": None,
                             "updated": self.clock})
        return self.threads[-1]

    def add_comment(self, number, login, body):
        self.comments.append({"id": len(self.comments) + 1, "number": number, "login": login,
                              "body": body, "edits": 0})
        return self.comments[-1]

    def git(self, *arguments):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        return subprocess.run(["git", "-C", self.folder, *arguments], check=True, text=True,
                              stdout=subprocess.PIPE, env=clean).stdout.strip()

    def read_head(self, thread):
        """As GitHub does, the newest commit of a pull request gets a name."""
        pull = thread["pull"]
        pull["head"] = self.git("rev-parse", pull["branch"] + "^{commit}")
        pull["base"] = self.git("rev-parse", self.branch + "^{commit}")
        self.git("update-ref", f"refs/pull/{thread['number']}/head", pull["head"])

    def address(self, thread):
        kind = "pull" if thread["pull"] else "issues"
        return f"{self.url}/{self.repository}/{kind}/{thread['number']}"

    def comments_of(self, number):
        return [comment for comment in self.comments if comment["number"] == number]

    def checks_of(self, revision):
        return [check for check in self.checks if check["head_sha"] == revision]

    # What programs see ----------------------------------------------------------------------------

    def shown_issue(self, thread):
        shown = {"number": thread["number"], "title": thread["title"], "body": thread["body"],
                 "state": thread["state"], "user": {"login": thread["login"]},
                 "html_url": self.address(thread)}
        return shown | ({"pull_request": {}} if thread["pull"] else {})

    def shown_comment(self, comment):
        return {"id": comment["id"], "body": comment["body"], "user": {"login": comment["login"]},
                "html_url": f"{self.address(self.thread(comment['number']))}#{comment['id']}"}

    def shown_pull(self, thread):
        pull = thread["pull"]
        if not pull:
            raise Refused(404, "Not Found")
        return {"number": thread["number"], "state": thread["state"],
                "merged_at": pull.get("merged_at"),
                "merge_commit_sha": pull.get("merge_commit_sha"),
                "updated_at": utc(thread["updated"]), "html_url": self.address(thread),
                "labels": [{"name": label} for label in pull["labels"]],
                "head": {"sha": pull["head"], "ref": pull["branch"],
                         "repo": {"full_name": pull["home"]}},
                "base": {"sha": pull["base"], "ref": self.branch,
                         "repo": {"full_name": self.repository}}}

    # What programs ask ----------------------------------------------------------------------------

    def make_issue(self, body):
        thread = self.add_thread(body["title"], body.get("body", ""), BOT)
        return 201, self.shown_issue(thread)

    def change_issue(self, body, number):
        thread = self.thread(int(number))
        thread.update({key: body[key] for key in ("title", "body", "state") if key in body})
        return 200, self.shown_issue(thread)

    def make_comment(self, body, number):
        self.thread(int(number))
        return 201, self.shown_comment(self.add_comment(int(number), BOT, body["body"]))

    def change_comment(self, body, number):
        for comment in self.comments:
            if comment["id"] == int(number):
                comment["body"] = body["body"]
                comment["edits"] += 1
                return 200, self.shown_comment(comment)
        raise Refused(404, "Not Found")

    def make_check(self, body):
        check = {"id": len(self.checks) + 1, "conclusion": None, **body}
        if (check["status"] == "completed") != bool(check["conclusion"]):
            raise Refused(422, "a conclusion belongs to what is completed")
        self.checks.append(check)
        return 201, check

    def change_check(self, body, number):
        if not 0 < int(number) <= len(self.checks):
            raise Refused(404, "Not Found")
        check = self.checks[int(number) - 1]
        check.update({"conclusion": None, **body})
        return 200, check

    def permission(self, _, login):
        return 200, {"permission": self.permissions.get(login, "read")}

    def list_issues(self, _):
        return 200, [self.shown_issue(thread) for thread in self.threads]

    def list_comments(self, _, number):
        self.thread(int(number))
        return 200, [self.shown_comment(one) for one in self.comments_of(int(number))]

    def list_checks(self, _, revision):
        found = self.checks_of(revision)
        return 200, {"total_count": len(found), "check_runs": found}

    def list_pulls_of(self, _, revision):
        return 200, [self.shown_pull(thread) for thread in self.threads
                     if thread["pull"] and thread["pull"].get("merge_commit_sha") == revision]

    def tell_pull(self, _, number):
        return 200, self.shown_pull(self.thread(int(number)))

    ROUTES = [
        ("GET", r"/issues", list_issues),
        ("POST", r"/issues", make_issue),
        ("PATCH", r"/issues/(\d+)", change_issue),
        ("GET", r"/issues/(\d+)/comments", list_comments),
        ("POST", r"/issues/(\d+)/comments", make_comment),
        ("PATCH", r"/issues/comments/(\d+)", change_comment),
        ("GET", r"/collaborators/([^/]+)/permission", permission),
        ("GET", r"/pulls/(\d+)", tell_pull),
        ("GET", r"/commits/([0-9a-f]{40})/pulls", list_pulls_of),
        ("POST", r"/check-runs", make_check),
        ("PATCH", r"/check-runs/(\d+)", change_check),
        ("GET", r"/commits/([0-9a-f]{40})/check-runs", list_checks),
    ]

    def answer(self, method, target, body):
        """@return status and value"""
        path, _, query = target.partition("?")
        if (method, path) == ("GET", "/user"):
            return 200, {"login": BOT}
        root = f"/repos/{self.repository}"
        for known, pattern, act in self.ROUTES:
            match = re.fullmatch(pattern, path[len(root):]) if path.startswith(root + "/") else None
            if known != method or not match:
                continue
            with self.lock:
                if method != "GET":
                    self.writes.append((method, path))
                words = [urllib.parse.unquote(word) for word in match.groups()]
                status, value = act(self, body, *words)
                value = json.loads(json.dumps(value))
            asked = urllib.parse.parse_qs(query)
            if isinstance(value, list):
                size = int(asked.get("per_page", ["30"])[0])
                page = int(asked.get("page", ["1"])[0])
                value = value[size * (page - 1):size * page]
            return status, value
        raise Refused(404, "Not Found")

    def do(self, what, body):
        """What people do. @return what came of it"""
        if what == "permit":
            return self.permit(**body)
        if what == "hook":
            return self.set_hook(**body)
        if what == "comment":
            return self.comment(**body)
        if what == "pull":
            return self.pull(body["branch"], body.get("from"))
        known = {"push": self.push, "label": self.label, "unlabel": self.unlabel,
                 "close": self.close, "merge": self.merge}
        if what not in known:
            raise Refused(404, f"people do not {what}")
        return known[what](**body)

    # What people see ------------------------------------------------------------------------------

    def page(self, path):
        with self.lock:
            if path == "/":
                return "".join(f"{self.address(thread)}  {thread['state']:<6}  {thread['title']}\n"
                               for thread in self.threads) or "no issue yet\n"
            match = re.fullmatch(rf"/{re.escape(self.repository)}/(?:issues|pull)/(\d+)", path)
            if not match:
                raise Refused(404, "Not Found")
            thread = self.thread(int(match[1]))
            parts = [f"{thread['title']}\n#{thread['number']}, {thread['state']}, by "
                     f"{thread['login']}\n", thread["body"]]
            if thread["pull"]:
                pull = thread["pull"]
                parts.append(f"commit {pull['head']} of {pull['branch']}, from {pull['home']}; "
                             f"labels: {', '.join(pull['labels']) or 'none'}\n")
                for check in self.checks_of(pull["head"]):
                    parts.append(f"check run {check['name']}: "
                                 f"{check['conclusion'] or check['status']}: "
                                 f"{check['output']['title']}\n")
            for comment in self.comments_of(thread["number"]):
                edited = ", edited" if comment["edits"] else ""
                parts.append(f"--- {comment['login']}{edited}\n\n{comment['body']}")
        return "\n".join(parts)
