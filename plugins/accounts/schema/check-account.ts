// What is wrong with uses of `@account`. Reported when all plugins have recorded what they know of the fields: keys, defaults, operations.

import type { CompileContext, DirectiveUse, NodeType, ValueField } from "../../../core/plugin.ts";
import { emailField, valueField, type WrittenAccount, writtenAccount } from "./account-type.ts";

type Report = (message: string, hint?: string) => void;

/** @param uses at least one */
export function checkUses(uses: readonly DirectiveUse[], { model, report }: Pick<CompileContext, "model" | "report">): void {
  const [first, ...others] = uses;
  for (const { node, definition } of others) {
    report(
      `Type ${definition.name.value}: @account is on ${first?.definition.name.value} already, and a schema has one type of users.`,
      node,
      "Take one of the two out.",
    );
  }
  const type = first?.type && model.nodeTypes.get(first.type.name);
  if (first === undefined || type === undefined) return;
  const start = `Type ${type.name}: @account`;
  checkType(type, writtenAccount(first.node), (message, hint) => report(`${start} ${message}`, first.node, hint));
}

function checkType(type: NodeType, written: WrittenAccount, report: Report): void {
  checkEmail(type, report);
  checkClaims(type, written, report);
  checkSignUp(type, written, report);
  const missing = ["add", "update", "delete"].filter((operation) => !type.allows(operation));
  if (missing.length > 0) {
    report(`adds, changes and deletes users, and @generate takes ${missing.join(", ")} away.`, "Leave them, and close them to clients with @auth.");
  }
}

function checkEmail(type: NodeType, report: Report): void {
  const email = valueField(type, emailField);
  const isKey = type.keys.some(({ field }) => field === email);
  if (email?.kind === "string" && !email.type.list && !email.transformed && isKey) return;
  report(`needs the key by which users sign in, and the type has no such field.`, `Declare it: ${emailField}: String! @id`);
}

const claimKinds: ReadonlySet<string> = new Set(["string", "int", "int64", "float", "boolean", "dateTime"]);

function checkClaims(type: NodeType, { claims }: WrittenAccount, report: Report): void {
  for (const [claim, name] of Object.entries(claims)) {
    const field = typeof name === "string" ? valueField(type, name) : undefined;
    if (field !== undefined && claimKinds.has(field.kind) && !field.transformed) continue;
    report(`takes the claim ${claim} from ${JSON.stringify(name)}, which is no field of ${type.name} that holds such values.`);
  }
}

function checkSignUp(type: NodeType, { claims, signUp }: WrittenAccount, report: Report): void {
  if (signUp === false) return;
  const claimed = new Set(Object.values(claims));
  for (const name of signUp) {
    const field = typeof name === "string" ? valueField(type, name) : undefined;
    if (field === undefined || name === emailField) {
      report(`lets sign-ups set ${JSON.stringify(name)}, which is no field of ${type.name} that holds a value beside the e-mail.`);
    } else if (claimed.has(name)) {
      report(`lets sign-ups set ${field.name}, which gives a claim: everybody could choose it.`, `Take ${field.name} out of signUp.`);
    }
  }
  for (const field of unset(type, signUp)) {
    report(`cannot add users: ${field} must have a value, and no sign-up sets it.`, `Name it in signUp, or give it a default.`);
  }
}

/** Required fields that would stay without a value. */
function unset(type: NodeType, signUp: readonly unknown[]): readonly string[] {
  const given = new Set([emailField, ...signUp]);
  return [...type.fields.values()]
    .filter((field) => (field.role === "value" || field.role === "link") && field.type.nonNull && field.exposure.input && !given.has(field.name))
    .filter((field) => !(field.role === "value" && isSupplied(field)))
    .map(({ name }) => name);
}

function isSupplied({ optionalOnAdd }: ValueField): boolean {
  return optionalOnAdd;
}
