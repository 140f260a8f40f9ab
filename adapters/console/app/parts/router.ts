// The address: `#/data/Post?order=title`. A fragment works below any path, and needs nothing of the server.

import { useEffect, useState } from "preact/hooks";

export interface Route {
  readonly page: string;
  readonly path: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const changed = () => setRoute(currentRoute());
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return route;
}

/** Changes parameters of the address; an empty one goes. The browser's history keeps the address of before. */
export function changeParameters(changes: Readonly<Record<string, string>>): void {
  const { page, path, parameters } = currentRoute();
  go(page, path, { ...parameters, ...changes });
}

/** The same without an entry in the history: where somebody is, not where somebody went. */
export function replaceParameters(changes: Readonly<Record<string, string>>): void {
  const { page, path, parameters } = currentRoute();
  const next = addressOf(page, path, { ...parameters, ...changes });
  if (next !== window.location.hash) window.history.replaceState(null, "", next);
}

/** The parameters of the address as they are now, to go elsewhere within the same view. */
export function currentParameters(): Route["parameters"] {
  return currentRoute().parameters;
}

function currentRoute(): Route {
  const [path = "", search = ""] = window.location.hash.replace(/^#\/?/, "").split("?");
  const [page = "", ...rest] = path.split("/").map(decoded);
  return { page: page || "data", path: rest, parameters: Object.fromEntries(new URLSearchParams(search)) };
}

export function addressOf(page: string, path: readonly string[] = [], parameters: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "")).toString();
  return `#/${[page, ...path].map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`;
}

export function go(page: string, path: readonly string[] = [], parameters: Readonly<Record<string, string>> = {}): void {
  window.location.hash = addressOf(page, path, parameters);
}

/** As it is where it is not encoded well. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
