// Tables are sorted by the button in the head of a column. The order is in the address.

import { compareKeys, keyOf } from "./quantities";

/** One order: of which table of the page, by which column. */
interface Order {
  table: number;
  column: number;
  isDown: boolean;
}

const written = /^(\d+)\.(\d+)(\.down)?$/;

function ordersOf(address: string): Order[] {
  const orders: Order[] = [];
  for (const one of (new URL(address).searchParams.get("sort") ?? "").split(" ")) {
    const found = written.exec(one);
    if (found === null) continue;
    orders.push({
      table: Number(found[1]) - 1, column: Number(found[2]) - 1, isDown: found[3] !== undefined });
  }
  return orders;
}

function keepOrders(orders: Order[]): void {
  const address = new URL(location.href);
  const words = orders.map(({ table, column, isDown }) =>
    `${table + 1}.${column + 1}${isDown ? ".down" : ""}`);
  if (words.length === 0) address.searchParams.delete("sort");
  else address.searchParams.set("sort", words.join(" "));
  history.replaceState(history.state, "", address);
}

/** Those that can be sorted: a head of one row, and no cell that reaches over others. */
function sortable(): HTMLTableElement[] {
  return [...document.querySelectorAll<HTMLTableElement>("main table")].filter((table) =>
    table.tHead?.rows.length === 1 && table.tBodies.length === 1 &&
    table.querySelector("[rowspan], [colspan], tbody th[scope=rowgroup]") === null &&
    !table.hasAttribute("data-unsorted"));
}

/** The rows as the daemon sent them, to go back to. */
const sent = new WeakMap<HTMLTableRowElement, number>();

function headsOf(table: HTMLTableElement): HTMLTableCellElement[] {
  return [...(table.tHead?.rows[0]?.cells ?? [])];
}

function sortBy(table: HTMLTableElement, order: Order | undefined): void {
  const heads = headsOf(table);
  heads.forEach((head, at) => {
    if (at === order?.column) {
      head.setAttribute("aria-sort", order.isDown ? "descending" : "ascending");
    } else {
      head.removeAttribute("aria-sort");
    }
  });
  const body = table.tBodies[0]!;
  const rows = [...body.rows];
  const before = rows.slice();
  const placeOf = (row: HTMLTableRowElement) => sent.get(row) ?? 0;
  if (order === undefined) {
    rows.sort((a, b) => placeOf(a) - placeOf(b));
  } else {
    const isNumeric = heads[order.column]?.classList.contains("number") ?? false;
    const keys = new Map(rows.map((row) => [row, keyOf(row.cells[order.column])]));
    rows.sort((a, b) =>
      compareKeys(keys.get(a)!, keys.get(b)!, isNumeric, order.isDown) || placeOf(a) - placeOf(b));
  }
  if (rows.some((row, at) => row !== before[at])) body.append(...rows);
}

/** Numbers begin with the largest: the worst stands first. Then the other way, then as sent. */
function nextOrder(table: number, column: number, isNumeric: boolean): Order[] {
  const others = ordersOf(location.href).filter((order) => order.table !== table);
  const now = ordersOf(location.href).find((order) => order.table === table);
  if (now?.column !== column) return [...others, { table, column, isDown: isNumeric }];
  if (now.isDown === isNumeric) return [...others, { table, column, isDown: !isNumeric }];
  return others;
}

function addButton(head: HTMLTableCellElement): void {
  if (head.querySelector("button") !== null || head.textContent?.trim() === "") return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sort";
  button.append(...head.childNodes);
  head.append(button);
}

/** @param isFresh  the rows stand as the daemon sent them */
function apply(isFresh: boolean): void {
  const orders = ordersOf(location.href);
  sortable().forEach((table, at) => {
    const rows = [...table.tBodies[0]!.rows];
    if (rows.length < 2) return;
    if (isFresh) rows.forEach((row, place) => sent.set(row, place));
    headsOf(table).forEach(addButton);
    const order = orders.find(({ table: which }) => which === at);
    if (order !== undefined || table.querySelector("[aria-sort]") !== null) sortBy(table, order);
  });
}

export function sortTables(): void {
  apply(true);
  document.addEventListener("vigil:changed", () => apply(true));
  addEventListener("popstate", () => apply(false));
  document.addEventListener("click", ({ target }) => {
    const head = target instanceof Element ? target.closest("button.sort")?.closest("th") : null;
    const table = head?.closest("table");
    if (!head || !table) return;
    keepOrders(nextOrder(
      sortable().indexOf(table), head.cellIndex, head.classList.contains("number")));
    apply(false);
  });
}
