// A chart as the daemon puts it into its page (service/pages/measured/charted.hpp): what is drawn.
// Values are those of the axis; places count nights from the oldest. No page in here.

type Column = (number | null)[];

/** Where something stands: the place of its night, and its value. */
export interface Spot {
  at: number;
  value: number;
}

export interface Plot {
  series: number;
  unit: string;
  axis: "linear" | "log";
  nightlies: number[];
  names: string[];
  value: Column;
  low: Column;
  high: Column;
  base: Column;
  limit: Column;
  over: { name: string; value: Column }[];
  left_out: Spot[];
  levels: { from: number; to: number; value: number }[];
  sessions: { at: number; before: number; after: number }[];
  regressions: number[];
  begun: number[];
  moved: number[];
  pinned: number | null;
}

/** The unit of values that are changes. */
export const changeUnit = "ratio";

/** @param text  in which the ends of runs are left out where they are the value */
export function plotOf(text: string): Plot {
  const plot = JSON.parse(text) as Plot;
  const orValue = (value: number | null, at: number) => value ?? plot.value[at] ?? null;
  return { ...plot, low: plot.low.map(orValue), high: plot.high.map(orValue) };
}

/** The least and the largest value that these nights show. */
export function extentOf(plot: Plot, from: number, to: number): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  const take = (value: number | null | undefined) => {
    if (value === null || value === undefined) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  const columns = [plot.value, plot.low, plot.high, plot.base, plot.limit,
                   ...plot.over.map(({ value }) => value)];
  for (let at = Math.max(0, from); at <= Math.min(to, plot.names.length - 1); ++at) {
    columns.forEach((values) => take(values[at]));
  }
  for (const { at, before, after } of plot.sessions) {
    if (at >= from && at <= to) [before, after].forEach(take);
  }
  return low <= high ? [low, high] : [0, 1];
}
