// A series as GET /api/v1/series/{id}/chart answers it, made ready to be drawn. No page in here.

export interface Night {
  nightly: number;
  night: string;
  value: number | null;
  low: number | null;
  high: number | null;
  left_out: number[];
  base: number | null;
  limit: number | null;
}

export interface Chart {
  id: number;
  benchmark: string;
  variant: string;
  machine_class: string;
  metric: string;
  unit: string;
  nights: Night[];
  levels: { first: number; last: number; value: number }[];
  sessions: { nightly: number; confirmed: Record<string, unknown> | null }[];
  regressions: { regression: number; nightly: number }[];
  baselines: { kind: string; nightly: number }[];
  environments: { nightly: number }[];
}

export type Axis = "linear" | "log";
export type Values = "absolute" | "relative";

/** Where something stands: the place of its night, and values as the axis has them. */
export interface Spot {
  at: number;
  value: number;
}

/** What is drawn. Values are those of the axis; places count nights from the oldest. */
export interface Plot {
  unit: string;
  axis: Axis;
  names: string[];
  nightlies: number[];
  value: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  base: (number | null)[];
  limit: (number | null)[];
  others: { name: string; value: (number | null)[] }[];
  leftOut: Spot[];
  levels: { from: number; to: number; value: number }[];
  sessions: { at: number; before: number; after: number }[];
  regressions: number[];
  begun: number[];
  moved: number[];
  pinned: number | null;
}

/** The unit of values that are changes. */
export const changeUnit = "change";

function numberIn(object: Record<string, unknown> | null, key: string): number | null {
  const value = object?.[key];
  return typeof value === "number" ? value : null;
}

/** How the values of one series become those of the axis. */
function shownBy(chart: Chart, values: Values): (value: number | null) => number | null {
  if (values === "absolute") return (value) => value;
  const reference = chart.nights.find(({ value }) => value !== null)?.value ?? 1;
  return (value) => (value === null ? null : value / reference - 1);
}

/** @param others  series that lie over it, of the same nights */
export function plotOf(chart: Chart, others: Chart[], axis: Axis, wanted: Values): Plot {
  // What has another unit cannot share an axis.
  const values = others.some(({ unit }) => unit !== chart.unit) ? "relative" : wanted;
  const shown = shownBy(chart, values);
  const places = new Map(chart.nights.map(({ nightly }, at) => [nightly, at]));
  const placesOf = (things: { nightly: number }[]): number[] =>
    [...new Set(things.flatMap(({ nightly }) => places.get(nightly) ?? []))];
  const column = (key: "value" | "low" | "high" | "base" | "limit") =>
    chart.nights.map((night) => shown(night[key]));
  const pinned = chart.baselines.find(({ kind }) => kind === "pinned");
  const pinnedAt = pinned === undefined ? undefined : places.get(pinned.nightly);
  return {
    unit: values === "relative" ? changeUnit : chart.unit,
    axis: values === "relative" ? "linear" : axis,
    names: chart.nights.map(({ night }) => night),
    nightlies: chart.nights.map(({ nightly }) => nightly),
    value: column("value"),
    low: column("low"),
    high: column("high"),
    base: column("base"),
    limit: column("limit"),
    others: others.map((other) => {
      const own = shownBy(other, values);
      const by = new Map(other.nights.map(({ nightly, value }) => [nightly, value]));
      return {
        name: `${other.benchmark}, ${other.variant} on ${other.machine_class}: ${other.metric}`,
        value: chart.nights.map(({ nightly }) => own(by.get(nightly) ?? null)),
      };
    }),
    leftOut: chart.nights.flatMap(({ left_out }, at) =>
      left_out.map((value) => ({ at, value: shown(value)! }))),
    levels: chart.levels.flatMap(({ first, last, value }) => {
      const from = places.get(first);
      const to = places.get(last);
      return from === undefined || to === undefined ? [] : [{ from, to, value: shown(value)! }];
    }),
    sessions: chart.sessions.flatMap(({ nightly, confirmed }) => {
      const at = places.get(nightly);
      const before = shown(numberIn(confirmed, "before"));
      const after = shown(numberIn(confirmed, "after"));
      const isMeasured = (numberIn(confirmed, "runs_before") ?? 0) >= 1;
      if (at === undefined || before === null || after === null || !isMeasured) return [];
      return [{ at, before, after }];
    }),
    regressions: placesOf(chart.regressions),
    begun: placesOf(chart.baselines.filter(({ kind }) => kind === "rolling")),
    moved: placesOf(chart.environments),
    pinned: pinnedAt === undefined ? null : shown(chart.nights[pinnedAt]?.value ?? null),
  };
}

/** The least and the largest value that these nights show. */
export function extentOf(plot: Plot, from: number, to: number): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  const take = (value: number | null | undefined) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  const columns = [plot.value, plot.low, plot.high, plot.base, plot.limit,
                   ...plot.others.map(({ value }) => value)];
  for (let at = Math.max(0, from); at <= Math.min(to, plot.names.length - 1); ++at) {
    columns.forEach((values) => take(values[at]));
  }
  for (const { at, before, after } of plot.sessions) {
    if (at >= from && at <= to) [before, after].forEach(take);
  }
  return low <= high ? [low, high] : [0, 1];
}
