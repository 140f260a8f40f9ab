// Links that differ from those of the store: by edge, seen from both of its sides.

import type { EndName, LayoutIndex, Uid } from "../../../core/plugin.ts";

type Edges = LayoutIndex["edges"];

/** A link as its edge's first side sees it. */
export interface OverriddenLink {
  /** An end of the first side. */
  readonly end: EndName;
  readonly from: Uid;
  readonly to: Uid;
  /** True: it is there. False: it is not. */
  readonly on: boolean;
}

interface EdgeOverrides {
  readonly end: EndName;
  readonly isSymmetric: boolean;
  readonly forwards: Map<Uid, Map<Uid, boolean>>;
  /** Of an edge with one side the same map. */
  readonly backwards: Map<Uid, Map<Uid, boolean>>;
}

export class LinkOverrides {
  readonly #edges: Edges;
  readonly #overrides = new Map<string, EdgeOverrides>();

  constructor(edges: Edges) {
    this.#edges = edges;
  }

  set({ end, from, to, on }: OverriddenLink): void {
    const { reads, edge } = this.#edges.direction(end);
    const { forwards, backwards } = this.#of(edge);
    const [own, other] = reads === "backwards" ? [backwards, forwards] : [forwards, backwards];
    mapAt(own, from).set(to, on);
    mapAt(other, to).set(from, on);
  }

  /** What is different at the other side of `end`, as a node sees it; undefined: nothing. */
  at(end: EndName, uid: Uid): ReadonlyMap<Uid, boolean> | undefined {
    const { reads, edge } = this.#edges.direction(end);
    const overrides = this.#overrides.get(edge);
    return (reads === "backwards" ? overrides?.backwards : overrides?.forwards)?.get(uid);
  }

  /** Whether some link of the node is here that may not be in the store. */
  isLinked(uid: Uid): boolean {
    for (const { forwards, backwards } of this.#overrides.values()) {
      for (const side of [forwards, backwards]) for (const on of side.get(uid)?.values() ?? []) if (on) return true;
    }
    return false;
  }

  /** Each link once. */
  *all(): Generator<OverriddenLink> {
    for (const { end, isSymmetric, forwards } of this.#overrides.values()) {
      for (const [from, targets] of forwards) {
        for (const [to, on] of targets) if (!isSymmetric || from <= to) yield { end, from, to, on };
      }
    }
  }

  #of(edge: string): EdgeOverrides {
    const known = this.#overrides.get(edge);
    if (known) return known;
    const [first] = this.#edges.sidesOf(edge);
    const end = first[0]?.name ?? edge;
    const isSymmetric = this.#edges.direction(end).reads === "both";
    const forwards = new Map<Uid, Map<Uid, boolean>>();
    const made = { end, isSymmetric, forwards, backwards: isSymmetric ? forwards : new Map<Uid, Map<Uid, boolean>>() };
    this.#overrides.set(edge, made);
    return made;
  }
}

function mapAt(side: Map<Uid, Map<Uid, boolean>>, uid: Uid): Map<Uid, boolean> {
  const known = side.get(uid);
  if (known) return known;
  const made = new Map<Uid, boolean>();
  side.set(uid, made);
  return made;
}
