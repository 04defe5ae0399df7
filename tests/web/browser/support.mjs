// What the tests of pages stand on: daemons, a browser, and the pages that there are.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { chromium } from "playwright-core";

/** What browser_test.py says: daemons by name with url and token, and the patterns of pages. */
export const stage = JSON.parse(readFileSync(process.argv[2], "utf8"));

export const browser = await chromium.launch({
  executablePath: stage.chromium,
  // Whoever runs tests as root, in a container, has no sandbox; the pages are our own.
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});

/** A browser's session, signed in where the daemon has a token. What goes wrong in it is kept. */
export async function session(daemon, options = {}) {
  const { url, token } = stage.daemons[daemon];
  const context = await browser.newContext({
    baseURL: url, viewport: { width: 1440, height: 1000 }, ...options });
  if (token) {
    await context.addCookies([
      { name: "vigil_token", value: token, url, httpOnly: true, sameSite: "Strict" }]);
  }
  context.setDefaultTimeout(20_000);
  const troubles = [];
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText ?? "";
    if (why !== "net::ERR_ABORTED") troubles.push(`${request.url()}: ${why}`);
  });
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  return { page, context, troubles, url };
}

const entities = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const unescaped = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name]);

/** The pattern of the routes that a path is of. */
export function patternOf(path) {
  const parts = path.split("/");
  const fits = (pattern) => {
    const wanted = pattern.split("/");
    return wanted.length === parts.length &&
      wanted.every((part, at) => part === parts[at] || (part.startsWith("{") && parts[at] !== ""));
  };
  return stage.patterns.filter(fits).sort((a, b) => a.includes("{") - b.includes("{"))[0];
}

/** Kept of each pattern with each set of filters: enough to see all that a page can be. */
const mostAlike = 4;

/** Everything that can be reached from the first page by links: each address once, with what it
 * answered; of those that are alike, a few. */
export async function crawl(daemon) {
  const { url, token } = stage.daemons[daemon];
  const found = new Map();
  const alike = new Map();
  const queue = [["/", "the start"]];
  const add = (target, from) => {
    const address = new URL(target, url + from);
    if (address.origin !== new URL(url).origin) return;
    const path = address.pathname + address.search;
    const kind = `${patternOf(address.pathname) ?? address.pathname}?` +
      [...address.searchParams.keys()].sort();
    if (found.has(path) || (alike.get(kind) ?? 0) >= mostAlike) return;
    alike.set(kind, (alike.get(kind) ?? 0) + 1);
    found.set(path, undefined);
    queue.push([path, from]);
  };
  found.set("/", undefined);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [path, from] = next;
    const reply = await fetch(url + path, {
      redirect: "manual",
      headers: { accept: "text/html,*/*;q=0.8", ...(token ? { cookie: `vigil_token=${token}` } : {}) },
    });
    const type = reply.headers.get("content-type") ?? "";
    const body = await reply.text();
    const isPage = type.startsWith("text/html") && !path.startsWith("/api/");
    found.set(path, { from, status: reply.status, body, isPage });
    if (!isPage || reply.status !== 200) continue;
    for (const [, target] of body.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      add(unescaped(target), path);
    }
  }
  return found;
}

/** Of the pages of a crawl, a few of each pattern. */
export function somePages(found, most = 2) {
  const taken = new Map();
  return [...found].filter(([path, { isPage }]) => {
    const pattern = isPage ? patternOf(new URL(path, "http://x").pathname) : undefined;
    const count = taken.get(pattern) ?? 0;
    if (pattern === undefined || count >= most) return false;
    taken.set(pattern, count + 1);
    return true;
  }).map(([path]) => path);
}

/** Asserts that a list of findings is empty, and shows them where it is not. */
export function assertNone(findings) {
  assert.equal(findings.length, 0, `\n${findings.join("\n")}\n`);
}
