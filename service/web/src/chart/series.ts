// The chart of a series, by script: the daemon's drawing with a pointer, and zoom. Its data stands
// in the page. Its address has the nights that are in view (`zoom=12.40`: nightlies); nights, axes
// and the series over it are the daemon's own words in it.

import uplotStyle from "uplot/dist/uPlot.min.css";
import type uPlot from "uplot";

import { type Plot, plotOf } from "./model";
import { quantity } from "./ticks";
import { draw, resize, type Window } from "./view";

function addStyle(): Promise<void> {
  if (document.querySelector(`link[href="${uplotStyle}"]`) !== null) return Promise.resolve();
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = uplotStyle;
  return new Promise((done) => {
    link.onload = link.onerror = () => done();
    document.head.append(link);
  });
}

function make<Name extends keyof HTMLElementTagNameMap>(
  tag: Name, name: string, text = ""): HTMLElementTagNameMap[Name] {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
}

class SeriesChart {
  readonly #bar = make("div", "chart-bar");
  readonly #place = make("div", "plot");
  readonly #told = make("output", "chart-told");
  readonly #buttons: Record<string, HTMLButtonElement> = {};
  #u: uPlot | undefined;
  #at: number | null = null;
  #drawn = "";
  #plot: Plot;

  constructor(readonly figure: HTMLElement) {
    this.#plot = plotOf(figure.dataset.plot!);
    for (const element of [this.#bar, this.#place, this.#told]) {
      element.setAttribute("data-made", "");
    }
    const actions: [string, () => void][] = [
      ["Zoom in", () => this.#zoomBy(0.5)],
      ["Zoom out", () => this.#zoomBy(2)],
      ["Earlier", () => this.#moveBy(-0.5)],
      ["Later", () => this.#moveBy(0.5)],
      ["All nights", () => this.#show(this.#all())],
    ];
    for (const [name, act] of actions) {
      const button = make("button", "small", name);
      button.type = "button";
      button.addEventListener("click", act);
      this.#buttons[name] = button;
      this.#bar.append(button);
    }
    this.#bar.append(make("span", "quiet hint", "Drag to zoom; arrow keys walk, Enter opens"));
    this.#place.tabIndex = 0;
    this.#place.setAttribute("role", "group");
    this.#place.addEventListener("keydown", (event) => this.#onKey(event));
    this.figure.prepend(this.#bar, this.#place, this.#told);
    new ResizeObserver(() => this.#u && resize(this.#u, this.#place.clientWidth))
      .observe(this.#place);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    addEventListener("popstate", () => this.draw());
  }

  #all(): Window {
    return [0, this.#plot.names.length - 1];
  }

  /** The nights in view, as the address has them. */
  #window(): Window {
    const asked = new URL(location.href).searchParams.get("zoom");
    const found = /^(\d+)\.(\d+)$/.exec(asked ?? "");
    if (found === null) return this.#all();
    const from = this.#plot.nightlies.findIndex((id) => id >= Number(found[1]));
    const to = this.#plot.nightlies.findLastIndex((id) => id <= Number(found[2]));
    return from >= 0 && to > from ? [from, to] : this.#all();
  }

  #show([from, to]: Window): void {
    const last = this.#plot.names.length - 1;
    const address = new URL(location.href);
    if (from <= 0 && to >= last) address.searchParams.delete("zoom");
    else {
      const { nightlies } = this.#plot;
      address.searchParams.set("zoom", `${nightlies[Math.max(from, 0)]}.` +
        `${nightlies[Math.min(to, last)]}`);
    }
    if (address.href !== location.href) history.pushState(null, "", address);
    this.draw();
  }

  #zoomBy(times: number): void {
    const [from, to] = this.#window();
    const middle = this.#at ?? (from + to) / 2;
    const half = Math.max(((to - from) * times) / 2, 1);
    this.#show([Math.max(0, Math.round(middle - half)),
                Math.min(this.#plot.names.length - 1, Math.round(middle + half))]);
  }

  #moveBy(share: number): void {
    const [from, to] = this.#window();
    const last = this.#plot.names.length - 1;
    const wanted = Math.round((to - from) * share);
    const by = Math.min(Math.max(wanted, -from), last - to);
    if (by !== 0) this.#show([from + by, to + by]);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.#place || event.ctrlKey || event.metaKey || event.altKey) return;
    const [from, to] = this.#window();
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
    const step = steps[event.key];
    const next = (this.#at ?? to - (step ?? 0)) + (step ?? 0);
    if (step !== undefined) this.#point(Math.min(Math.max(next, from), to));
    else if (event.key === "Home") this.#point(from);
    else if (event.key === "End") this.#point(to);
    else if (event.key === "+") this.#zoomBy(0.5);
    else if (event.key === "-") this.#zoomBy(2);
    else if (event.key === "Enter" && this.#at !== null) this.#open(this.#at);
    else return;
    event.preventDefault();
  }

  #point(at: number): void {
    const u = this.#u;
    if (u === undefined) return;
    const value = this.#plot.value[at];
    u.setCursor({ left: u.valToPos(at, "x"), top: value == null ? 0 : u.valToPos(value, "y") });
  }

  #tell(at: number | null): void {
    this.#at = at;
    if (at === null) {
      this.#told.textContent = "";
      return;
    }
    const plot = this.#plot;
    const value = (values: (number | null)[]) => quantity(values[at], plot.unit);
    const happened = [
      plot.regressions.includes(at) && "a regression", plot.begun.includes(at) && "a level begins",
      plot.moved.includes(at) && "the environment changed"].filter((one) => one !== false);
    const parts = [
      `${plot.names[at]}: ${value(plot.value) || "not measured"}`,
      plot.value[at] === null ? "" : `runs from ${value(plot.low)} to ${value(plot.high)}`,
      plot.base[at] == null ? "" : `baseline ${value(plot.base)}, limit ${value(plot.limit)}`,
      ...plot.over.map(({ name, value: values }) => `${name}: ${value(values) || "-"}`),
      ...happened];
    this.#told.textContent = parts.filter((part) => part !== "").join("; ");
  }

  #open(at: number): void {
    location.assign(`/series/${this.#plot.series}/nights/${this.#plot.nightlies[at]}`);
  }

  draw(): void {
    const began = performance.now();
    const [from, to] = this.#window();
    this.#u?.destroy();
    this.#at = null;
    this.#told.textContent = "";
    this.#place.setAttribute(
      "aria-label", this.figure.querySelector("svg[role=img]")?.getAttribute("aria-label") ?? "");
    this.figure.dataset.drawn = "";
    this.#u = draw(this.#place, this.#plot, [from, to], {
      onNight: (at) => this.#tell(at),
      onZoom: (window) => this.#show(window),
      onOpen: (at) => this.#open(at),
    });
    const isWhole = from === 0 && to === this.#plot.names.length - 1;
    for (const name of ["Zoom out", "Earlier", "Later", "All nights"]) {
      this.#buttons[name]!.disabled = isWhole;
    }
    this.#drawn = this.figure.dataset.plot!;
    performance.measure("vigil:chart", { start: began });
  }

  /** Draws what the daemon has sent since. */
  follow(): void {
    const { plot } = this.figure.dataset;
    if (plot === undefined || !this.figure.isConnected || plot === this.#drawn) return;
    this.#plot = plotOf(plot);
    this.draw();
  }
}

/** Draws the figure, and again whenever the page changes. Where it cannot, the drawing stays. */
export async function drawSeries(figure: HTMLElement): Promise<void> {
  const chart = new SeriesChart(figure);
  await addStyle();
  chart.draw();
  document.addEventListener("vigil:changed", () => chart.follow());
}
