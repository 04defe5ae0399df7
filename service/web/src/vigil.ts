// What makes the pages better. Each of them works without it.

import { answerByKeys } from "./inbox";
import { keepLive } from "./live";
import { keepTimes } from "./times";
import { sortTables } from "./sort";

/** What only few pages have is a file of its own. */
async function drawCharts(): Promise<void> {
  const figures = document.querySelectorAll<HTMLElement>("figure[data-plot]");
  if (figures.length === 0) return;
  const { drawSeries } = await import("./chart/series");
  await Promise.allSettled([...figures].map(drawSeries));
}

function start(): void {
  keepTimes();
  sortTables();
  keepLive();
  answerByKeys();
  void drawCharts();
}

start();
