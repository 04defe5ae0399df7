// The pictures of docs/pages.md: browser_test.py BUILD_FOLDER pictures.mjs writes them.

import { join } from "node:path";

import { browser, session, stage } from "./support.mjs";

const pictures = [
  ["tonight", "/", {}],
  ["series", "/series/1", {}],
  ["regression", "/regressions/1", {}],
  ["search", "/bisections/1", {}],
  ["machines", "/machines", {}],
  ["inbox", "/inbox", {}],
  ["trends", "/trends?project=demo", {}],
  ["heat-map", "/heatmap?project=demo", {}],
  ["compare", "/compare", {}],
  ["trust", "/trust", {}],
  ["tonight-phone-dark", "/", { colorScheme: "dark", viewport: { width: 360, height: 800 } }],
];

for (const [name, path, options] of pictures) {
  const { page, context } = await session("scene", { viewport: { width: 1200, height: 800 }, ...options });
  const reply = await page.goto(path);
  if (reply.status() === 200) {
    if (await page.locator("figure[data-plot]").count() > 0) {
      await page.locator("figure[data-drawn] canvas").first().waitFor();
    }
    await page.locator(".live").getByText("Live").waitFor();
    await page.screenshot({ path: join(stage.pictures, `${name}.png`) });
  }
  await context.close();
}
await browser.close();
