// Records which facts and headers of a caller a plan reads. Two callers share a live query if they agree in these.

import type { LiveCaller } from "../../../../core/plugin.ts";

/** A path in facts or headers: `["facts", "claims", "USER"]`. */
type Path = readonly string[];

export class FactTracker {
  #paths: Map<string, Path> | undefined;
  /** Of the paths that were read so far; undefined: to be made. */
  #known: FactPaths | undefined = noFacts;

  /** A view of `caller` that records every path that is read through it. */
  track(caller: LiveCaller): LiveCaller {
    const headers = trackedObject(caller.headers, ["headers"], (path) => this.#record(path));
    return { facts: trackedObject(caller.facts, ["facts"], (path) => this.#record(path)), headers };
  }

  #record(path: Path): void {
    const key = path.join("\u0000");
    if (this.#paths?.has(key)) return;
    this.#paths ??= new Map();
    this.#paths.set(key, path);
    this.#known = undefined;
  }

  /** The paths that were read so far. */
  paths(): FactPaths {
    const paths = this.#paths ?? new Map<string, Path>();
    this.#known ??= new FactPaths([...paths.keys()].sort().map((key) => paths.get(key) ?? []));
    return this.#known;
  }
}

export class FactPaths {
  /** Equal for equal paths. */
  readonly signature: string;
  readonly #paths: readonly Path[];

  constructor(paths: readonly Path[]) {
    this.#paths = paths;
    this.signature = JSON.stringify(paths);
  }

  /** `facts.claims.USER` for each path. */
  names(): readonly string[] {
    return this.#paths.map((path) => path.join("."));
  }

  /** The values of `caller` at these paths: equal for callers that the paths do not distinguish. */
  keyOf(caller: LiveCaller): string {
    const values = this.#paths.map((path) => {
      const value = valueAt(caller, path);
      return value === undefined ? absent : value;
    });
    return JSON.stringify(values, replacer);
  }
}

export const noFacts = new FactPaths([]);

/** Stands for a missing value; no JSON value serializes like it. */
const absent = { "\u0000absent": true } as const;

/** JSON has no infinity: a number too large for a double (`1e400` in a token) must not look like null. */
function replacer(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? { "\u0000number": String(value) } : value;
}

function valueAt(caller: LiveCaller, [root, ...path]: Path): unknown {
  let value: unknown = root === "headers" ? caller.headers : caller.facts;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function trackedObject<T extends object>(target: T, path: Path, record: (path: Path) => void): T {
  const inner = new Map<string, unknown>();
  const at = (name: string): unknown => {
    const value: unknown = Reflect.get(target, name);
    if (!isObject(value)) {
      record([...path, name]);
      return value;
    }
    const tracked = inner.get(name) ?? trackedObject(value, [...path, name], record);
    inner.set(name, tracked);
    return tracked;
  };
  // A proxy of a frozen `target` would have to return its members untracked, so the proxy has a target of its own.
  const shell: T = Object.create(Reflect.getPrototypeOf(target));
  return new Proxy(shell, {
    get: (_, name) => (typeof name === "string" ? at(name) : Reflect.get(target, name)),
    has: (_, name) => {
      if (typeof name === "string") record([...path, name]);
      return Reflect.has(target, name);
    },
    getOwnPropertyDescriptor: (_, name) => {
      if (typeof name !== "string") return undefined;
      const own = Reflect.getOwnPropertyDescriptor(target, name);
      if (own) return { value: at(name), enumerable: own.enumerable ?? true, configurable: true, writable: true };
      record([...path, name]);
      return undefined;
    },
    ownKeys: () => {
      record(path);
      return Reflect.ownKeys(target);
    },
  });
}

/** Lists are recorded as one value. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
