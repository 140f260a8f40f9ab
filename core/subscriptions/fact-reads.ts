// Who asks, seen through glass that remembers what was looked at. Two callers share a live query if they agree in that.

import type { Json } from "../ground/values/value.ts";

/** A place in facts or headers: `["facts", "claims", "USER"]`. */
type Path = readonly string[];

export interface Asker {
  readonly facts: Readonly<Record<string, Json>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export class FactTracker {
  #paths: Map<string, Path> | undefined;

  /** The same values as in `asker`; what is read of them is remembered. */
  watched(asker: Asker): Asker {
    const headers = watchedObject(asker.headers, ["headers"], (path) => this.#note(path));
    return { facts: watchedObject(asker.facts, ["facts"], (path) => this.#note(path)), headers };
  }

  #note(path: Path): void {
    this.#paths ??= new Map();
    this.#paths.set(path.join("\u0000"), path);
  }

  /** Where was looked so far. */
  places(): FactPaths {
    const paths = this.#paths;
    return paths === undefined ? noFacts : new FactPaths([...paths.keys()].sort().map((key) => paths.get(key) ?? []));
  }
}

export class FactPaths {
  /** The same places give the same text. */
  readonly signature: string;
  readonly #paths: readonly Path[];

  constructor(paths: readonly Path[]) {
    this.#paths = paths;
    this.signature = JSON.stringify(paths);
  }

  /** What `asker` has in these places: equal for callers who cannot be told apart by them. */
  keyOf(asker: Asker): string {
    const values = this.#paths.map((path) => {
      const value = valueAt(asker, path);
      return value === undefined ? absent : value;
    });
    return JSON.stringify(values, written);
  }
}

export const noFacts = new FactPaths([]);

/** No JSON value reads like it in a key. */
const absent = { "\u0000absent": true } as const;

/** A number too large for a double (`1e400` in a token) is not null. */
function written(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? { "\u0000number": String(value) } : value;
}

function valueAt(asker: Asker, [root, ...path]: Path): unknown {
  let value: unknown = root === "headers" ? asker.headers : asker.facts;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function watchedObject<T extends object>(target: T, path: Path, note: (path: Path) => void): T {
  const inner = new Map<string, unknown>();
  const at = (name: string): unknown => {
    const value: unknown = Reflect.get(target, name);
    if (!isObject(value)) {
      note([...path, name]);
      return value;
    }
    const watched = inner.get(name) ?? watchedObject(value, [...path, name], note);
    inner.set(name, watched);
    return watched;
  };
  // In the place of `target`, which may be frozen and then shows its members bare.
  const stand: T = Object.create(Reflect.getPrototypeOf(target));
  return new Proxy(stand, {
    get: (_, name) => (typeof name === "string" ? at(name) : Reflect.get(target, name)),
    has: (_, name) => {
      if (typeof name === "string") note([...path, name]);
      return Reflect.has(target, name);
    },
    getOwnPropertyDescriptor: (_, name) => {
      if (typeof name !== "string") return undefined;
      const own = Reflect.getOwnPropertyDescriptor(target, name);
      if (own) return { value: at(name), enumerable: own.enumerable ?? true, configurable: true, writable: true };
      note([...path, name]);
      return undefined;
    },
    ownKeys: () => {
      note(path);
      return Reflect.ownKeys(target);
    },
  });
}

/** Lists are looked at whole. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
