// A page that is open follows what happens, and says so where it cannot.

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { assertNone, browser, session, stage } from "./support.mjs";
import { wireTo } from "./wire.mjs";

after(() => browser.close());

/** What somebody else does meanwhile. */
async function change(path, body) {
  const { url, token } = stage.daemons.scene;
  const reply = await fetch(url + path, {
    method: "POST", body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } });
  assert.ok(reply.ok, await reply.text());
}

const assigned = (page) => page.locator(".facts > div").filter({ hasText: "Assigned" });

test("an event changes what an open page shows, and nothing else of it", async () => {
  const { page, context, troubles } = await session("scene");
  await page.goto("/regressions/1");
  await page.locator(".live").getByText("Live").waitFor();
  const heading = await page.locator("h1").elementHandle();
  const why = page.locator("form[action$='/state'] input[name=reason]");
  await why.fill("half a sentence");
  await why.evaluate((field) => field.setSelectionRange(4, 4));
  const top = await page.evaluate(() => (scrollTo(0, 120), scrollY));
  await change("/api/v1/regressions/1/assign", { to: "grace" });
  await assigned(page).getByText("grace").waitFor();
  assert.equal(await why.inputValue(), "half a sentence");
  assert.deepEqual(
    await why.evaluate((field) => [document.activeElement === field, field.selectionStart]),
    [true, 4]);
  assert.equal(await page.evaluate(() => scrollY), top);
  assert.ok(await heading.evaluate((one) => one.isConnected), "the heading is the same element");
  assertNone(troubles);
  await context.close();
});

test("a table that is sorted stays so when the page changes", async () => {
  const { page, context } = await session("scene");
  await page.goto("/regressions/1");
  const table = page.locator("main table:has(button.sort)").first();
  const button = table.locator("button.sort").first();
  const head = table.locator("thead th").filter({ has: page.locator("button.sort") }).first();
  const names = table.locator("tbody tr > :first-child");
  await page.locator(".live").getByText("Live").waitFor();
  const sent = await names.allInnerTexts();
  assert.ok(sent.length >= 2);
  for (const _ of [1, 2]) {  // up, then down
    await button.click();
    if ((await names.allInnerTexts()).join() !== sent.join()) break;
  }
  const [sorted, order] = [await names.allInnerTexts(), await head.getAttribute("aria-sort")];
  assert.notDeepEqual(sorted, sent);
  await button.focus();
  await change("/api/v1/regressions/1/assign", { to: "on-call" });
  await assigned(page).getByText("on-call").waitFor();
  assert.deepEqual(await names.allInnerTexts(), sorted);
  assert.equal(await head.getAttribute("aria-sort"), order);
  assert.ok(await button.evaluate((one) => one === document.activeElement));
  await context.close();
});

test("a connection that is lost is said, and comes back by itself", async () => {
  const wire = await wireTo(stage.daemons.scene.url);
  const { page, context } = await session("scene", { baseURL: wire.url });
  await page.goto("/regressions/1");
  await page.locator(".live").getByText("Live").waitFor();
  const banner = page.locator(".connection");
  assert.equal(await banner.innerText(), "");
  wire.cut();
  await banner.getByText("The connection to vigild is lost").waitFor();
  assert.match(await banner.innerText(), /how things stood at \d\d:\d\d UTC/);
  await change("/api/v1/regressions/1/assign", { to: "lovelace" });
  assert.equal(await assigned(page).getByText("lovelace").count(), 0);
  wire.mend();
  await assigned(page).getByText("lovelace").waitFor();
  assert.equal(await banner.innerText(), "");
  await page.locator(".live").getByText("Live").waitFor();
  await context.close();
  wire.close();
});

test("where there is no stream, the page asks from time to time", async () => {
  const { page, context } = await session("scene");
  await page.route("**/live", (route) => route.fulfill({ status: 503, body: "" }));
  await page.goto("/regressions/1");
  await page.locator(".live").getByText(/As of \d\d:\d\d UTC/).waitFor();
  await change("/api/v1/regressions/1/assign", { to: "turing" });
  await assigned(page).getByText("turing").waitFor({ timeout: 30_000 });
  assert.equal(await page.locator(".connection").innerText(), "");
  await context.close();
});

test("whoever is signed out meanwhile is told", async () => {
  const { page, context } = await session("closed");
  await page.goto("/regressions/1");
  await page.locator(".live").getByText("Live").waitFor();
  await context.clearCookies();
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await page.locator(".connection").getByText("You are signed out").waitFor();
  await context.close();
});
