// A node that commits changed: its changes, its earlier state as far as the change records say, and its current state.

import type { CommitToken, EndName, FieldName, IndexName, Token, TypeName, Uid, Value } from "../../../../core/plugin.ts";
import type { Properties } from "../dependencies/dependency.ts";
import type { LoadedNode } from "./loaded-node.ts";

/** Index entries that were removed and added. */
interface EntryChanges {
  readonly removed: (Token | Value)[];
  readonly added: (Token | Value)[];
}

const noUids: readonly Uid[] = [];
const noKeys: readonly (Token | Value)[] = [];

export class TouchedNode {
  readonly uid: Uid;
  /** The newest commit that changed it. */
  token: CommitToken;
  /** Undefined: the records name only its links, and it is not loaded. */
  type: TypeName | undefined;
  removed = false;
  /** The commit that created it. */
  createdAt: CommitToken | undefined;
  /** Fields and ends whose values or links changed. */
  readonly properties = new Set<FieldName | EndName>();
  readonly entries = new Map<IndexName, EntryChanges>();
  readonly linkedTo = new Map<EndName, Uid[]>();
  readonly unlinkedFrom = new Map<EndName, Uid[]>();
  /** False: nothing depended on its type when the delta was loaded, so its state is unknown. */
  isLoaded = false;
  /** Its current state; undefined: it does not exist, or is not loaded. */
  now: LoadedNode | undefined;
  /** Its current partners by end, where they are loaded; undefined: too many to load. */
  readonly partners = new Map<EndName, readonly LoadedNode[] | undefined>();

  constructor(uid: Uid, token: CommitToken) {
    this.uid = uid;
    this.token = token;
  }

  /** Whether it was created after commit `at`. */
  createdAfter(at: CommitToken): boolean {
    return this.createdAt !== undefined && this.createdAt > at;
  }

  /** Whether one of `properties` changed. */
  changes(properties: Properties): boolean {
    for (const each of this.properties) if (properties.has(each)) return true;
    return false;
  }

  /** The index terms that it had and has no longer. */
  removedTerms(index: IndexName): readonly (Token | Value)[] {
    return this.entries.get(index)?.removed ?? noKeys;
  }

  linked(end: EndName): readonly Uid[] {
    return this.linkedTo.get(end) ?? noUids;
  }

  unlinked(end: EndName): readonly Uid[] {
    return this.unlinkedFrom.get(end) ?? noUids;
  }
}
