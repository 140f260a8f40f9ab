// Walks through a page by the Tab key, as somebody without a mouse does.

import type { CDPSession, Page } from "playwright-core";

/** Something that had the focus. */
export interface Stop {
  /** `button "Deploy"` */
  readonly name: string;
  /** Why one does not see that it has the focus; empty: one does. */
  readonly hidden: string;
}

interface Described extends Stop {
  /** Whether the walk has been here. */
  readonly again: boolean;
}

/** More stops than any page has. */
const most = 300;

/** In the page: `button "Deploy"` of an element. */
const naming = `(element) => element.tagName.toLowerCase() + " " + JSON.stringify(
  (element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent ?? "").trim().replace(/\\s+/g, " ").slice(0, 60))`;

/** In the page: marks the focused element, and says what it is. An element of an editor stands for its frame, which shows the focus. */
const describeFocus = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return undefined;
  const again = element.dataset.walked !== undefined;
  element.dataset.walked = "";
  const frames = [element, element.closest(".cm-editor")].filter(Boolean).map((each) => getComputedStyle(each));
  const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
  const isInside = width > 1 && height > 1 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  const isOutlined = frames.some(({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && parseFloat(outlineWidth) >= 1);
  return {
    again,
    name: (${naming})(element),
    hidden: !isInside ? "out of sight at " + [left, top, right, bottom].map(Math.round) : element.matches(":focus-visible") && isOutlined ? "" : "without an outline",
  };
})()`;

/** All stops from the start of the page to its end. In an editor Tab indents, and Escape lets the next Tab leave it. */
export async function walk(page: Page): Promise<readonly Stop[]> {
  await toStart(page);
  const stops: Stop[] = [];
  while (stops.length < most) {
    const stop = await next(page);
    if (stop === undefined || stop.again) return stops;
    // An editor shows its focus a moment later.
    const hidden = stop.hidden === "" || (await appears(page)) ? "" : stop.hidden;
    stops.push({ name: stop.name, hidden });
  }
  return stops;
}

/** Goes on from where the focus is until the stop of this name has it. */
export async function focus(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  while (passed.length < most) {
    const stop = await next(page);
    if (stop?.name === name) return;
    passed.push(stop?.name ?? "the page");
  }
  throw new Error(`Tab does not lead to ${name}, but to ${passed.slice(0, 60).join(", ")}`);
}

/** Goes there, and presses Enter. */
export async function press(page: Page, name: string): Promise<void> {
  await focus(page, name);
  await page.keyboard.press("Enter");
}

/** The next Tab goes to the first stop: the focus is on an element before it, which is no stop. */
async function toStart(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    for (const element of document.querySelectorAll("[data-walked]")) delete element.dataset.walked;
    const start = document.querySelector("#walk-start") ?? document.body.insertBefore(document.createElement("span"), document.body.firstChild);
    start.id = "walk-start";
    start.tabIndex = -1;
    start.focus();
  })()`);
}

/** Presses Tab; undefined: the end of the page. */
async function next(page: Page): Promise<Described | undefined> {
  if (await page.evaluate(`document.activeElement?.closest(".cm-editor") != null`)) await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  return await page.evaluate<Described | undefined>(describeFocus);
}

/** Asked from here: the page's content security policy forbids a function that waits within it. */
async function appears(page: Page): Promise<boolean> {
  for (let asked = 0; asked < 400; asked++) {
    const stop = await page.evaluate<Described | undefined>(describeFocus);
    if (stop?.hidden === "") return true;
    await page.waitForTimeout(50);
  }
  return false;
}

/** The controls that the last walk has not met. A grid is one stop, and the arrow keys move in it. */
export async function unmet(page: Page): Promise<readonly string[]> {
  return await page.evaluate<
    readonly string[]
  >(`[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled && element.tabIndex >= 0 && element.dataset.walked === undefined)
    .map(${naming})`);
}

/** What answers to the mouse and is no control, so that no key reaches it. */
export async function forTheMouseAlone(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    return await clickedWithoutControl(session);
  } finally {
    await session.detach();
  }
}

/** Editors have keys of their own, and charts show under the mouse what the figures beside them say. */
const clickable = `[...document.querySelectorAll("#console *")].filter((element) => !element.closest(".cm-editor, .uplot"))`;

async function clickedWithoutControl(session: CDPSession): Promise<readonly string[]> {
  const { result } = await session.send("Runtime.evaluate", { expression: clickable });
  const { result: properties } = await session.send("Runtime.getProperties", { objectId: result.objectId ?? "", ownProperties: true });
  const found: string[] = [];
  for (const { value } of properties) {
    if (value?.subtype !== "node" || value.objectId === undefined) continue;
    const { listeners } = await session.send("DOMDebugger.getEventListeners", { objectId: value.objectId });
    if (!listeners.some(({ type }) => ["click", "dblclick", "mousedown", "pointerdown"].includes(type))) continue;
    const { result: name } = await session.send("Runtime.callFunctionOn", {
      objectId: value.objectId,
      functionDeclaration: `function () {
        const isControl = this.matches("a[href], button, input, select, textarea, summary, label, dialog, [role=gridcell]");
        return isControl ? "" : (${naming})(this);
      }`,
    });
    if (name.value) found.push(name.value);
  }
  return found;
}
