// The inbox by keyboard: what is chosen and answered by its form, several at once.

const help: [string, string][] = [
  ["j, k", "the next, the one before"], ["x", "choose it, or not"],
  ["*", "choose all, or none"], ["o", "open it"], ["a", "acknowledge what is chosen"],
  ["c", "accept it, with a reason"], ["r", "refute it, with a reason"], ["s", "assign it"],
  ["m", "mute it until a day"], ["?", "these keys"]];
const offKey = "vigil:keys-off";

function boxesOf(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>(".findings input[type=checkbox]")];
}

/** The one at hand: the box, or anything else of its row, that has the focus. */
function placeOf(boxes: HTMLInputElement[]): number {
  const row = document.activeElement?.closest("li");
  return boxes.findIndex((box) => row !== null && row !== undefined && row.contains(box));
}

function move(boxes: HTMLInputElement[], by: number): void {
  const at = placeOf(boxes);
  const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), boxes.length - 1);
  boxes[next]?.focus();
}

/** Picks the answer, and goes on to what it asks for: a field, else the button that sends it. */
function answer(
  form: HTMLFormElement, boxes: HTMLInputElement[], name: string, asks?: string): void {
  const at = placeOf(boxes);
  if (!boxes.some(({ checked }) => checked) && at >= 0) boxes[at]!.checked = true;
  const radio = form.querySelector<HTMLInputElement>(`input[name=answer][value="${name}"]`);
  if (radio === null) return;
  radio.checked = true;
  const next = asks === undefined ? "button" : `input[name="${asks}"]`;
  form.querySelector<HTMLElement>(`.bulk ${next}`)?.focus();
}

function makeHelp(): HTMLDetailsElement {
  const details = document.createElement("details");
  details.className = "keys";
  details.setAttribute("data-made", "");
  const summary = document.createElement("summary");
  summary.textContent = "Keys";
  const list = document.createElement("dl");
  list.className = "facts";
  for (const [key, words] of help) {
    const row = document.createElement("div");
    const term = document.createElement("dt");
    const meaning = document.createElement("dd");
    term.textContent = key;
    meaning.textContent = words;
    row.append(term, meaning);
    list.append(row);
  }
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = localStorage.getItem(offKey) === null;
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem(offKey);
    else localStorage.setItem(offKey, "1");
  });
  label.append(box, " the keys are on");
  details.append(summary, list, label);
  return details;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    target.matches("input:not([type=checkbox]):not([type=radio]), select, textarea");
}

export function answerByKeys(): void {
  const found = document.querySelector<HTMLFormElement>("form.inbox");
  if (found === null || boxesOf(found).length === 0) return;
  const details = makeHelp();
  found.before(details);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (localStorage.getItem(offKey) !== null) return;
    const form = document.querySelector<HTMLFormElement>("form.inbox");
    if (form === null) return;
    const boxes = boxesOf(form);
    const at = placeOf(boxes);
    const acts: Record<string, () => void> = {
      j: () => move(boxes, 1),
      k: () => move(boxes, -1),
      x: () => at >= 0 && boxes[at]!.click(),
      "*": () => {
        const all = boxes.every(({ checked }) => checked);
        boxes.forEach((box) => (box.checked = !all));
      },
      o: () => boxes[at]?.closest("li")?.querySelector<HTMLElement>("a.finding")?.click(),
      a: () => answer(form, boxes, "acknowledge"),
      c: () => answer(form, boxes, "accept", "reason"),
      r: () => answer(form, boxes, "refute", "reason"),
      s: () => answer(form, boxes, "assign", "to"),
      m: () => answer(form, boxes, "mute", "until"),
      "?": () => (details.open = !details.open),
    };
    const act = acts[event.key];
    if (act === undefined) return;
    act();
    event.preventDefault();
  });
}
