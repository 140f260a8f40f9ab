// The nodes that links of this tab were set to last: they are offered first.

import { isObject, objectsIn, parseJson, textOf, writeJson } from "../api/json.ts";
import type { NodeType } from "../model/api-model.ts";
import type { LinkedNode } from "../model/links.ts";

const most = 6;

/** The newest first. */
export function recentLinks(type: NodeType): readonly LinkedNode[] {
  return kept(type).flatMap(({ key, label }) => {
    const field = isObject(key) ? textOf(key.field) : "";
    const value = isObject(key) ? key.value : undefined;
    return value === undefined || !type.keys.some(({ name }) => name === field) ? [] : [{ type, key: { field, value }, label: textOf(label) }];
  });
}

export function noteLink({ type, key, label }: LinkedNode): void {
  const others = kept(type).filter((each) => writeJson(each.key) !== writeJson(key));
  try {
    window.sessionStorage.setItem(nameOf(type), writeJson([{ key, label }, ...others].slice(0, most)));
  } catch {
    // The storage is full: nothing is offered.
  }
}

function kept(type: NodeType) {
  return objectsIn(parseJson(window.sessionStorage.getItem(nameOf(type)) ?? "[]"));
}

function nameOf({ name }: NodeType): string {
  return `quern.links.${name}`;
}
