// One page in a Chromium that has nothing kept: pages.mjs CHROMIUM URL TOKEN PATH ROUNDS. Prints
// medians as JSON.

import { chromium } from "playwright-core";

const [executablePath, url, token, path, rounds] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
const paints = [];
const chartsAt = [];
const drawnIn = [];
let bytes = 0;
for (let round = 0; round < Number(rounds); ++round) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
  await context.addCookies([
    { name: "vigil_token", value: token, url, httpOnly: true, sameSite: "Strict" }]);
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  let got = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => (got += encodedDataLength));
  await page.goto(url + path, { waitUntil: "load" });
  if (await page.locator("figure[data-plot]").count() > 0) {
    await page.locator("figure[data-drawn]").first().waitFor();
  }
  const seen = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => {
    const [chart] = performance.getEntriesByName("vigil:chart");
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    done({ paint: paint?.startTime ?? performance.now(), drawn: chart?.duration ?? null,
           at: chart === undefined ? null : chart.startTime + chart.duration });
  })));
  paints.push(seen.paint);
  if (seen.at !== null) {
    chartsAt.push(seen.at);
    drawnIn.push(seen.drawn);
  }
  bytes = Math.max(bytes, got);
  await context.close();
}
await browser.close();
console.log(JSON.stringify({
  paint_ms: middle(paints), longest_paint_ms: Math.max(...paints), bytes,
  chart_at_ms: middle(chartsAt), drawn_in_ms: middle(drawnIn) }));
