// One node that commits touched: what they changed of it, what it was before as far as they tell, and what it is now.

import type { CommitToken, EndName, FieldName, IndexName, Token, TypeName, Uid, Value } from "../ground/values/value.ts";
import type { Properties } from "./dependency.ts";
import type { LoadedNode } from "./loaded-node.ts";

/** Index entries that came and went. */
interface MovedEntries {
  readonly gone: (Token | Value)[];
  readonly came: (Token | Value)[];
}

const noUids: readonly Uid[] = [];
const noKeys: readonly (Token | Value)[] = [];

export class TouchedNode {
  readonly uid: Uid;
  /** The newest commit that touched it. */
  token: CommitToken;
  /** Undefined while only links tell of it. */
  type: TypeName | undefined;
  removed = false;
  bornAt: CommitToken | undefined;
  /** Fields and ends whose values or links changed. */
  readonly properties = new Set<FieldName | EndName>();
  readonly entries = new Map<IndexName, MovedEntries>();
  readonly linkedTo = new Map<EndName, Uid[]>();
  readonly unlinkedFrom = new Map<EndName, Uid[]>();
  /** As it is now; undefined: it is not there. */
  now: LoadedNode | undefined;
  /** Who it is linked to now, by end, as far as that was looked up; undefined: too many to look at. */
  readonly partners = new Map<EndName, readonly LoadedNode[] | undefined>();

  constructor(uid: Uid, token: CommitToken) {
    this.uid = uid;
    this.token = token;
  }

  /** To a query that last ran at commit `at` it is a new node. */
  isNewSince(at: CommitToken): boolean {
    return this.bornAt !== undefined && this.bornAt > at;
  }

  changes(properties: Properties): boolean {
    for (const each of this.properties) if (properties.has(each)) return true;
    return false;
  }

  /** Under what the index held it and no longer does. */
  goneFrom(index: IndexName): readonly (Token | Value)[] {
    return this.entries.get(index)?.gone ?? noKeys;
  }

  linked(end: EndName): readonly Uid[] {
    return this.linkedTo.get(end) ?? noUids;
  }

  unlinked(end: EndName): readonly Uid[] {
    return this.unlinkedFrom.get(end) ?? noUids;
  }
}
