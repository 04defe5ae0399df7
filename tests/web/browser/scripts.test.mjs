// What scripts add, and forms with and without them.

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { assertNone, browser, session, stage } from "./support.mjs";

after(() => browser.close());

const firstCells = (page) =>
  page.locator("main table").first().locator("tbody tr > :first-child").allInnerTexts();

test("a table is sorted by its heads, by mouse and keyboard, and the address keeps it", async () => {
  const { page, context, troubles } = await session("scene");
  await page.goto("/series");
  const sent = await firstCells(page);
  const head = page.locator("main thead th").first();
  await head.getByRole("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  const ascending = await firstCells(page);
  assert.deepEqual(ascending, [...sent].sort((a, b) => a.localeCompare(b, "en")));
  assert.match(page.url(), /sort=1\.1$/);

  await page.reload();
  assert.deepEqual(await firstCells(page), ascending);
  await head.getByRole("button").focus();
  await page.keyboard.press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  assert.deepEqual((await firstCells(page))[0], [...ascending].reverse()[0]);
  await page.keyboard.press("Space");
  assert.equal(await head.getAttribute("aria-sort"), null);
  assert.deepEqual(await firstCells(page), sent);
  assert.doesNotMatch(page.url(), /sort=/);
  assertNone(troubles);
  await context.close();
});

test("numbers are sorted by their size, whatever their unit, the largest first", async () => {
  const { page, context } = await session("scene");
  await page.goto("/series/1");
  const heads = page.locator("main table").first().locator("thead th");
  const names = await heads.allInnerTexts();
  const at = names.findIndex((name) => name.startsWith("Median"));
  await heads.nth(at).getByRole("button").click();
  const values = await page.locator("main table").first()
    .locator(`tbody tr > :nth-child(${at + 1})`).allInnerTexts();
  const sizes = values.filter((text) => text !== "").map(parseFloat);
  assert.ok(sizes.length > 20);
  assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a));
  await context.close();
});

test("how long ago is told true while a page is open", async () => {
  const { page, context } = await session("scene");
  await page.clock.install();
  await page.goto("/machines");
  const time = page.locator("main time").first();
  const before = await time.getAttribute("title");
  await page.clock.fastForward(72 * 3_600_000);
  await page.clock.runFor(21_000);
  const later = await time.getAttribute("title");
  assert.notEqual(later, before);
  assert.match(later, /^\d+ d ago$/);
  await context.close();
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with" : "without";
  test(`whoever is asked to sign in does so and comes to the page, ${how} scripts`, async () => {
    const { url, token } = stage.daemons.closed;
    const { page, context } = await session("closed", { javaScriptEnabled });
    await context.clearCookies();
    await page.goto("/regressions/1");
    assert.match(page.url(), /\/login\?next=/);
    await page.getByLabel("Token").fill("nonsense");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${url}/regressions/1`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${url}/login`);
    await context.close();
  });

  test(`a regression is answered by its form, ${how} scripts`, async () => {
    const { page, context, troubles } = await session("closed", { javaScriptEnabled });
    await page.goto("/regressions/1");
    const state = javaScriptEnabled ? "acknowledged" : "accepted";
    await page.locator(`input[name=state][value=${state}]`).check();
    await page.locator("form[action$='/state'] input[name=reason]").fill("it is known");
    await page.locator("form[action$='/state'] button").click();
    await page.waitForURL("**/regressions/1");
    assert.ok(await page.locator(".lead").getByText(state).isVisible());
    assertNone(troubles);
    await context.close();
  });
}
