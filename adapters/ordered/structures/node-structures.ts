// The structures of every node, whatever the layout: its type, its record, the posting list of its type.

import { uidText } from "../keyspaces/keys.ts";
import type { KeyspaceHost } from "../keyspaces/keyspace.ts";
import { NodeTypes } from "./node-types.ts";
import { PostingLists } from "./posting-lists.ts";
import { Records } from "./records.ts";

export interface NodeStructures {
  readonly id: string;
  readonly types: NodeTypes;
  readonly records: Records;
  /** Uids by type id. */
  readonly byType: PostingLists<number>;
  close(): void;
}

export function openNodeStructures(host: KeyspaceHost, prefix: string): NodeStructures {
  const types = new NodeTypes(host, `${prefix}t`);
  const records = new Records(host, `${prefix}n`);
  const byType = new PostingLists<number>(host, { prefix: `${prefix}u`, textOf: uidText });
  return {
    id: prefix,
    types,
    records,
    byType,
    close() {
      types.chunks.close();
      records.close();
      byType.close();
    },
  };
}
