// Makes a part of a page what the daemon sent anew, and touches only what is different: what has
// the focus, was unfolded or was typed stays.

/** What scripts put into a page; the daemon knows nothing of it. */
const made = "data-made";
/** Attributes that belong to the reader, or to scripts. */
const kept = new Set(["aria-sort", "open", "data-drawn"]);

function isMade(one: Node): boolean {
  return one instanceof Element && one.hasAttribute(made);
}

/** What tells a thing from its neighbours; nothing: its place. */
function keyOf(one: Node): string | undefined {
  if (!(one instanceof Element)) return undefined;
  if (one.id !== "") return `#${one.id}`;
  const head = one.localName === "tr" ? one.querySelector(":scope > th[scope=row]") : null;
  if (head !== null) return `row ${head.textContent}`;
  const link = one.localName === "li" ? one.querySelector("a[href]") : null;
  return link === null ? undefined : `link ${link.getAttribute("href")}`;
}

function isAlike(a: Node, b: Node): boolean {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
}

/** Whether somebody fills in a form: it is left alone until it is sent. */
function isInUse(form: HTMLFormElement): boolean {
  if (form.contains(document.activeElement)) return true;
  return [...form.elements].some((one) => {
    if (one instanceof HTMLInputElement) {
      return one.checked !== one.defaultChecked || one.value !== one.defaultValue;
    }
    if (one instanceof HTMLTextAreaElement) return one.value !== one.defaultValue;
    if (one instanceof HTMLSelectElement) {
      const before = [...one.options].findIndex((option) => option.defaultSelected);
      return one.selectedIndex !== Math.max(before, 0);
    }
    return false;
  });
}

function morphAttributes(from: Element, to: Element): void {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !kept.has(name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (!kept.has(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

function morphChildren(from: Element, to: Element): void {
  const left = [...from.childNodes].filter((one) => !isMade(one));
  let place: ChildNode | null = left[0] ?? null;
  const next = (one: ChildNode | null): ChildNode | null => {
    let after = one;
    while (after !== null && isMade(after)) after = after.nextSibling;
    return after;
  };
  for (const wanted of [...to.childNodes]) {
    const at = left.findIndex((one) => isAlike(one, wanted));
    if (at < 0) {
      from.insertBefore(document.importNode(wanted, true), place);
      continue;
    }
    const [found] = left.splice(at, 1) as [ChildNode];
    if (found === place) place = next(found.nextSibling);
    else from.insertBefore(found, place);
    morphNode(found, wanted);
  }
  for (const one of left) {
    if (one === place) place = next(one.nextSibling);
    one.remove();
  }
}

function morphNode(from: Node, to: Node): void {
  if (from.isEqualNode(to)) return;
  if (!(from instanceof Element && to instanceof Element)) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  if (from instanceof HTMLFormElement && isInUse(from)) return;
  morphAttributes(from, to);
  // What heads a column is inside of a button, once it can be sorted (sort.ts).
  const button = from.localName === "th" ? from.querySelector(":scope > button.sort") : null;
  morphChildren(button ?? from, to);
}

/** Makes `from`, which is shown, what `to` is. */
export function morph(from: Element, to: Element): void {
  const focused = document.activeElement;
  morphNode(from, to);
  // What was moved has lost it.
  if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement) {
    focused.focus({ preventScroll: true });
  }
}
