// The inbox by keyboard alone.

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { assertNone, browser, session } from "./support.mjs";

after(() => browser.close());

const rows = (page) => page.locator("form.inbox .findings > li");
const chosen = (page) => page.locator("form.inbox .findings input:checked").count();
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute("aria-label") ??
  document.activeElement.getAttribute("name"));

test("keys walk the inbox, choose, and can be turned off", async () => {
  const { page, context, troubles } = await session("scene");
  await page.goto("/inbox");
  assert.ok(await rows(page).count() >= 2);
  await page.keyboard.press("j");
  const first = await focused(page);
  assert.match(first, /^Choose regression \d+$/);
  await page.keyboard.press("j");
  const second = await focused(page);
  assert.notEqual(second, first);
  await page.keyboard.press("k");
  assert.equal(await focused(page), first);
  await page.keyboard.press("x");
  assert.equal(await chosen(page), 1);
  await page.keyboard.press("*");
  assert.equal(await chosen(page), await rows(page).count());
  await page.keyboard.press("*");
  assert.equal(await chosen(page), 0);

  await page.keyboard.press("?");
  const keys = page.locator("details.keys");
  assert.ok(await keys.getByText("acknowledge what is chosen").isVisible());
  await keys.getByRole("checkbox").uncheck();
  await page.reload();
  await page.keyboard.press("j");
  assert.notEqual(await focused(page), first);
  assertNone(troubles);
  await context.close();
});

test("several are answered at once by keys, and a letter in a field is a letter", async () => {
  const { page, context, troubles } = await session("closed");
  await page.goto("/inbox");
  const before = await rows(page).count();
  assert.ok(before >= 2);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  assert.equal(await chosen(page), 2);
  await page.keyboard.press("r");
  assert.equal(await focused(page), "reason");
  await page.keyboard.type("just a noisy fan");
  assert.equal(await page.locator("input[name=answer]:checked").getAttribute("value"), "refute");
  assert.equal(await chosen(page), 2);
  await page.keyboard.press("Enter");
  await page.waitForFunction((count) =>
    document.querySelectorAll("form.inbox .findings > li").length === count, before - 2);
  assertNone(troubles);
  await context.close();
});

test("the one at hand is opened by a key", async () => {
  const { page, context } = await session("scene");
  await page.goto("/inbox");
  await page.keyboard.press("j");
  const href = await rows(page).first().locator("a.finding").getAttribute("href");
  await page.keyboard.press("o");
  await page.waitForURL(`**${href}`);
  await context.close();
});
