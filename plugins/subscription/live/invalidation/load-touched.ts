// Loads the current state of the touched nodes, once for all live queries: the fields that conditions read, and the partners.

import {
  type EndName,
  type FieldName,
  type LayoutIndex,
  type Snapshot,
  type TypeName,
  together,
  type Uid,
  type Work,
  wait,
} from "../../../../core/plugin.ts";
import type { CommitDelta } from "../commits/commit-delta.ts";
import { type LoadedNode, loadedNodes } from "../commits/loaded-node.ts";
import type { TouchedNode } from "../commits/touched-node.ts";
import type { DependencyRegistry } from "./dependency-registry.ts";

/** The partners of a node with more of them at one end are not loaded: any of them may matter. */
const maxPartners = 64;

const noNodes: ReadonlyMap<Uid, LoadedNode> = new Map();

export interface LoadRequest {
  readonly registry: DependencyRegistry<unknown>;
  readonly layout: LayoutIndex;
  readonly snapshot: Snapshot;
}

export function* loadTouched(delta: CommitDelta, request: LoadRequest): Work<void> {
  const nodes = [...delta.nodes.values()];
  yield* loadNodes(nodes, request);
  yield* loadPartners(nodes, delta, request);
}

function* loadNodes(nodes: readonly TouchedNode[], { registry, layout, snapshot }: LoadRequest): Work<void> {
  const wanted = nodes.filter((node) => !node.removed && (node.type === undefined || registry.hasDependenciesOn(node.type)));
  if (wanted.length === 0) return;
  const types = wanted.some((node) => node.type === undefined)
    ? layout.typeNames
    : [...new Set(wanted.flatMap((node) => (node.type === undefined ? [] : [node.type])))];
  const fields = fieldsOf(types, registry, layout);
  const uids = wanted.map((node) => node.uid).sort((a, b) => a - b);
  const found = loadedNodes(yield* wait(snapshot.load({ uids, types, fields })), fields);
  for (const node of wanted) {
    node.isLoaded = true;
    node.now = found.get(node.uid);
    node.type ??= node.now?.type;
  }
}

/** The fields that conditions read, and the single ends that name partners. */
function fieldsOf(types: readonly TypeName[], registry: DependencyRegistry<unknown>, layout: LayoutIndex): readonly (FieldName | EndName)[] {
  const names = new Set<string>();
  for (const type of types) {
    for (const name of registry.requiredFieldsOf(type)) names.add(name);
    for (const end of registry.requiredEndsOf(type)) if (layout.edges.end(end)?.many === false) names.add(end);
  }
  return [...names];
}

function* loadPartners(nodes: readonly TouchedNode[], delta: CommitDelta, request: LoadRequest): Work<void> {
  const byEnd = new Map<EndName, TouchedNode[]>();
  for (const node of nodes) {
    if (node.now === undefined) continue;
    for (const end of request.registry.requiredEndsOf(node.now.type)) {
      const list = byEnd.get(end);
      if (list) list.push(node);
      else byEnd.set(end, [node]);
    }
  }
  yield* together([...byEnd].map(([end, sources]) => loadPartnersAt(end, sources, { delta, request })));
}

interface PartnerLoad {
  readonly delta: CommitDelta;
  readonly request: LoadRequest;
}

function* loadPartnersAt(end: EndName, sources: readonly TouchedNode[], { delta, request }: PartnerLoad): Work<void> {
  const { registry, layout, snapshot } = request;
  const known = layout.edges.end(end);
  if (!known) return;
  const types = known.partners;
  const fields = fieldsOf(types, registry, layout);
  if (known.many) {
    const from = sources.map((node) => node.uid);
    const { starts, rows, nodes: batch } = yield* wait(snapshot.follow({ from, end, page: { first: maxPartners + 1 }, fields }));
    const found = loadedNodes(batch, fields);
    sources.forEach((node, i) => {
      const own = rows.slice(starts[i], starts[i + 1]).flatMap((row) => found.get(batch.uids[row] ?? 0) ?? []);
      node.partners.set(end, own.length > maxPartners ? undefined : own);
    });
    return;
  }
  const partnerOf = ({ now }: TouchedNode): Uid | undefined => {
    const partner = now?.value(end);
    return typeof partner === "number" ? partner : undefined;
  };
  const uids = [...new Set(sources.flatMap((node) => partnerOf(node) ?? []))].sort((a, b) => a - b);
  const found = uids.length === 0 ? noNodes : loadedNodes(yield* wait(snapshot.load({ uids, types, fields })), fields);
  for (const node of sources) {
    const partner = partnerOf(node);
    const loaded = partner === undefined ? undefined : (delta.nodes.get(partner)?.now ?? found.get(partner));
    node.partners.set(end, loaded ? [loaded] : []);
  }
}
