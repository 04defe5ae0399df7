// Round numbers of an axis, and how a value is written. As schema/text/numbers writes them.

import { changeUnit } from "./model";

const scales: Record<string, [number, string][]> = {
  ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
  bytes: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]],
};

/** "12.35 ms"; of a change "+12.3 %" */
export function quantity(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  if (unit === changeUnit) {
    const text = (100 * value).toFixed(1);
    return `${value > 0 && Number(text) !== 0 ? "+" : ""}${text} %`;
  }
  const own = scales[unit] ?? [[1, unit]];
  const [factor, name] = own.find(([size]) => Math.abs(value) >= size) ?? own[own.length - 1]!;
  if (name === "B") return `${value.toFixed(0)} B`;
  const shown = value / factor;
  const size = Math.abs(shown);
  const decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
  return `${shown.toFixed(decimals)}${name === "" ? "" : ` ${name}`}`;
}

/** A round number of at least `raw`: bytes are told in powers of two. */
function roundStep(raw: number, unit: string): number {
  if (unit === "bytes") return 2 ** Math.ceil(Math.log2(raw));
  const size = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((times) => times * size).find((step) => raw <= step * 1.000001)!;
}

/** Bottom and top of an axis that holds these values with some room. */
export function spaced(low: number, high: number, isLog: boolean): [number, number] {
  // A series without noise is a line in the middle, not on an edge.
  const least = Math.max(Math.abs(low), Math.abs(high)) * 0.02;
  const spare = Math.max((high - low) * 0.05, (least - (high - low)) / 2, 1e-12);
  if (isLog && low > 0) {
    const times = Math.max((high / low) ** 0.05, 1.01);
    return [low / times, high * times];
  }
  return [low - spare, high + spare];
}

/** Some four round numbers between bottom and top. */
export function ticksOf(bottom: number, top: number, unit: string, isLog: boolean): number[] {
  if (isLog && bottom > 0 && top / bottom > 10) {
    const ticks: number[] = [];
    for (let size = 10 ** Math.floor(Math.log10(bottom)); size <= top; size *= 10) {
      ticks.push(...(top / bottom > 1000 ? [size] : [size, 2 * size, 5 * size]));
    }
    return ticks.filter((tick) => tick >= bottom && tick <= top);
  }
  const step = roundStep((top - bottom) / 4, unit);
  const ticks: number[] = [];
  for (let i = Math.ceil(bottom / step); i * step <= top; ++i) ticks.push(i * step);
  return ticks;
}
