// A worker that measures nothing: it claims jobs as a worker does, and says at once, or when a test
// wants it, what it "measured" of each commit.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";

const protocol = 3;
const fingerprint = {
  cpu_model: "x", cpus: 2, memory_bytes: 2 ** 34, gpus: [], labels: {}, toolchain: "none" };
const times = 5;

/** A worker of a daemon, by its token. `valueOf` says what a revision measures. */
export function makeWorker({ url, worker }, valueOf) {
  let count = 0;
  async function send(method, path, body) {
    const isText = typeof body === "string";
    const reply = await fetch(url + path, {
      method, body: isText ? body : JSON.stringify(body), headers: {
        authorization: `Bearer ${worker}`,
        "content-type": isText ? "application/octet-stream" : "application/json" } });
    const text = await reply.text();
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** What it says to have built: a product of its own for each revision. */
  async function build({ id, revision, product }) {
    if (product !== undefined) return [];
    const digest = createHash("sha256").update(revision).digest("hex");
    await send("PUT", `/api/v1/content/${digest}?kind=product`, revision);
    return [{ id, built: true, message: "", duration_ns: 1, product: digest }];
  }

  /** Samples differ a little, the same way in each run of the tests. */
  function samplesOf(revision) {
    return Array.from(
      { length: times }, () => valueOf(revision) * (1 + 0.001 * Math.sin(++count)));
  }

  return {
    /** Takes the next job; nothing where none comes within some seconds. */
    claim: (seconds = 10) => send("POST", "/api/v1/worker/claim", {
      protocol, fingerprint, wait_s: seconds, draining: false }),

    /** Hands in a job's result. */
    async finish({ job, attempt, builds, plan }) {
      const built = [];
      for (const one of builds) built.push(...await build(one));
      const runs = plan.steps.map(({ build }, step) => ({
        step, outcome: "passed", message: "", started_at_ns: step + 1, duration_ns: 1,
        samples: [{ metric: "cpu_time_ns", values: samplesOf(builds[build].revision) }] }));
      const record = { facts: { kernel: "k" }, readings: {} };
      await send("PUT", `/api/v1/worker/jobs/${job}/attempts/${attempt}/result`, {
        builds: built, runs, before: record, after: record, failure: "" });
    },
  };
}
