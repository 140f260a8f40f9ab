// What two schemas call by different names though storage knows it by one.

import { fieldKey, type NameMemory, namedFields } from "../model/kept-names.ts";
import type { Deployment, PreparedDeployment } from "./deployment.ts";

export interface Renamed {
  readonly kind: "type" | "field";
  /** `Author.name`, as the deployed schema or the latest one that had it calls it. */
  readonly from: string;
  readonly to: string;
}

type Side = Pick<Deployment | PreparedDeployment, "model" | "kept">;

/** Types first. A field of a renamed type counts only if it has another name itself. */
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

/** By name in storage; names that several things share tell nothing. What is not shown now has its last name. */
function namesIn(shown: Names, { kept, left }: NameMemory): ReadonlyMap<string, string> {
  const names = new Map(shown);
  for (const [stored, name] of shown) if (names.get(stored) !== name) names.delete(stored);
  for (const [name, stored] of [...kept, ...left]) if (!shown.some(([each]) => each === stored)) names.set(stored, name);
  return names;
}

function lastName(key: string): string | undefined {
  return key.split(".").at(-1);
}
