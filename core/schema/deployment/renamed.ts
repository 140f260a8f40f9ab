// Finds types and fields with different names in two schemas but the same stored name.

import { fieldKey, type NameMemory, namedFields } from "../model/kept-names.ts";
import type { Deployment, PreparedDeployment } from "./deployment.ts";

/** A type or field that a deploy renames. */
export interface Renamed {
  readonly kind: "type" | "field";
  /** `Author.name`: its name in the deployed schema, or in the last schema that contained it. */
  readonly from: string;
  readonly to: string;
}

type Side = Pick<Deployment | PreparedDeployment, "model" | "kept">;

/** Types first. A field of a renamed type is listed only if the field itself has a new name. */
export function renamedThings(before: Side, next: Side): readonly Renamed[] {
  const types = (side: Side) => [...side.model.nodeTypes.values()].map(({ name, stored }) => [stored, name] as const);
  const fields = (side: Side) => namedFields(side.model).map((field) => [field.stored, fieldKey(field)] as const);
  return [
    ...renamed("type", types(next), namesIn(types(before), before.kept.types)),
    ...renamed("field", fields(next), namesIn(fields(before), before.kept.fields)).filter(({ from, to }) => lastName(from) !== lastName(to)),
  ];
}

type Names = readonly (readonly [stored: string, name: string])[];

function renamed(kind: Renamed["kind"], next: Names, known: ReadonlyMap<string, string>): readonly Renamed[] {
  return next.flatMap(([stored, to]) => {
    const from = known.get(stored);
    return from === undefined || from === to ? [] : [{ kind, from, to }];
  });
}

/** Names by stored name. Omits stored names that several types or fields share; a removed one has its last name. */
function namesIn(shown: Names, { kept, left }: NameMemory): ReadonlyMap<string, string> {
  const names = new Map(shown);
  for (const [stored, name] of shown) if (names.get(stored) !== name) names.delete(stored);
  for (const [name, stored] of [...kept, ...left]) if (!shown.some(([each]) => each === stored)) names.set(stored, name);
  return names;
}

function lastName(key: string): string | undefined {
  return key.split(".").at(-1);
}
