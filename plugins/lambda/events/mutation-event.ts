// The event that a mutation raises for `@lambdaOnMutate`.

import { formatUid, isObject, type NodeRef, type NodeType, type WrittenContext } from "../../../core/plugin.ts";
import type { AuthHeader, AuthHeaderOf } from "../handlers/auth-header.ts";
import type { LambdaEvent } from "../handlers/lambda-event.ts";
import type { NewEvent } from "../outbox/append-events.ts";
import type { RaisingTypes } from "./lambda-on-mutate.ts";
import { withoutPasswords } from "./without-passwords.ts";

/** An entry of the outbox. `commitTs` is added at the delivery. */
export interface LambdaEntry {
  readonly kind: "lambda";
  readonly accessToken: string;
  readonly authHeader?: AuthHeader;
  readonly event: Omit<LambdaEvent, "commitTs">;
}

/** A mutation of more nodes raises several events. */
const maxRoots = 1_000;

export interface EventOptions {
  readonly raising: RaisingTypes;
  readonly authHeaderOf: AuthHeaderOf | undefined;
}

export function mutationEvents({ mutation, roots, request }: WrittenContext, { raising, authHeaderOf }: EventOptions): readonly NewEvent[] {
  const { type, kind, language } = mutation;
  // As in Dgraph: whoever writes in DQL raises no events of mutations.
  if (language !== undefined || roots.length === 0 || !raising.get(type)?.has(kind)) return [];
  const authHeader = authHeaderOf?.(request.headers);
  const accessToken = request.headers["x-dgraph-accesstoken"] ?? "";
  const details = detailsOf(mutation);
  return slicesOf(roots).map((nodes, i): NewEvent => {
    const event = { __typename: type.name, operation: kind, [kind]: { rootUIDs: nodes.map(({ uid }) => formatUid(uid)), ...details(i) } };
    const body: LambdaEntry = { kind: "lambda", accessToken, ...(authHeader && { authHeader }), event };
    return { nodes, body };
  });
}

/** What the client asked for, for each slice of the nodes. */
function detailsOf({ kind, type, sent }: WrittenContext["mutation"]): (slice: number) => object {
  if (kind === "delete") return () => ({});
  if (kind === "update") {
    const { set, remove } = isObject(sent.input) ? sent.input : {};
    const patches = { setPatch: patchOf(set, type), removePatch: patchOf(remove, type) };
    return () => patches;
  }
  const input = Array.isArray(sent.input) ? sent.input : [sent.input];
  return (slice) => ({ input: input.slice(slice * maxRoots, (slice + 1) * maxRoots).map((item: unknown) => withoutPasswords(item, type)) });
}

function patchOf(patch: unknown, type: NodeType): unknown {
  return patch === undefined || patch === null ? null : withoutPasswords(patch, type);
}

function slicesOf(roots: readonly NodeRef[]): readonly (readonly NodeRef[])[] {
  return Array.from({ length: Math.ceil(roots.length / maxRoots) }, (_, i) => roots.slice(i * maxRoots, (i + 1) * maxRoots));
}
