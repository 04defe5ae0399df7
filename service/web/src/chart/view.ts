// A chart of nights by uPlot: lines and points are its own, everything else is drawn by marks.ts.

import uPlot from "uplot";

import { coloursOf, drawBehind, drawOver, Pen } from "./marks";
import { extentOf, type Plot } from "./model";
import { quantity, spaced, ticksOf } from "./ticks";

/** The first and the last night that are shown. */
export type Window = [number, number];

export interface Told {
  /** The night under the pointer; null: none. */
  onNight(at: number | null): void;
  /** Somebody chose a stretch of nights. */
  onZoom(window: Window): void;
  /** Somebody chose a night. */
  onOpen(at: number): void;
}

const height = 320;
const font = "13px system-ui, sans-serif";

/** Of the series that lie over it, as vigil.css has them: three colours, each with three dashes. */
const dashes = [[6, 2], [2, 2], [10, 3, 2, 3]];
/** Pixels of a night from which on a series that lies over it shows its points. */
const pointRoom = 5;

/** The nights whose points are shown: where there is no room, those that no line goes to. */
function shownPoints(u: uPlot, index: number): number[] | null {
  const values = u.data[index]!;
  const [from, to] = [u.valToIdx(u.scales.x!.min!), u.valToIdx(u.scales.x!.max!)];
  const hasRoom = u.bbox.width / devicePixelRatio / (to - from + 1) >= pointRoom;
  const shown: number[] = [];
  for (let at = from; at <= to; ++at) {
    if (values[at] == null) continue;
    if (hasRoom || (values[at - 1] == null && values[at + 1] == null)) shown.push(at);
  }
  return shown;
}

function lines(plot: Plot, colours: ReturnType<typeof coloursOf>): uPlot.Series[] {
  const points = (colour: string): uPlot.Series.Points => ({
    show: true, size: 5, width: 0, fill: colour, stroke: colour });
  return [
    {},
    { stroke: colours.accent, width: 1.5, points: points(colours.accent), spanGaps: false },
    ...plot.over.map((_, at): uPlot.Series => {
      const colour = [colours["over-1"], colours["over-2"], colours["over-3"]][at % 3]!;
      return { stroke: colour, width: 1.5, dash: dashes[Math.floor(at / 3)]!, spanGaps: false,
               points: { ...points(colour), filter: shownPoints } };
    }),
  ];
}

/** Names of nights, as many as have room. */
function dayTicks(u: uPlot, from: number, to: number): number[] {
  const room = Math.max(1, Math.floor(u.bbox.width / devicePixelRatio / 110));
  const step = Math.max(1, Math.ceil((to - from) / room));
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}

function axesOf(plot: Plot, colours: ReturnType<typeof coloursOf>): uPlot.Axis[] {
  const common = { stroke: colours.quiet, font, ticks: { show: false } };
  const isLog = plot.axis === "log";
  return [
    { ...common, grid: { show: false }, space: 80,
      splits: (u, _, from, to) => dayTicks(u, from, to),
      values: (_, at) => at.map((one) => (plot.names[one] ?? "").slice(0, 16)) },
    { ...common, grid: { stroke: colours.line, width: 1 },
      size: (u, values) => Math.max(50, 12 + Math.max(0, ...(values ?? []).map((text) =>
        measured(u, text)))),
      splits: (_, __, bottom, top) => ticksOf(bottom, top, plot.unit, isLog),
      filter: (_, splits) => splits,
      values: (_, splits) => splits.map((value) => quantity(value, plot.unit)) },
  ];
}

function measured(u: uPlot, text: string): number {
  u.ctx.font = font;
  return u.ctx.measureText(text).width;
}

/** Draws into `place`, which is empty. @return  the chart, to be destroyed */
export function draw(place: HTMLElement, plot: Plot, window: Window, told: Told): uPlot {
  const colours = coloursOf(place);
  let [from, to] = window;
  const room = (): [number, number] => [from - 0.5, to + 0.5];
  const options: uPlot.Options = {
    width: Math.max(place.clientWidth, 200),
    height,
    legend: { show: false },
    padding: [12, 8, 0, 0],
    scales: {
      x: { time: false, range: room },
      y: {
        distr: plot.axis === "log" ? 3 : 1,
        range: () => {
          const [low, high] = extentOf(plot, from, to);
          return spaced(low, high, plot.axis === "log");
        },
      },
    },
    series: lines(plot, colours),
    axes: axesOf(plot, colours),
    cursor: {
      x: true, y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 9 },
    },
    hooks: {
      drawAxes: [(u) => {
        const pen = new Pen(u);
        pen.inside(() => drawBehind(pen, plot, colours));
      }],
      draw: [(u) => {
        const pen = new Pen(u);
        pen.inside(() => drawOver(pen, plot, colours));
      }],
      setCursor: [(u) => told.onNight(u.cursor.idx ?? null)],
      setSelect: [(u) => {
        if (u.select.width < 8) return;
        const first = Math.ceil(u.posToVal(u.select.left, "x"));
        const last = Math.floor(u.posToVal(u.select.left + u.select.width, "x"));
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        if (last > first) told.onZoom([Math.max(first, 0), Math.min(last, plot.names.length - 1)]);
      }],
    },
  };
  const data: uPlot.AlignedData = [
    plot.names.map((_, at) => at), plot.value, ...plot.over.map(({ value }) => value)];
  const u = new uPlot(options, data, place);
  let downAt = 0;
  u.over.addEventListener("mousedown", ({ clientX }) => (downAt = clientX));
  u.over.addEventListener("click", ({ clientX }) => {
    const at = u.cursor.idx;
    if (Math.abs(clientX - downAt) < 4 && at !== null && at !== undefined) told.onOpen(at);
  });
  return u;
}

export function resize(u: uPlot, width: number): void {
  u.setSize({ width: Math.max(width, 200), height });
}
