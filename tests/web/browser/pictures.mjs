// The pictures of docs/pages.md. tests/integration/web/pictures.py takes them from a running daemon,
// browser_test.py BUILD_FOLDER pictures.mjs from the tests' ledger.

import { join } from "node:path";

import { browser, session, stage } from "./support.mjs";

const daemon = "pictured" in stage.daemons ? "pictured" : "scene";
const { url, token } = stage.daemons[daemon];

async function items(path) {
  const reply = await fetch(`${url}/api/v1/${path}`, {
    headers: token ? { authorization: `Bearer ${token}` } : {} });
  if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`);
  return (await reply.json()).items;
}

// What is worth a picture: the regression that is known best, with its series and its search.
const regressions = await items("regressions?limit=100");
const shown = regressions.find(({ culprit, state }) => culprit !== null && state === "reported") ??
  regressions[0];
const pictures = [
  ["tonight", "/", {}],
  ["tonight-phone-dark", "/", { colorScheme: "dark", viewport: { width: 360, height: 800 } }],
  ["machines", "/machines", {}],
];
if (shown !== undefined) {
  pictures.push(["regression", `/regressions/${shown.id}`, {}]);
  const worst = shown.series.find((one) => ["benchmark", "variant", "metric"].every(
    (key) => one[key] === shown.worst?.[key])) ?? shown.series[0];
  if (worst !== undefined) pictures.push(["series", `/series/${worst.series}`, {}]);
  if (shown.bisection) pictures.push(["search", `/bisections/${shown.bisection}`, {}]);
}

for (const [name, path, options] of pictures) {
  const { page, context } = await session(
    daemon, { viewport: { width: 1200, height: 800 }, ...options });
  const reply = await page.goto(path);
  if (reply.status() !== 200) throw new Error(`${path}: ${reply.status()}`);
  if (await page.locator("figure[data-plot]").count() > 0) {
    await page.locator("figure[data-drawn] canvas").first().waitFor();
  }
  await page.locator(".live").getByText("Live").waitFor();
  await page.screenshot({ path: join(stage.pictures, `${name}.png`) });
  console.log(`${name}.png  ${path}`);
  await context.close();
}
await browser.close();
