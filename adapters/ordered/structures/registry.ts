// Opens each structure of a store once, by its id, so that layouts with a common structure share its cache.

import type { ValueKind } from "../../../core/storage.ts";
import type { KeyRange } from "../ground/store.ts";
import { uidText } from "../keyspaces/keys.ts";
import type { KeyspaceHost } from "../keyspaces/keyspace.ts";
import { NearestGraph, type NearestGraphOptions } from "../nearest/nearest-graph.ts";
import { BuildLog } from "./build-log.ts";
import { Column } from "./column.ts";
import { CompoundIndex } from "./compound-index.ts";
import { type NodeStructures, openNodeStructures } from "./node-structures.ts";
import { OrderedIndex } from "./ordered-index.ts";
import { PostingLists, tokenInlineSize } from "./posting-lists.ts";

interface Closable {
  close(): void;
}

export class Registry {
  readonly #host: KeyspaceHost;
  readonly #nodes = new Map<number, NodeStructures>();
  readonly #open = new Map<string, Closable>();
  readonly #texts = new Map<number, PostingLists<string>>();
  readonly #ordered = new Map<number, OrderedIndex>();
  readonly #compounds = new Map<number, CompoundIndex>();
  readonly #graphs = new Map<number, NearestGraph>();
  readonly #columns = new Map<number, Column>();
  readonly #links = new Map<string, PostingLists<number>>();
  readonly #buildLogs = new Map<number, BuildLog>();

  constructor(host: KeyspaceHost) {
    this.#host = host;
  }

  /** Types, records and lists of all nodes. */
  nodes(id: number): NodeStructures {
    return this.#once(this.#nodes, id, id, () => openNodeStructures(this.#host, prefixOf(id)));
  }

  /** Uids by the bounded text of a token or value. */
  texts(id: number): PostingLists<string> {
    return this.#once(
      this.#texts,
      id,
      id,
      () => new PostingLists<string>(this.#host, { prefix: prefixOf(id), textOf: (text) => text, inlineSize: tokenInlineSize }),
    );
  }

  ordered(id: number, kind: ValueKind): OrderedIndex {
    return this.#once(this.#ordered, id, id, () => new OrderedIndex(this.#host, `${prefixOf(id)}o`, kind));
  }

  /** @param kind of the last field */
  compound(id: number, kind: ValueKind): CompoundIndex {
    return this.#once(this.#compounds, id, id, () => new CompoundIndex(this.#host, prefixOf(id), kind));
  }

  /** Vectors by nearness. */
  graph(id: number, options: NearestGraphOptions): NearestGraph {
    return this.#once(this.#graphs, id, id, () => new NearestGraph(this.#host, prefixOf(id), options));
  }

  column(id: number, kind: ValueKind): Column {
    return this.#once(this.#columns, id, id, () => new Column(this.#host, { chunks: `${prefixOf(id)}v`, edits: `${prefixOf(id)}w` }, kind));
  }

  /** Partners by node, one direction of an edge. */
  links(id: number, side: 0 | 1): PostingLists<number> {
    return this.#once(
      this.#links,
      `${id}/${side}`,
      id,
      () => new PostingLists<number>(this.#host, { prefix: `${prefixOf(id)}${side}`, textOf: uidText, uidOf: (uid) => uid }),
    );
  }

  /** The progress of a build. */
  buildLog(id: number): BuildLog {
    return this.#once(this.#buildLogs, id, id, () => new BuildLog(this.#host, prefixOf(id)));
  }

  forget(id: number): void {
    for (const [key, structure] of this.#open) {
      if (!key.startsWith(`${id}:`)) continue;
      structure.close();
      this.#open.delete(key);
    }
    this.#nodes.delete(id);
    this.#texts.delete(id);
    this.#ordered.delete(id);
    this.#compounds.delete(id);
    this.#columns.delete(id);
    this.#graphs.delete(id);
    this.#buildLogs.delete(id);
    this.#links.delete(`${id}/0`);
    this.#links.delete(`${id}/1`);
  }

  #once<K, S extends Closable>(cache: Map<K, S>, key: K, id: number, open: () => S): S {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const structure = open();
    cache.set(key, structure);
    this.#open.set(`${id}:${this.#open.size}:${String(key)}`, structure);
    return structure;
  }
}

function prefixOf(id: number): string {
  return `x${uidText(id)}/`;
}

/** The keys of all entries of a structure. */
export function rangeOf(id: number): KeyRange {
  return { from: `x${uidText(id)}/`, to: `x${uidText(id)}0` };
}
