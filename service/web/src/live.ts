// A page follows what happens: the daemon tells of events, and the page is asked for anew. Where
// there is no stream it asks from time to time. A connection that is lost is said, and comes back.

import { morph } from "./morph";

/** Many events at once are one question. */
const pauseMs = 300;
/** Between two questions, whatever happens. */
const leastMs = 2_000;
/** Without a stream, or without an answer. */
const pollMs = 10_000;
/** With a stream: how far a job is has no event. */
const slowPollMs = 60_000;
/** A stream that was refused is asked for again. */
const againMs = 30_000;

function said(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

/** "10:42 UTC" */
function clock(time: Date): string {
  return `${time.toISOString().slice(11, 16)} UTC`;
}

class Live {
  #source: EventSource | undefined;
  #again = 0;
  #timer = 0;
  #dueAt = Infinity;
  #asks = false;
  #shownAt = new Date();
  #isLost = false;

  constructor(readonly stream: string, readonly banner: HTMLElement, readonly note: HTMLElement) {}

  start(): void {
    const follow = () => (document.visibilityState === "visible" ? this.#wake() : this.#sleep());
    document.addEventListener("visibilitychange", follow);
    addEventListener("pagehide", () => this.#sleep());
    addEventListener("pageshow", ({ persisted }) => persisted && this.#wake());
    if (document.visibilityState === "visible") this.#listen();
  }

  /** A page that nobody sees holds no connection: a browser has few of them. */
  #sleep(): void {
    this.#source?.close();
    this.#source = undefined;
    clearTimeout(this.#again);
    clearTimeout(this.#timer);
    this.#dueAt = Infinity;
  }

  #wake(): void {
    if (this.#source === undefined) this.#listen();
    this.#due(0);
  }

  #hears(): boolean {
    return this.#source?.readyState === EventSource.OPEN;
  }

  #listen(): void {
    const source = new EventSource(this.stream);
    this.#source = source;
    source.onopen = () => (this.#isLost ? this.#due(0) : this.#tell());
    source.onmessage = () => this.#due(pauseMs);
    source.onerror = () => {
      // The browser itself comes again, with the number of the last event, unless it was refused.
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(this.#again);
        this.#again = setTimeout(() => this.#source === source && this.#listen(), againMs);
      }
      this.#due(pauseMs);
    };
    this.#due(slowPollMs);
  }

  /** Asks after so many milliseconds, or sooner where that is due. */
  #due(ms: number): void {
    const soonest = this.#shownAt.getTime() + leastMs;
    const at = Math.max(Date.now() + ms, this.#isLost ? 0 : soonest);
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), at - Date.now());
  }

  async #ask(): Promise<void> {
    this.#dueAt = Infinity;
    if (this.#asks) return this.#due(pauseMs);
    this.#asks = true;
    const address = location.href;
    try {
      const reply = await fetch(address, { headers: { accept: "text/html" }, redirect: "manual" });
      if (reply.type === "opaqueredirect") return this.#tellEnd();
      if (reply.status >= 500) throw new Error(String(reply.status));
      const text = await reply.text();
      this.#isLost = false;
      this.#shownAt = new Date();
      if (reply.ok && address === location.href) this.#show(text);
    } catch {
      this.#isLost = true;
    } finally {
      this.#asks = false;
    }
    this.#tell();
    if (document.visibilityState === "visible") this.#due(this.#hears() ? slowPollMs : pollMs);
  }

  #show(text: string): void {
    const page = new DOMParser().parseFromString(text, "text/html");
    const shown = document.querySelector("main");
    const sent = page.querySelector("main");
    if (shown === null || sent === null) return;
    const script = "script[type=module]";
    const isOurs = document.querySelector(script)?.getAttribute("src") ===
      page.querySelector(script)?.getAttribute("src");
    if (!isOurs) return location.reload();  // of another version
    if (document.title !== page.title) document.title = page.title;
    morph(shown, sent);
    document.dispatchEvent(new Event("vigil:changed"));
  }

  #tell(): void {
    const at = clock(this.#shownAt);
    said(this.banner, this.#isLost
      ? `\u25B2 The connection to vigild is lost. This is how things stood at ${at}.` : "");
    said(this.note, this.#isLost ? "" : this.#hears() ? "Live" : `As of ${at}`);
  }

  #tellEnd(): void {
    this.#sleep();
    said(this.banner, "\u25B2 You are signed out. Load the page again to sign in.");
    said(this.note, "");
  }
}

function makePlace(tag: string, name: string): HTMLElement {
  const place = document.createElement(tag);
  place.className = name;
  place.setAttribute("data-made", "");
  return place;
}

export function keepLive(): void {
  const main = document.querySelector<HTMLElement>("main[data-live]");
  if (main === null) return;
  const banner = makePlace("p", "connection");
  banner.setAttribute("role", "status");
  main.before(banner);
  const note = makePlace("span", "live");
  document.querySelector("footer")?.append(note);
  new Live(main.dataset.live ?? "", banner, note).start();
}
