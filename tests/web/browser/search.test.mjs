// The page of a search is open while its probes come in: what it shows changes by itself.

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { assertNone, browser, session, stage } from "./support.mjs";
import { wireTo } from "./wire.mjs";
import { makeWorker } from "./worker.mjs";

after(() => browser.close());

const { url, token, revisions } = stage.daemons.search;
const culprit = 15;
const worker = makeWorker(
  stage.daemons.search, (revision) => (revisions.indexOf(revision) < culprit ? 1000 : 1200));

async function ask(path, body) {
  const reply = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST", body: body && JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } });
  assert.ok(reply.ok, `${path}: ${reply.status}`);
  return reply.json();
}

/** A search that has its commits and waits for its first probe: its ends were measured. */
async function beginSearch() {
  await ask("/api/v1/bisections", {
    project: "toy", good: revisions[0], bad: revisions.at(-1), benchmark: "value",
    variant: "plain", machine_class: "any", metric: "cpu_time_ns" });
  for (let lease = await worker.claim(); ; lease = await worker.claim()) {
    assert.ok(lease !== undefined, "no job comes");
    if (lease.purpose === "probe") return lease;
    await worker.finish(lease);
  }
}

/** What is to be seen of a search, as it stands on the page. */
function readsOf(page) {
  const probes = page.getByRole("region", { name: "Probes" });
  return {
    heading: page.locator("h1"),
    says: page.locator("figure.range figcaption"),
    likely: page.locator("p.likely"),
    row: (number) => probes.locator("tbody tr").filter({
      has: page.getByRole("rowheader", { name: `${number}`, exact: true }) }),
    /** How many commits may have done it. */
    left: async () => Number(
      (await page.locator("figure.range figcaption").innerText()).match(/(\d+) of \d+ commits/)[1]),
    /** How much of the bar is left, in thousandths. */
    width: () => page.locator("figure.range rect.left").evaluateAll(
      (parts) => parts.reduce((sum, part) => sum + Number(part.getAttribute("width")), 0)),
  };
}

/** Opens the page of the search, and marks it: a page that is loaded again has no mark. */
async function open(options) {
  const opened = await session("search", options);
  await opened.page.goto("/bisections/1");
  await opened.page.locator(".live").getByText("Live").waitFor();
  await opened.page.evaluate(() => (globalThis.isSame = true));
  return { ...opened, reads: readsOf(opened.page) };
}

const isSame = (page) => page.evaluate(() => globalThis.isSame === true);

/** The probe's number, from 1, that a job is of. */
async function numberOf({ job }) {
  const { probes } = await ask("/api/v1/bisections/1");
  return probes.find((one) => one.job === job).number + 1;
}

/** Does all that is still asked for. */
async function finishSearch(first) {
  for (let lease = first; ; lease = await worker.claim(1)) {
    if (lease !== undefined) await worker.finish(lease);
    if ((await ask("/api/v1/bisections/1")).state === "done") return;
  }
}

/** Its stream is cut, and it gets no other: it asks from time to time. */
async function loseStream(page, wire) {
  await page.route("**/live", (route) => route.fulfill({ status: 503, body: "" }));
  wire.cut();
  await page.locator(".connection").getByText("The connection to vigild is lost").waitFor();
  wire.mend();
  await page.locator(".live").getByText(/As of \d\d:\d\d UTC/).waitFor();
}

/** Sees a probe run and end. @return its number */
async function watchProbe(reads, lease) {
  const number = await numberOf(lease);
  await reads.row(number).getByText("leased").waitFor();
  await worker.finish(lease);
  await reads.row(number).getByText("done").waitFor();
  return number;
}

/** What may have done it, as a page has it now. */
const standingOf = async ({ left, width, likely }) => (
  { left: await left(), width: await width(), likely: await likely.allInnerTexts() });

test("an open page follows a search to its culprit, by a stream and without one", async () => {
  const first = await beginSearch();
  const wire = await wireTo(url);
  const [heard, polled] = await Promise.all([open(), open({ baseURL: wire.url })]);
  const lost = loseStream(polled.page, wire);

  const before = await standingOf(heard.reads);
  const number = await watchProbe(heard.reads, first);
  const next = await watchProbe(heard.reads, await worker.claim());
  assert.notEqual(next, number);
  const between = await standingOf(heard.reads);
  assert.ok(between.left < before.left, `${before.left}, then ${between.left} are left`);
  assert.ok(between.width < before.width, `${before.width}, then ${between.width} wide`);
  assert.notDeepEqual(between.likely, before.likely);
  await lost;
  await polled.reads.row(next).getByText("done").waitFor();

  await finishSearch();
  const named = `${revisions[culprit].slice(0, 10)} is the one: change ${culprit}`;
  await Promise.all([heard, polled].map(async ({ page, reads }) => {
    await reads.heading.getByText(named).waitFor();
    assert.equal(await reads.left(), 1);
    assert.ok(await isSame(page), "the page was not loaded again");
    assert.equal(await page.getByRole("region", { name: "Probes" }).getByText("leased").count(), 0);
  }));
  assert.equal(await polled.page.locator(".connection").innerText(), "");
  assertNone(heard.troubles);
  await heard.context.close();
  await polled.context.close();
  wire.close();
});
