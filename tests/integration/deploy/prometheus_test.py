"""The metrics of a daemon and the rules of deploy/prometheus, as Prometheus reads them.
usage: prometheus_test.py BUILD_FOLDER; "skipped:" where promtool (Debian's prometheus) lacks"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
import past  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
RULES = ROOT / "deploy" / "prometheus" / "vigil.rules.yml"
DASHBOARD = RULES.parent / "dashboard.json"
RUNBOOK = ROOT / "docs" / "runbook.md"
PROMTOOL = os.environ.get("PROMTOOL") or shutil.which("promtool")

# By alert: the series that wakes it, its values where all is well and where it is not, by the hour.
CASES = {
    "VigilDown": ('up{job="vigil"}', "1x200", "0x200"),
    "VigilDiskFull": ('vigil_troubles{kind="disk.full"}', "0x200", "1x200"),
    "VigilDiskFilling": (
        "vigil_disk_free_bytes", "50000000000-1000000x200", "50000000000-200000000x200"),
    "VigilNoWorkers": ('vigil_troubles{kind="class.no_workers"}', "0x200", "2x200"),
    "VigilNightLate": ('vigil_troubles{kind="night.late"}', "0x200", "1x200"),
    "VigilReportsUndelivered": ('vigil_troubles{kind="report.undelivered"}', "0x200", "1x200"),
    "VigilMessagesGivenUp": ("vigil_outbox_given_up", "0x200", "3x200"),
    "VigilWorkBlocked": ('vigil_troubles{kind="tick.failed"}', "0x200", "1x200"),
    "VigilWorkerHeld": ('vigil_troubles{kind="worker.quarantined"}', "0x200", "1x200"),
    "VigilWriterBehind": ('vigil_lane_waiting{lane="writer"}', "0x200", "90x200"),
    "VigilBackupOld": ("vigil_backup_age_seconds", "3600x200", "259200x200"),
    "VigilSelfTestMissed": ('vigil_troubles{kind="self_test.missed"}', "0x200", "1x200"),
    "VigilSelfTestSilent": ("vigil_self_test_age_seconds", "86400x200", "259200x200"),
}


def promtool(*arguments, text=None):
    return subprocess.run(
        [PROMTOOL, *arguments], input=text, capture_output=True, text=True, check=False)


def rules():
    """Expression and annotations of each rule, by its name."""
    found = {}
    for part in RULES.read_text().split("- alert: ")[1:]:
        name = part.split("\n", 1)[0]
        labels = re.search(r"labels: \{severity: (\w+)\}", part)[1]
        summary = re.search(r"summary: (.*)", part)[1]
        runbook = re.search(r"runbook: (.*)", part)[1]
        found[name] = (re.search(r"expr: (.*)", part)[1], labels, summary, runbook)
    return found


class Rules(unittest.TestCase):
    def test_they_are_rules(self):
        checked = promtool("check", "rules", str(RULES))
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_each_is_silent_where_all_is_well_and_fires_where_it_is_not(self):
        self.assertEqual(set(CASES), set(rules()))
        tests = []
        for name, (series, well, ill) in CASES.items():
            _, severity, summary, runbook = rules()[name]
            labels = dict(re.findall(r'(\w+)="([^"]*)"', series)) | {"severity": severity}
            fired = {"exp_labels": labels,
                     "exp_annotations": {"summary": summary, "runbook": runbook}}
            for values, alerts in ((well, []), (ill, [fired])):
                tests.append({
                    "name": f"{name}, {len(alerts)}",
                    "interval": "1h",
                    "input_series": [{"series": series, "values": values}],
                    "alert_rule_test": [
                        {"eval_time": "180h", "alertname": name, "exp_alerts": alerts}]})
        with tempfile.TemporaryDirectory(prefix="vigil-rules-") as folder:
            document = Path(folder) / "test.yml"
            document.write_text(json.dumps({
                "rule_files": [str(RULES)], "evaluation_interval": "1h", "tests": tests}))
            tested = promtool("test", "rules", str(document))
        self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)

    def test_each_has_a_section_in_the_runbook(self):
        headings = set(re.findall(r"^## (\w+)$", RUNBOOK.read_text(), re.MULTILINE))
        self.assertEqual(headings, set(rules()))
        for name, (*_, runbook) in rules().items():
            self.assertEqual(runbook, f"docs/runbook.md#{name.lower()}")


class Metrics(unittest.TestCase):
    def test_they_are_clean_and_the_rules_know_them(self):
        with tempfile.TemporaryDirectory(prefix="vigil-metrics-") as folder:
            stage, _ = past.start(Path(folder) / "daemon", BUILD, open_reads="local")
            try:
                with urllib.request.urlopen(stage.url + "/metrics", timeout=60) as reply:
                    text = reply.read().decode()
            finally:
                stage.stop()
        checked = promtool("check", "metrics", text=text)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""), text)
        known = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
        # Only where ledger.backup_dir is named, and where the self-test found something.
        known |= {"vigil_backup_age_seconds", "vigil_self_test_age_seconds"}
        for name, (expression, *_) in rules().items():
            used = set(re.findall(r"\bvigil_\w+", expression))
            self.assertLessEqual(used, known, name)
        for panel in json.loads(DASHBOARD.read_text())["panels"]:
            for target in panel["targets"]:
                used = set(re.findall(r"\bvigil_\w+", target["expr"]))
                self.assertTrue(used)
                self.assertLessEqual(used, known, panel["title"])


if __name__ == "__main__":
    if not PROMTOOL:
        print("skipped: promtool is not installed; Debian's package prometheus has it")
        sys.exit(0)
    unittest.main(verbosity=2)
