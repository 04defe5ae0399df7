// Every form that pages send, filled in as a person does, by keyboard: what it changes is shown.

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { assertNone, browser, session, stage } from "./support.mjs";

after(() => browser.close());

const soon = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
const form = (page, action) => page.locator(`form[method=post][action="${action}"]`).first();

/** Fills what is given and sends the form from the keyboard. */
async function send(page, action, fields = {}) {
  const sent = form(page, action);
  for (const [name, value] of Object.entries(fields)) {
    const field = sent.locator(`[name="${name}"]`);
    if (await field.first().getAttribute("type") === "radio") {
      await sent.locator(`[name="${name}"][value="${value}"]`).check();
    } else {
      await field.fill(value);
    }
  }
  await sent.getByRole("button").last().focus();
  const moved = page.waitForNavigation();
  await page.keyboard.press("Enter");
  await moved;
}

const machine = (page, name) => page.locator(".machines > li").filter({
  has: page.locator("strong").getByText(name) });

const says = async (page, words) =>
  assert.ok((await page.locator("main").innerText()).includes(words), `${page.url()}: ${words}`);

/** Presses a button of the page of machines. What it was for is stuck no more. */
async function isGone(page, name) {
  await page.goto("/machines");
  await page.getByRole("button", { name }).focus();
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  assert.equal(await page.getByRole("button", { name }).count(), 0);
}

/** By the pattern of its route: from its page to what is shown then. */
const drives = {
  "/regressions/{id}/state": async (page) => {
    await page.goto("/regressions/2");
    await send(page, "/regressions/2/state", { state: "accepted", reason: "the new kernel" });
    await says(page, "the new kernel");
    assert.ok(await page.locator(".lead").getByText("accepted").isVisible());
  },
  "/regressions/{id}/assign": async (page) => {
    await page.goto("/regressions/1");
    await send(page, "/regressions/1/assign", { to: "hopper" });
    assert.ok(await page.locator(".facts").getByText("hopper").first().isVisible());
  },
  "/regressions/{id}/mute": async (page) => {
    await page.goto("/regressions/1");
    await send(page, "/regressions/1/mute", { until: soon, reason: "the fix is in review" });
    assert.ok(await page.locator(".lead").getByText("muted").isVisible());
  },
  "/regressions/{id}/why": async (page) => {
    await page.goto("/regressions/1");
    await send(page, "/regressions/1/why");
    assert.ok(page.url().endsWith("/regressions/1"));
    const { url, token } = stage.daemons.closed;
    const headers = { authorization: `Bearer ${token}` };
    const found = await (await fetch(`${url}/api/v1/regressions/1`, { headers })).json();
    assert.ok(found.why.by_hand);
  },
  "/regressions/{id}/revert": async (page) => {
    await page.goto("/regressions/1");
    await send(page, "/regressions/1/revert");
    assert.ok(page.url().endsWith("/regressions/1"));
    // Each commit of the scene rewrites the same line; the open page tells it once it is known.
    const answer = page.getByRole("status").filter({ hasText: "does not apply: conflicts in 1 file (value)" });
    await answer.waitFor({ timeout: 120_000 });
    assert.ok(await page.getByRole("button", { name: "Check again" }).isVisible());
  },
  "/inbox/answers": async (page) => {
    await page.goto("/inbox");
    await page.locator("input[name=regression-1]").check();
    await send(page, "/inbox/answers", { answer: "assign", to: "lovelace" });
    assert.match(page.url(), /\/inbox/);
    await says(page, "lovelace");
  },
  "/requests/comparison": async (page) => {
    await page.goto("/compare");
    await send(page, "/requests/comparison");
    assert.match(page.url(), /\/requests$/);
    assert.ok(await page.locator("main tbody tr").count() > 1);
  },
  "/requests/bisection": async (page) => {
    await page.goto("/series/1");
    await page.locator("main tbody th a").first().click();
    await send(page, "/requests/bisection");
    assert.match(page.url(), /\/requests$/);
    await says(page, "ada");
  },
  "/series/{id}/missed": async (page) => {
    await page.goto("/series/2");
    await form(page, "/series/2/missed").locator("select").selectOption({ index: 2 });
    await send(page, "/series/2/missed", { reason: "the users say so" });
    await says(page, "Regressions that people told");
  },
  "/missed/{id}/take-back": async (page) => {
    await page.goto("/series/2");
    const button = page.getByRole("button", { name: /^Take back what was told/ });
    await button.focus();
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    assert.ok(page.url().endsWith("/series/2"));
    await says(page, "taken back by ada");
    assert.equal(await button.count(), 0);
  },
  "/outbox/{id}/retry": (page) => isGone(page, /Send message \d+ again/),
  "/notices/{id}/retry": (page) => isGone(page, /Send notice \d+ again/),
  "/jobs/{id}/retry": (page) => isGone(page, /Try job \d+ again/),
  "/workers/{name}/quarantine": async (page) => {
    await page.goto("/machines");
    await machine(page, "xeon-1").locator("summary").first().click();
    await send(page, "/workers/xeon-1/quarantine", { reason: "its fan is loud" });
    await says(page, "ada: its fan is loud");
  },
  "/workers/{name}/release": async (page) => {
    await page.goto("/machines");
    await machine(page, "xeon-1").locator("summary").first().click();
    await send(page, "/workers/xeon-1/release");
    assert.ok(!(await page.locator("main").innerText()).includes("its fan is loud"));
  },
  "/login": async (page) => {
    await page.context().clearCookies();
    await page.goto("/login");
    await send(page, "/login", { token: stage.daemons.closed.token });
    assert.equal(new URL(page.url()).pathname, "/");
  },
  "/logout": async (page) => {
    await page.goto("/");
    await page.getByRole("button", { name: "Sign out" }).focus();
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    assert.equal(new URL(page.url()).pathname, "/login");
  },
};

test("every form has its test", () => {
  assert.ok(stage.forms.length > 8);
  assert.deepEqual(stage.forms.filter((one) => !(one in drives)), []);
});

for (const [pattern, drive] of Object.entries(drives)) {
  test(`${pattern} is sent from the keyboard`, async () => {
    const { page, context, troubles } = await session("closed");
    await drive(page);
    assertNone(troubles);
    await context.close();
  });
}

test("what is asked for by others comes to an open page of requests", async () => {
  const { url, token } = stage.daemons.closed;
  const { page, context } = await session("closed");
  await page.goto("/requests");
  await page.locator(".live").getByText("Live").waitFor();
  const before = await page.locator("main tbody tr").count();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const nights = await (await fetch(`${url}/api/v1/nightlies?limit=6`, { headers })).json();
  const [b, a] = nights.items.filter(({ beside }) => beside === null).map(({ revision }) => revision);
  const reply = await fetch(`${url}/api/v1/bisections`, { method: "POST", headers,
    body: JSON.stringify({ project: "demo", good: a, bad: b, series: 1 }) });
  assert.ok(reply.ok, await reply.text());
  await page.waitForFunction((count) =>
    document.querySelectorAll("main tbody tr").length > count, before);
  await context.close();
});

test("filters are sent by keyboard, and are the address", async () => {
  const { page, context, troubles } = await session("closed");
  await page.goto("/regressions");
  const state = page.locator("form.filters [name=state]");
  await state.focus();
  await state.selectOption("accepted");
  await page.locator("form.filters button").focus();
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  assert.match(page.url(), /state=accepted/);
  const shown = await page.locator(".findings .state").allInnerTexts();
  assert.ok(shown.every((text) => text.includes("accepted")), shown.join());
  await page.goBack();
  assert.doesNotMatch(page.url(), /state=accepted/);
  assertNone(troubles);
  await context.close();
});
