// What a cell of a table says, as something that can be put in order.

/** In one base unit of their kind each, as schema/text/numbers writes them. */
const factors: Record<string, number> = {
  ns: 1e-9, us: 1e-6, "µs": 1e-6, "μs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400,
  B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12,
  KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, "%": 0.01,
};

const quantity = /^([+\-−]?\d[\d,' ]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*([^\s\d]\S*)?/i;

/** "3 min 05 s" */
const duration = /^(\d+ (d|h|min|s)\s*){2,}$/;

/** The number that a text begins with, in the base unit of its kind; nothing: there is none. */
export function numberOf(text: string): number | undefined {
  if (duration.test(text.trim())) {
    const parts = text.trim().match(/\d+ [a-z]+/g) ?? [];
    return parts.reduce((sum, part) => sum + (numberOf(part) ?? 0), 0);
  }
  const found = quantity.exec(text.trim());
  if (found === null) return undefined;
  const digits = found[1]!.replace("−", "-").replace(/[,' ]/g, "");
  const value = Number(digits);
  if (Number.isNaN(value)) return undefined;
  return value * (factors[found[2] ?? ""] ?? 1);
}

/** What a cell is sorted by: what it names itself, a time, else its text. */
export function keyOf(cell: Element | undefined): string {
  if (cell === undefined) return "";
  const named = cell.getAttribute("data-sort");
  if (named !== null) return named;
  const time = cell.querySelector("time");
  if (time !== null) return time.dateTime;
  return (cell.textContent ?? "").trim();
}

const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** The order of two keys; what says nothing stands last in either direction. */
export function compareKeys(a: string, b: string, isNumeric: boolean, isDown: boolean): number {
  if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
  const sign = isDown ? -1 : 1;
  if (!isNumeric) return sign * words.compare(a, b);
  const left = numberOf(a);
  const right = numberOf(b);
  if (left === undefined || right === undefined) {
    return left === right ? words.compare(a, b) : left === undefined ? 1 : -1;
  }
  return sign * (left - right);
}
