// What holds for every page: asked of all that links lead to, over a daemon with much to show, one
// with nothing, and one whose every name was written by somebody who means harm.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import test, { after } from "node:test";

import { HtmlValidate } from "html-validate";

import { assertNone, browser, crawl, patternOf, session, somePages, stage } from "./support.mjs";

after(() => browser.close());

const found = Object.fromEntries(await Promise.all(
  Object.keys(stage.daemons).map(async (name) => [name, await crawl(name)])));
const pages = Object.fromEntries(
  Object.entries(found).map(([name, all]) => [name, [...somePages(all), "/login"]]));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** How a page is opened; the widest is looked at in both colours, but for names that mean harm: they
 *  stand on the same elements as harmless ones. */
const views = [
  { width: 1440, colorScheme: "light" }, { width: 1440, colorScheme: "dark" },
  { width: 768, colorScheme: "light" }, { width: 360, colorScheme: "light" }];

/** By how much a page that is loaded is wider than its screen. */
async function tooWide(page, path) {
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? scrollWidth : 0;
  });
  return wide > 0 ? [`${path}: ${wide} pixels`] : [];
}

/** What keeps somebody from using a page that is loaded. */
async function notForEverybody(page, path) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, {
    resultTypes: ["violations"] }));
  return violations.map(({ id, help, nodes }) =>
    `${path}: ${id}: ${help}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary ?? ""}`);
}

test("links lead to every page that there is", () => {
  const seen = new Set(["/login"].concat(
    [...found.scene.keys()].map((path) => patternOf(new URL(path, "http://x").pathname))));
  // The documentation site is linked where the program has one; docs_site_test.py walks through it.
  const isOfSite = (pattern) => /^\/docs(\/|$)/.test(pattern);
  assertNone(stage.patterns.filter((pattern) => !seen.has(pattern) && !isOfSite(pattern)));
});

test("a program that was built without scripts has the same pages, without a script", () => {
  const isMissed = ([path, { isPage }]) => isPage && !found.bare.has(path);
  assertNone([...found.scene].filter(isMissed).map(([path]) => path));
  for (const [path, { status, body, isPage }] of found.bare) {
    assert.equal(status, 200, path);
    if (isPage) assert.ok(body.includes("</html>") && !body.includes("<script"), path);
  }
  const [, withScripts] = found.scene.entries().next().value;
  assert.match(withScripts.body, /<script type="module" src="\/assets\/vigil-\w+\.js">/);
});

for (const daemon of ["scene", "empty", "hostile"]) {
  test(`every link of ${daemon} leads somewhere`, () => {
    assert.ok(found[daemon].size > 5);
    assertNone([...found[daemon]].filter(([, { status }]) => status !== 200)
      .map(([path, { status, from }]) => `${path}: ${status}, linked by ${from}`));
  });

  test(`every page of ${daemon} is valid HTML`, async () => {
    const validator = new HtmlValidate({
      extends: ["html-validate:recommended"],
      // How tags are written. A button of a form sends it; a region that is scrolled is named.
      rules: { "void-style": "off", "doctype-style": "off", "no-trailing-whitespace": "off",
               "no-implicit-button-type": "off", "prefer-native-element": "off",
               "long-title": "off" },
    });
    const findings = [];
    for (const [path, { body, isPage }] of found[daemon]) {
      if (!isPage) continue;
      const report = await validator.validateString(body, path);
      for (const { messages } of report.results) {
        findings.push(...messages.map((one) =>
          `${path}:${one.line}: ${one.ruleId}: ${one.message}: ` +
          body.split("\n")[one.line - 1].slice(0, 160)));
      }
    }
    assertNone(findings.slice(0, 20));
  });

  // In each view a page is loaded once for all that is asked of it: loading is what takes long.
  for (const { width, colorScheme } of views) {
    if (daemon === "hostile" && colorScheme === "dark") continue;
    test(`nothing is wrong with any page of ${daemon}, ${width} pixels, ${colorScheme}`, async () => {
      const { page, context, troubles } = await session(
        daemon, { viewport: { width, height: 800 }, colorScheme });
      const findings = [];
      for (const path of pages[daemon]) {
        const reply = await page.goto(path, { waitUntil: "load" });
        assert.equal(reply.status(), 200, path);
        await page.waitForFunction(() => document.readyState === "complete");
        assert.equal(await page.locator("h1").count(), 1, path);
        findings.push(...await tooWide(page, path));
        if (width === 1440) findings.push(...await notForEverybody(page, path));
        troubles.forEach((one, at) => {
          if (!one.startsWith("/")) troubles[at] = `${path}: ${one}`;
        });
      }
      assertNone(troubles);
      assertNone(findings.slice(0, 12));
      await context.close();
    });
  }

  test(`every page of ${daemon} works without scripts`, async () => {
    const { page, context } = await session(daemon, { javaScriptEnabled: false });
    for (const path of pages[daemon]) {
      await page.goto(path);
      assert.ok(await page.locator("h1").isVisible(), path);
      assert.equal(await page.locator("button.sort").count(), 0, path);
    }
    await context.close();
  });
}

test("no page shows what turns the reading direction, or takes a name for markup", async () => {
  const { page, context, troubles } = await session("hostile");
  for (const path of pages.hostile) {
    await page.goto(path);
    const { text, images } = await page.evaluate(() => ({
      text: document.documentElement.outerHTML,
      images: document.querySelectorAll("main img").length,
    }));
    assert.doesNotMatch(text, /\u202e/, path);
    assert.equal(images, 0, path);
  }
  assertNone(troubles);
  await context.close();
});
