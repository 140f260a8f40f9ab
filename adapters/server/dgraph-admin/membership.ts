// The state of the cluster for `state` and `/state`: one group with one member that holds all data.

import type { ServedSchema } from "../../../core/plugin.ts";
import type { HttpRequest } from "../../../core/transport.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import { serverAddress } from "./node-health.ts";

const groupId = 1;
const memberId = 1;
const startedAt = Math.floor(Date.now() / 1000);

interface Membership {
  readonly counter: number;
  readonly maxUid: number;
  readonly newestCommit: number;
  /** `0-Harbor.name`: the namespace, a dash, the stored name. */
  readonly tablets: readonly string[];
}

async function membership({ kernel, namespace }: ServerParts): Promise<Membership> {
  const { deployment, schemaUpdateCounter, storage } = kernel;
  const { nextUid = 1, commit = 0 } = await storage.statistics();
  return {
    counter: schemaUpdateCounter,
    maxUid: nextUid - 1,
    newestCommit: commit,
    tablets: deployment ? tabletsOf(deployment, namespace.number) : [],
  };
}

/** Of the types of the schema. What plugins keep for themselves is nobody's predicate. */
function tabletsOf({ model, layout: { types, fields, edges } }: ServedSchema, namespace: number): readonly string[] {
  const shown = new Set([...model.nodeTypes.values()].map(({ stored }) => stored));
  const hidden = new Set(types.flatMap((type) => (shown.has(type.name) ? [] : type.fields)));
  const ends = edges.flatMap(({ sides }) => sides.flatMap((side) => side.ends.map(({ name }) => name)));
  const names = [...fields.map(({ name }) => name).filter((name) => !hidden.has(name)), ...ends].filter((name) => !name.startsWith("~"));
  return [...new Set(names)].sort().map((name) => `${namespace}-${name}`);
}

/** The administrators of namespace 0 see all, those of another one theirs. */
function namespacesSeenBy({ namespace: { number, all } }: ServerParts): readonly number[] {
  return number === 0 ? all() : [number];
}

/** For GraphQL: lists and numbers; false, 0 and empty values are null. */
export async function membershipValue(server: ServerParts, request: Pick<HttpRequest, "headers">) {
  const { counter, maxUid, newestCommit, tablets } = await membership(server);
  return {
    counter: counter || null,
    groups: [
      {
        id: groupId,
        members: [{ id: memberId, groupId, addr: serverAddress(server.kernel, request), leader: true, lastUpdate: startedAt }],
        tablets: tablets.map((predicate) => ({ groupId, predicate })),
      },
    ],
    zeros: [],
    maxUID: maxUid || null,
    maxTxnTs: newestCommit || null,
    maxRaftId: memberId,
    removed: [],
    namespaces: namespacesSeenBy(server),
  };
}

/**
 * For `/state`: Dgraph's `pb.MembershipState` in the JSON form of protobuf. Maps by id, 64-bit numbers as strings, all members present, and no
 * others: readers of that form refuse what the message does not define.
 */
export async function membershipDocument(server: ServerParts, request: Pick<HttpRequest, "headers">) {
  const { counter, maxUid, newestCommit, tablets } = await membership(server);
  const member = {
    id: String(memberId),
    groupId,
    addr: serverAddress(server.kernel, request),
    leader: true,
    amDead: false,
    lastUpdate: String(startedAt),
    learner: false,
    clusterInfoOnly: false,
    forceGroupId: false,
  };
  const tablet = { groupId, force: false, onDiskBytes: "0", remove: false, readOnly: false, moveTs: "0", uncompressedBytes: "0" };
  return {
    counter: String(counter),
    groups: {
      [groupId]: {
        members: { [memberId]: member },
        tablets: Object.fromEntries(tablets.map((predicate) => [predicate, { ...tablet, predicate }])),
        snapshotTs: "0",
        checksum: "0",
      },
    },
    zeros: {},
    maxUID: String(maxUid),
    maxNsID: String(namespacesSeenBy(server).at(-1) ?? 0),
    maxTxnTs: String(newestCommit),
    maxRaftId: String(memberId),
    removed: [],
    cid: "",
  };
}
