// What a chart shows beside its lines: the same as the drawing that the daemon makes (chart.html).

import type uPlot from "uplot";

import type { Plot } from "./model";

/** The colours of the page, which follow the reader's setting. */
const names = ["accent", "bad", "good", "busy", "ink", "quiet", "line", "quiet-ground", "over-1",
               "over-2", "over-3"] as const;
export type Colours = Record<(typeof names)[number], string>;

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(
    names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}

interface Stroke {
  colour: string;
  width: number;
  dash?: number[];
  alpha?: number;
}

/** Draws in pixels of the screen on a uPlot's canvas, inside of its axes. */
export class Pen {
  readonly ratio = devicePixelRatio;
  readonly #context: CanvasRenderingContext2D;

  constructor(readonly u: uPlot) {
    this.#context = u.ctx;
  }

  x(at: number): number {
    return this.u.valToPos(at, "x", true);
  }
  y(value: number): number {
    return this.u.valToPos(value, "y", true);
  }

  /** Runs `draw` with the drawing clipped to the axes. */
  inside(draw: () => void): void {
    const { left, top, width, height } = this.u.bbox;
    this.#context.save();
    this.#context.beginPath();
    this.#context.rect(left, top, width, height);
    this.#context.clip();
    draw();
    this.#context.restore();
  }

  stroke({ colour, width, dash = [], alpha = 1 }: Stroke, path: Path2D): void {
    const context = this.#context;
    context.save();
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width * this.ratio;
    context.setLineDash(dash.map((length) => length * this.ratio));
    context.stroke(path);
    context.restore();
  }

  fill(colour: string, path: Path2D, alpha = 1): void {
    this.#context.save();
    this.#context.globalAlpha = alpha;
    this.#context.fillStyle = colour;
    this.#context.fill(path);
    this.#context.restore();
  }
}

function lineThrough(pen: Pen, values: (number | null)[], path = new Path2D()): Path2D {
  let isDrawn = false;
  values.forEach((value, at) => {
    if (value !== null) {
      if (isDrawn) path.lineTo(pen.x(at), pen.y(value));
      else path.moveTo(pen.x(at), pen.y(value));
    }
    isDrawn = value !== null;
  });
  return path;
}

/** Stretches of nights in which both are known. */
function stretches(a: (number | null)[], b: (number | null)[]): [number, number][] {
  const found: [number, number][] = [];
  a.forEach((value, at) => {
    if (value === null || b[at] === null || b[at] === undefined) return;
    const last = found[found.length - 1];
    if (last !== undefined && last[1] === at - 1) last[1] = at;
    else found.push([at, at]);
  });
  return found;
}

function drawBand(pen: Pen, plot: Plot, colours: Colours): void {
  const path = new Path2D();
  for (const [from, to] of stretches(plot.base, plot.limit)) {
    for (let at = from; at <= to; ++at) {
      const y = pen.y(plot.limit[at]!);
      if (at === from) path.moveTo(pen.x(at), y);
      else path.lineTo(pen.x(at), y);
    }
    for (let at = to; at >= from; --at) path.lineTo(pen.x(at), pen.y(plot.base[at]!));
    path.closePath();
  }
  pen.fill(colours["quiet-ground"], path);
  pen.stroke({ colour: colours.quiet, width: 1, dash: [2, 3] }, lineThrough(pen, plot.base));
}

function uprights(pen: Pen, places: number[], from: number, to: number): Path2D {
  const { top, height } = pen.u.bbox;
  const path = new Path2D();
  for (const at of places) {
    path.moveTo(pen.x(at), top + from * height);
    path.lineTo(pen.x(at), top + to * height);
  }
  return path;
}

/** What lies behind the line: band and baseline, levels, and what happened in a night. */
export function drawBehind(pen: Pen, plot: Plot, colours: Colours): void {
  drawBand(pen, plot, colours);
  const { left, width } = pen.u.bbox;
  if (plot.pinned !== null) {
    const path = new Path2D();
    path.moveTo(left, pen.y(plot.pinned));
    path.lineTo(left + width, pen.y(plot.pinned));
    pen.stroke({ colour: colours.good, width: 1, dash: [8, 3, 2, 3] }, path);
  }
  const levels = new Path2D();
  for (const { from, to, value } of plot.levels) {
    levels.moveTo(pen.x(from), pen.y(value));
    levels.lineTo(pen.x(to), pen.y(value));
  }
  pen.stroke({ colour: colours.ink, width: 2, alpha: 0.55 }, levels);
  pen.stroke({ colour: colours.busy, width: 3 }, uprights(pen, plot.moved, 0.9, 1));
  pen.stroke({ colour: colours.ink, width: 2 }, uprights(pen, plot.begun, 0, 0.1));
  pen.stroke({ colour: colours.bad, width: 1.5, dash: [4, 4] },
             uprights(pen, plot.regressions, 0, 1));
  const whiskers = new Path2D();
  plot.low.forEach((low, at) => {
    const high = plot.high[at];
    if (low === null || high === null || high === undefined) return;
    whiskers.moveTo(pen.x(at), pen.y(low));
    whiskers.lineTo(pen.x(at), pen.y(high));
  });
  pen.stroke({ colour: colours.accent, width: 1, alpha: 0.45 }, whiskers);
}

function square(pen: Pen, path: Path2D, at: number, value: number, size: number): void {
  const side = size * pen.ratio;
  path.rect(pen.x(at) - side / 2, pen.y(value) - side / 2, side, side);
}

/** What lies over the line: sessions, and runs that nothing is judged by. */
export function drawOver(pen: Pen, plot: Plot, colours: Colours): void {
  const out = new Path2D();
  for (const { at, value } of plot.left_out) square(pen, out, at, value, 4);
  pen.fill(colours.quiet, out, 0.6);
  const lines = new Path2D();
  const ends = new Path2D();
  for (const { at, before, after } of plot.sessions) {
    lines.moveTo(pen.x(at), pen.y(before));
    lines.lineTo(pen.x(at), pen.y(after));
    square(pen, ends, at, after, 8);
  }
  pen.stroke({ colour: colours.bad, width: 1.5 }, lines);
  pen.fill(colours.bad, ends);
}
