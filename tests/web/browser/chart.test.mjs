// The chart of a series by script: what the daemon's drawing shows, with a pointer and zoom.

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { assertNone, browser, session } from "./support.mjs";

after(() => browser.close());

/** Opens the page of a series whose chart is drawn by script. */
async function open(page, path) {
  await page.goto(path);
  await page.locator("figure[data-drawn] .plot canvas").waitFor();
}

/** How many pixels of the canvas have each of these colours of the page, nearly. */
const pixels = (page, names) => page.evaluate((wanted) => {
  const canvas = document.querySelector(".plot canvas");
  const context = canvas.getContext("2d");
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(wanted.map((name) => {
    const colour = style.getPropertyValue(`--${name}`).trim();
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const near = (value, is) => Math.abs(value - is) < 6;
      if (data[i + 3] > 250 && near(data[i], r) && near(data[i + 1], g) && near(data[i + 2], b)) {
        ++count;
      }
    }
    return [name, count];
  }));
}, names);

/** What the daemon put into the page to be drawn. */
const plotOf = async (page) =>
  JSON.parse(await page.locator("figure[data-plot]").getAttribute("data-plot"));

for (const colorScheme of ["light", "dark"]) {
  test(`the chart has all that the legend tells of, ${colorScheme}`, async () => {
    const { page, context, troubles } = await session("scene", { colorScheme });
    await open(page, "/series/1");
    assert.ok(await page.locator("figure.chart > svg").isHidden());
    const found = await pixels(page, ["accent", "bad", "quiet-ground", "line"]);
    // The line, the regression's mark and session, the band, the grid.
    for (const [name, count] of Object.entries(found)) assert.ok(count > 50, `${name}: ${count}`);
    assertNone(troubles);
    await context.close();
  });
}

test("series lie over the first, in colours of their own", async () => {
  const { page, context, troubles } = await session("scene");
  await open(page, "/series/1");
  const own = ["over-1", "over-2", "over-3"];
  const alone = await pixels(page, own);
  await open(page, "/series/1?with=5,6,7");
  const both = await pixels(page, own);
  for (const name of own) {
    assert.ok(both[name] > alone[name] + 30, `${name}: ${alone[name]} and ${both[name]}`);
  }
  await page.locator(".plot").focus();
  await page.keyboard.press("ArrowLeft");
  const legend = await page.locator("figcaption .legend a").allInnerTexts();
  assert.equal(legend.length, 3);
  const told = await page.locator(".chart-told").innerText();
  for (const name of legend) assert.ok(told.includes(name), `${name} in: ${told}`);
  assert.equal(await page.locator("thead th", { hasText: /^Series [567]: / }).count(), 3);
  assertNone(troubles);
  await context.close();
});

test("a stretch is chosen by mouse, is in the address, and goes back", async () => {
  const { page, context, troubles } = await session("scene");
  await open(page, "/series/1");
  const { nightlies } = await plotOf(page);
  const box = await page.locator(".plot .u-over").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/zoom=/);
  const [from, to] = new URL(page.url()).searchParams.get("zoom").split(".").map(Number);
  const middle = nightlies[Math.floor(nightlies.length / 2)];
  assert.ok(Math.abs(from - middle) <= 1 && to >= nightlies.at(-2), `${from} ${to}`);
  const zoomed = page.url();
  await page.goBack();
  assert.doesNotMatch(page.url(), /zoom=/);
  assert.ok(await page.getByRole("button", { name: "All nights" }).isDisabled());
  await page.goForward();
  assert.equal(page.url(), zoomed);
  assert.ok(await page.getByRole("button", { name: "All nights" }).isEnabled());
  await page.reload();
  await page.locator("figure[data-drawn]").waitFor();
  await page.getByRole("button", { name: "All nights" }).click();
  assert.doesNotMatch(page.url(), /zoom=/);
  assertNone(troubles);
  await context.close();
});

test("the chart is read and zoomed by keyboard, and opens a night", async () => {
  const { page, context, troubles } = await session("scene");
  await open(page, "/series/1");
  const { names } = await plotOf(page);
  const told = page.locator(".chart-told");
  await page.locator(".plot").focus();
  await page.keyboard.press("ArrowLeft");
  assert.match(await told.innerText(), new RegExp(`^${names.at(-1)}: [\\d.]+ ms; runs from`));
  await page.keyboard.press("ArrowLeft");
  assert.match(await told.innerText(), new RegExp(`^${names.at(-2)}: `));
  await page.keyboard.press("Home");
  assert.match(await told.innerText(), new RegExp(`^${names[0]}: `));
  await page.keyboard.press("End");
  await page.keyboard.press("+");
  await page.waitForURL(/zoom=/);
  await page.keyboard.press("End");
  const href = await page.locator("main tbody th a").first().getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === new URL(href, url).pathname);
  assertNone(troubles);
  await context.close();
});

test("axes are the address's, and a change is told in per cent", async () => {
  const { page, context } = await session("scene");
  for (const [query, words] of [["values=relative", /[+-]?\d+\.\d %/], ["axis=log", / ms;/]]) {
    await open(page, `/series/1?${query}`);
    await page.locator(".plot").focus();
    await page.keyboard.press("ArrowLeft");
    assert.match(await page.locator(".chart-told").innerText(), words);
  }
  await context.close();
});

test("where the script does not come, the daemon's drawing stays", async () => {
  const { page, context } = await session("scene");
  await page.route(/assets\/series-/, (route) => route.fulfill({ status: 500, body: "" }));
  const asked = page.waitForResponse(/assets\/series-/);
  await page.goto("/series/1");
  await asked;
  assert.ok(await page.locator("figure.chart > svg").isVisible());
  assert.equal(await page.locator(".plot").count(), 0);
  await context.close();
});
