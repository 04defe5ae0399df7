// A program that asks a daemon by the types that openapi-typescript makes of openapi.yaml: what the
// document says of each path is checked by the compiler, and what it answers by this program.
// usage: client.mjs URL TOKEN CULPRIT

import type { paths } from "./api.js";

declare const process: { argv: string[] };

type Method = "get" | "post";
type Query<O> = O extends { parameters: { query?: infer Q } } ? Q : never;
type Path<O> = O extends { parameters: { path: infer P } } ? P : undefined;
type Body<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;
type Json<R> = R extends { content: { "application/json": infer J } } ? J : never;
type Reply<O> = O extends { responses: infer R }
  ? { [S in keyof R]: S extends 200 | 201 | 202 ? Json<R[S]> : never }[keyof R]
  : never;
type Asked<O> = {
  path?: Path<O>; query?: Query<O>; body?: Body<O>; headers?: Record<string, string>;
};

const [url, token, culprit] = process.argv.slice(2) as [string, string, string];

/** One request; anything but a 2xx throws what the problem says. */
async function send<P extends keyof paths, M extends Method>(
  method: M, pattern: P, asked: Asked<paths[P][M]> = {},
): Promise<Response> {
  let path: string = pattern;
  for (const [name, value] of Object.entries(asked.path ?? {})) {
    path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
  }
  const query = new URLSearchParams(asked.query as Record<string, string> | undefined);
  const reply = await fetch(`${url}${path}?${query}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${token}`,
      ...(asked.body === undefined ? {} : { "content-type": "application/json" }),
      ...asked.headers,
    },
    ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply;
}

async function ask<P extends keyof paths, M extends Method>(
  method: M, pattern: P, asked: Asked<paths[P][M]> = {},
): Promise<Reply<paths[P][M]>> {
  return (await send(method, pattern, asked)).json() as Promise<Reply<paths[P][M]>>;
}

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`it does not hold: ${what}`);
  console.log(`ok: ${what}`);
}

/** The first event of a stream that is wanted. */
async function firstEvent(stream: Response, wanted: (event: { kind: string }) => boolean) {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of stream.body!) {
    text += decoder.decode(piece, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data: "));
      const event = data === undefined ? undefined : JSON.parse(data.slice("data: ".length));
      if (event !== undefined && wanted(event)) return event;
    }
  }
  throw new Error("the stream ended");
}

// All open regressions of a week with culprit and author, as CSV and as JSON.
const week = { state: "open", since: "2025-03-10", until: "2025-03-17", project: "demo" } as const;
const csv = await (await send("get", "/api/v1/regressions", {
  query: { ...week, format: "csv" } })).text();
const [names, row] = csv.split("\n").map((line) => line.split(","));
check(row?.[names!.indexOf("culprit")] === culprit, "the CSV names the culprit");
check(row?.[names!.indexOf("culprit_commit_author")] === "Author One", "and its author");
const found = await ask("get", "/api/v1/regressions", { query: week });
const [regression] = found.items;
check(regression?.culprit === culprit && found.next_cursor === null, "JSON has the same one");
check(regression.worst?.change_ratio === 0.12, "and how much worse it is");

// The nights of its series, and the summary of the last of them.
const series = regression.series[0]!.series;
const nights = await ask("get", "/api/v1/series/{id}/nights", { path: { id: series } });
check(nights.items.length === 3 && nights.items[0]!.night === "2025-03-14", "a series has nights");
const summary = await ask("get", "/api/v1/nights/{id}/summary", {
  path: { id: regression.nightly } });
check(summary.regressions.length === 1 && !summary.all_clear, "a night is summed up");

// Two revisions are compared, while what happens is listened to.
const stream = await send("get", "/api/v1/events/stream", { query: { project: "demo" } });
const wish = { project: "demo", a: regression.good_revision, b: regression.bad_revision,
               benchmark: "mlp" };
const key = { "idempotency-key": "compare-1" };
const made = await ask("post", "/api/v1/comparisons", { body: wish, headers: key });
const again = await ask("post", "/api/v1/comparisons", { body: wish, headers: key });
check(made.request === again.request, "a comparison is asked for once");
const event = await firstEvent(stream, ({ kind }) => kind === "request.naming");
check(event.subject === `request/${made.request}`, "the stream tells of it");
const request = await ask("get", "/api/v1/requests/{id}", { path: { id: made.request } });
check(request.kind === "comparison" && request.a_revision === wish.a, "the request is told");

// Nothing is said of it for a fortnight.
const until = new Date(Date.now() + 14 * 86_400_000).toISOString().slice(0, 10);
await ask("post", "/api/v1/regressions/{id}/mute", {
  path: { id: regression.id }, body: { until, reason: "a fix is in review" } });
const muted = await ask("get", "/api/v1/regressions", { query: { muted: "true" } });
check(muted.items[0]?.id === regression.id, "a regression is muted");
const mutes = await ask("get", "/api/v1/mutes", { query: { state: "active" } });
check(mutes.items[0]?.reason === "a fix is in review", "and its mute is listed");

// What is wrong is a problem with words.
const wrong = await ask("get", "/api/v1/regressions", {
  // @ts-expect-error the document knows no such parameter
  query: { projekt: "demo" } }).then(() => "", String);
check(wrong.includes('did you mean \\"project\\"?'), "an unknown name is refused with the nearest");
