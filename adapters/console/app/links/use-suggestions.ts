// Nodes that a link may lead to, by a text that somebody types: the first ones of a type are searched here, the others by the server.

import { useEffect, useState } from "preact/hooks";
import { at, type JsonObject, objectsIn, writeJson } from "../api/json.ts";
import type { Server } from "../api/server.ts";
import type { NodeType } from "../model/api-model.ts";
import { type LinkedNode, linkedNode, searchFilter } from "../model/links.ts";
import { countQuery, linkSelection } from "../model/nodes.ts";
import { type ConsoleState, useConsole } from "../parts/console-context.ts";
import { useRequest } from "../parts/use-request.ts";
import { recentLinks } from "./recent-links.ts";

/** As many are read at once; a type that has no more is searched without the server. */
const firstOnes = 200;
const found = 30;
const shown = 12;
const pauseMs = 150;

export interface Suggestions {
  readonly nodes: readonly LinkedNode[];
  readonly isLoading: boolean;
  readonly failure: unknown;
  /** Whether there may be nodes that neither the first ones nor the indexes show. */
  readonly isPartial: boolean;
}

/** @param text what is typed; undefined: nothing is asked for */
export function useSuggestions(types: readonly NodeType[], text: string | undefined): Suggestions {
  const state = useConsole();
  const isAsked = text !== undefined;
  const typed = (text ?? "").trim();
  const paused = usePaused(typed);
  const names = types.map(({ name }) => name).join(" ");
  const first = useRequest(
    async () => (isAsked ? await Promise.all(types.map((type) => firstNodes(state, type))) : undefined),
    [state.identity, names, isAsked],
  );
  const isWhole = first.value?.every(({ isAll }) => isAll) ?? false;
  const sought = isAsked && first.value !== undefined && !isWhole ? paused : "";
  const more = useRequest(() => searched(state, types, sought), [state.identity, names, sought]);
  // What was found for another text would be chosen by mistake.
  const others = more.value?.text === typed ? more.value.nodes : undefined;
  const near = first.value?.flatMap(({ nodes }) => nodes) ?? [];
  const candidates = typed === "" ? [...types.flatMap(recentLinks), ...near] : [...near.filter((node) => fits(node, typed)), ...(others ?? [])];
  return {
    nodes: distinct(candidates).slice(0, shown),
    isLoading: isAsked && (first.isLoading || (typed !== "" && !isWhole && others === undefined && more.failure === undefined)),
    failure: first.failure ?? more.failure,
    isPartial: first.value !== undefined && !isWhole,
  };
}

interface Searched {
  readonly text: string;
  readonly nodes: readonly LinkedNode[];
}

async function searched(state: ConsoleState, types: readonly NodeType[], text: string): Promise<Searched> {
  if (text === "") return { text, nodes: [] };
  return { text, nodes: (await Promise.all(types.map((type) => nodesFound(state, type, text)))).flat() };
}

interface FirstNodes {
  readonly nodes: readonly LinkedNode[];
  readonly isAll: boolean;
}

async function firstNodes({ server, identity, deployed }: ConsoleState, type: NodeType): Promise<FirstNodes> {
  if (deployed === undefined) return { nodes: [], isAll: true };
  const rows = `rows: ${type.query}(first: ${firstOnes}) ${linkSelection(deployed.model, type.name)}`;
  const [data, total] = await Promise.all([server.data({ query: `{ ${rows} }`, as: identity }), totalOf(server, type, identity)]);
  const nodes = nodesIn(type, data);
  return { nodes, isAll: total === undefined ? nodes.length < firstOnes : total <= firstOnes };
}

async function totalOf(server: Server, type: NodeType, identity: ConsoleState["identity"]): Promise<number | undefined> {
  const count = at(await server.data({ query: countQuery(type), as: identity }), "total", "count");
  return typeof count === "number" ? count : undefined;
}

async function nodesFound({ server, identity, deployed }: ConsoleState, type: NodeType, text: string): Promise<readonly LinkedNode[]> {
  const filter = searchFilter(type, text);
  if (deployed === undefined || filter === undefined) return [];
  const rows = `rows: ${type.query}(filter: $filter, first: ${found}) ${linkSelection(deployed.model, type.name)}`;
  return nodesIn(type, await server.data({ query: `query Search($filter: ${type.filter?.name}) { ${rows} }`, variables: { filter }, as: identity }));
}

function nodesIn(type: NodeType, data: JsonObject): readonly LinkedNode[] {
  return objectsIn(data.rows).flatMap((row) => linkedNode(type, row) ?? []);
}

function fits({ key, label }: LinkedNode, text: string): boolean {
  const folded = text.toLowerCase();
  return label.toLowerCase().includes(folded) || String(key.value).toLowerCase().includes(folded);
}

function distinct(nodes: readonly LinkedNode[]): readonly LinkedNode[] {
  return [...new Map(nodes.map((node) => [`${node.type.name} ${writeJson(node.key)}`, node] as const).reverse()).values()].reverse();
}

/** The value as it was for a moment: while somebody types, nothing is asked. */
function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), value === "" ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
