// "3 h ago" in the tooltips of times stays true while a page is open.

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago, in the words that the daemon uses (schema/text/numbers, ago). */
export function ago(thenS: number, nowS: number): string {
  const distance = Math.trunc(nowS - thenS);
  const size = Math.abs(distance);
  if (size < 2) return "now";
  let text = `${size} s`;
  if (size >= minute) text = `${Math.trunc(size / minute)} min`;
  if (size >= hour) text = `${Math.trunc(size / hour)} h`;
  if (size >= 2 * day) text = `${Math.trunc(size / day)} d`;
  return distance < 0 ? `in ${text}` : `${text} ago`;
}

function tellTimes(): void {
  const nowS = Date.now() / 1000;
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[title]")) {
    const thenS = Date.parse(time.dateTime) / 1000;
    const words = ago(thenS, nowS);
    if (!Number.isNaN(thenS) && time.title !== words) time.title = words;
  }
}

export function keepTimes(): void {
  tellTimes();
  setInterval(tellTimes, 20_000);
  document.addEventListener("vigil:changed", tellTimes);
}
