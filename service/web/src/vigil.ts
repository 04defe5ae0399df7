// What makes the pages better. Each of them works without it.

import { keepTimes } from "./times";
import { sortTables } from "./sort";

function start(): void {
  keepTimes();
  sortTables();
}

start();
