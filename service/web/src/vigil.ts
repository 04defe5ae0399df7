// What makes the pages better. Each of them works without it.

import { keepLive } from "./live";
import { keepTimes } from "./times";
import { sortTables } from "./sort";

function start(): void {
  keepTimes();
  sortTables();
  keepLive();
}

start();
