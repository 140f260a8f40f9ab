// What plugins add to the input of an update: further values for the objects that its filter chooses, written together with `set` and `remove`.

import type { Set as SetChange } from "../../contracts/change.ts";
import type { UpdateContext } from "../../contracts/plugin/update-member.ts";
import type { NodeRef } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { PluginFault } from "../../ground/plugin-fault.ts";
import type { Uid } from "../../ground/values/value.ts";
import type { NamedUpdate } from "../../schema/api/api.ts";
import { checkChanges } from "../checks/check-changes.ts";
import { type ChangeWriter, type Mutation, refuse } from "../context/mutation.ts";
import type { RawObject } from "../input/input-tree.ts";
import { checkFieldPermissions } from "../prepare/written-names.ts";

/** A member that has a value. */
export interface GivenMember {
  readonly member: NamedUpdate;
  readonly operand: unknown;
}

export function givenMembers(input: RawObject, { context, type }: Mutation): readonly GivenMember[] {
  const members = context.deployment.api.updates.get(type.name) ?? [];
  return members.flatMap((member) => {
    const operand = Object.hasOwn(input, member.name) ? input[member.name] : undefined;
    return operand === undefined || operand === null ? [] : [{ member, operand }];
  });
}

export interface SliceWriting {
  readonly mutation: Mutation;
  readonly slice: readonly NodeRef[];
  /** What plugins see of the transaction. */
  readonly writer: Pick<ChangeWriter, "shown" | "sees">;
}

/** `sets` and what the members write: one change for each node. */
export async function withMembers(
  sets: readonly SetChange[],
  members: readonly GivenMember[],
  { mutation, slice, writer }: SliceWriting,
): Promise<readonly SetChange[]> {
  const changes = new Map(sets.map((each) => [each.uid, each]));
  for (const { member, operand } of members) {
    for (const change of await asked(member, operand, { mutation, slice, writer })) {
      changes.set(change.uid, joined(changes.get(change.uid), change, { member, mutation }));
    }
  }
  return [...changes.values()];
}

async function asked(member: NamedUpdate, operand: unknown, writing: SliceWriting): Promise<readonly SetChange[]> {
  const { mutation, slice } = writing;
  const made = await changesOf(member, operand, writing);
  checkChanges(made, { plugin: member.plugin, before: [], deployment: mutation.context.deployment });
  assertOfSlice(made, member, new Set(slice.map(({ uid }) => uid)));
  checkFieldPermissions(mutation, new Set(made.flatMap(({ fields }) => Object.keys(fields))));
  return made;
}

/** What a plugin throws refuses the mutation at stage 4. */
async function changesOf(member: NamedUpdate, operand: unknown, { mutation, slice, writer }: SliceWriting): Promise<readonly SetChange[]> {
  const sees: UpdateContext["sees"] = (nodes, fields) => writer.sees(nodes, fields);
  try {
    return (await member.changes?.(operand, { nodes: slice, transaction: writer.shown, request: mutation.context.request, sees })) ?? [];
  } catch (thrown) {
    if (thrown instanceof QuernError) refuse("execute", mutation, [thrown]);
    throw thrown;
  }
}

function assertOfSlice(made: readonly SetChange[], { plugin, name }: NamedUpdate, uids: ReadonlySet<Uid>): void {
  const wrong = made.find(({ kind, uid }) => kind !== "set" || !uids.has(uid));
  if (wrong) throw new PluginFault({ plugin, hook: `changes of ${name}` }, "it may only set values of the objects that it is given.");
}

interface Joining {
  readonly member: NamedUpdate;
  readonly mutation: Mutation;
}

function joined(before: SetChange | undefined, change: SetChange, { member, mutation }: Joining): SetChange {
  if (before === undefined) return change;
  const twice = Object.keys(change.fields).find((field) => Object.hasOwn(before.fields, field));
  if (twice !== undefined) refuse("execute", mutation, [writtenTwice(twice, member.name)]);
  return { ...change, fields: { ...before.fields, ...change.fields } };
}

function writtenTwice(field: string, member: string): QuernError {
  return new QuernError("VALUE_INVALID", `${field} is written twice: by ${member}, and by another member of the same update`, {
    hint: "Write each field in one member of the input.",
  });
}
