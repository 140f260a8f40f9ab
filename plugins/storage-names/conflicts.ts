// Reports fields that share a storage name and differ in type, key or list.

import { addToGroup, type Field, type LinkField, type ModelContext, type NodeType, type ValueField } from "../../core/plugin.ts";
import { givenName, isReverseName, namingDirective } from "./name-argument.ts";

type Named = ValueField | LinkField;
type Report = ModelContext["report"];

/** Checks interfaces before other types, and inherited fields at their interface. Default names are checked too. */
export function reportConflicts({ model, report }: ModelContext): void {
  const holders = new Map<string, Named>();
  const types = [...model.nodeTypes.values()];
  for (const type of [...types.filter((each) => each.kind === "interface"), ...types.filter((each) => each.kind === "object")]) {
    for (const field of ownNames(type)) {
      const holder = holders.get(field.stored);
      if (holder) compare(holder, field, report);
      else holders.set(field.stored, field);
    }
    reportClashingInterfaces(type, report);
  }
}

function ownNames(type: NodeType): readonly Named[] {
  return [...type.fields.values()]
    .filter((field) => field.role === "value" || field.role === "link")
    .filter((field) => field.origin === type && !isReverseName(givenName(field) ?? ""));
}

function compare(holder: Named, field: Named, report: Report): void {
  if (isSecret(holder) && isSecret(field)) return;
  if (isSecret(holder)) reportSecret(holder, field, report);
  else if (isSecret(field)) reportSecret(field, holder, report);
  else if (typeName(holder) !== typeName(field)) reportTypes(holder, field, report);
  if (isSecret(field)) return;
  if (!isSecret(holder) && hasId(holder) !== hasId(field)) reportId(hasId(holder) ? [holder, field] : [field, holder], report);
  if (field.owner.interfaces.includes(holder.owner)) reportInterface(holder, field, report);
}

function reportSecret(secret: Named, field: Named, report: Report): void {
  report(
    `Type ${field.owner.name}; Field ${field.name}: has the @${spelling(field)} predicate, but that conflicts with type ${secret.owner.name} ` +
      "@secret directive on the same predicate. @secret predicates are stored encrypted and so the same predicate can't be used as a " +
      `${typeName(field)}.`,
    field.definition,
  );
}

function reportTypes(holder: Named, field: Named, report: Report): void {
  report(
    `Type ${field.owner.name}; Field ${field.name}: has type ${typeName(field)}, which is different to type ${holder.owner.name}; ` +
      `field ${holder.name}, which has the same @${spelling(field, holder)} directive but type ${typeName(holder)}. ` +
      "These fields must have either the same GraphQL types, or use different Dgraph predicates.",
    field.definition,
  );
}

function reportId([key, field]: readonly [Named, Named], report: Report): void {
  report(
    `Type ${field.owner.name}; Field ${field.name}: doesn't have @id directive, which conflicts with type ${key.owner.name}; ` +
      `field ${key.name}, which has the same @${spelling(field, key)} directive along with @id directive. ` +
      "Both these fields must either use @id directive, or use different Dgraph predicates.",
    field.definition,
  );
}

function reportInterface(holder: Named, field: Named, report: Report): void {
  report(
    `Type ${field.owner.name}; Field ${field.name}: has the @${spelling(field, holder)} directive, which conflicts with interface ` +
      `${holder.owner.name}; field ${holder.name}, that this type implements. These fields must use different Dgraph predicates.`,
    field.definition,
  );
}

function reportClashingInterfaces(type: NodeType, report: Report): void {
  const holders = new Map<string, Named[]>();
  for (const each of type.interfaces) {
    const byName = new Map(ownNames(each).map((field) => [field.stored, field]));
    for (const [name, field] of byName) addToGroup(holders, name, field);
  }
  for (const [name, fields] of holders) {
    if (fields.length < 2) continue;
    const interfaces = fields.map((field) => field.owner.name).join(" ");
    report(
      `Type ${type.name}; implements interfaces [${interfaces}], all of which have fields with @${spelling(...fields)} predicate: ${name}. ` +
        "These fields must use different Dgraph predicates.",
      type.definition,
    );
  }
}

function isSecret(field: Named): boolean {
  return field.role === "value" && field.kind === "password";
}

function hasId(field: Named): boolean {
  return field.definition.directives?.some((directive) => directive.name.value === "id") ?? false;
}

function typeName({ type }: Field): string {
  return type.list ? `[${type.name}]` : type.name;
}

/** The spelling of the directive (`dgraph` or `storage`) on one of the fields. */
function spelling(...fields: readonly Named[]): string {
  return fields.flatMap((field) => namingDirective(field)?.name.value ?? []).at(0) ?? "dgraph";
}
