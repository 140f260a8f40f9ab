// Triples as operations on the nodes, fields and links of a schema.

import type { EndName, FieldName, Uid, Value, Work } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { LiteralType, Reference, Triple, WrittenLiteral } from "../mutation/syntax.ts";
import { nodesOf, type Variable, type Variables } from "../state/variables.ts";
import { valueOfLiteral } from "./convert.ts";
import type { WriteFacts, WrittenField } from "./facts.ts";

export type Operation =
  | { readonly kind: "value"; readonly uid: Uid; readonly field: FieldName; readonly list: boolean; readonly value: Value }
  | { readonly kind: "clear"; readonly uid: Uid; readonly fields: readonly FieldName[] }
  | { readonly kind: "link"; readonly uid: Uid; readonly end: EndName; readonly to: Uid }
  | { readonly kind: "unlink"; readonly uid: Uid; readonly end: EndName }
  | { readonly kind: "type"; readonly uid: Uid; readonly name: string }
  | { readonly kind: "untype"; readonly uid: Uid }
  /** @prop only the predicates that may go; undefined: all */
  | { readonly kind: "everything"; readonly uid: Uid; readonly only?: ReadonlySet<string> };

/** The predicate that says of which type a node is. */
export const typePredicate = "dgraph.type";

/** What it names. */
export type Predicate =
  | { readonly kind: "value"; readonly field: WrittenField }
  | { readonly kind: "edge"; readonly end: EndName }
  | { readonly kind: "types" }
  | { readonly kind: "unknown" };

/** The nodes that a request names, while it runs. */
export interface NodeNames {
  /** The node of a blank, or of a variable without nodes; made when it is first asked for. */
  newNode(name: string): Uid;
}

export interface OperationContext {
  readonly facts: WriteFacts;
  readonly variables: Variables;
  readonly names: NodeNames;
  /** Hashes of passwords, by password. */
  readonly hashes: ReadonlyMap<string, string>;
}

type Purpose = "set" | "delete";

/** Operations between two steps. */
const step = 256;

export function* operationsOf(triples: readonly Triple[], purpose: Purpose, context: OperationContext): Work<readonly Operation[]> {
  const operations: Operation[] = [];
  let due = step;
  for (const triple of triples) {
    for (const operation of operationsOfTriple(triple, purpose, context)) {
      operations.push(operation);
      if (operations.length < due) continue;
      due = operations.length + step;
      yield;
    }
  }
  return operations;
}

function* operationsOfTriple(triple: Triple, purpose: Purpose, context: OperationContext): Generator<Operation> {
  const { predicate: name, object } = triple;
  const predicate = name === undefined ? undefined : predicateOf(name, purpose, context.facts);
  if (object.kind === "star" && purpose === "set") throw refusal(`Cannot use star in set n-quad: ${name ?? "*"}`);
  for (const uid of nodesNamed(triple.subject, purpose, context)) {
    if (predicate === undefined) yield { kind: "everything", uid };
    else if (object.kind === "star") yield* cleared(uid, predicate, name ?? "", context.facts);
    else yield* written(uid, predicate, { triple, purpose, context });
  }
}

function* cleared(uid: Uid, predicate: Predicate, name: string, { catalog }: WriteFacts): Generator<Operation> {
  if (predicate.kind === "types") yield { kind: "untype", uid };
  if (predicate.kind === "edge") yield { kind: "unlink", uid, end: predicate.end };
  if (predicate.kind === "value" || predicate.kind === "unknown") {
    const languages = name.includes("@") ? [] : (catalog.languagesOf(name) ?? []).map((tag) => `${name}@${tag}`);
    const own = predicate.kind === "value" ? [predicate.field.layout.name] : [];
    if (own.length + languages.length > 0) yield { kind: "clear", uid, fields: [...own, ...languages] };
  }
}

interface Writing {
  readonly triple: Triple;
  readonly purpose: Purpose;
  readonly context: OperationContext;
}

function* written(uid: Uid, predicate: Predicate, { triple, purpose, context }: Writing): Generator<Operation> {
  const { object } = triple;
  switch (predicate.kind) {
    case "unknown":
      return;
    case "types": {
      const literal = literalFor(uid, object, context.variables);
      if (literal) yield { kind: "type", uid, name: literal.text };
      return;
    }
    case "edge":
      if (!isReference(object)) throw refusal(`Input for predicate "${predicate.end}" of type uid is scalar. Edge: uid ${uid}`);
      for (const to of nodesNamed(object, purpose, context)) yield { kind: "link", uid, end: predicate.end, to };
      return;
    case "value": {
      const { field } = predicate;
      const { name, list } = field.layout;
      const literal = literalFor(uid, object, context.variables);
      if (isReference(object)) throw refusal(`Input for predicate "${name}" of type scalar is uid. Edge: uid ${uid}`);
      if (literal) yield { kind: "value", uid, field: name, list, value: valueFor(literal, field, context) };
    }
  }
}

function isReference(object: Triple["object"]): object is Reference {
  return object.kind === "uid" || object.kind === "blank" || object.kind === "variable";
}

function valueFor(literal: WrittenLiteral, field: WrittenField, { hashes }: OperationContext): Value {
  const value = valueOfLiteral(literal, field);
  if (field.layout.kind !== "password" || literal.type === "password") return value;
  const hash = hashes.get(literal.text);
  if (hash === undefined) throw refusal(`${field.layout.name} is a password: val() cannot set it.`);
  return hash;
}

/** The literal, or what `val(x)` is for the node. Undefined: it is nothing, and the triple is left out. */
function literalFor(uid: Uid, object: Triple["object"], variables: Variables): WrittenLiteral | undefined {
  if (object.kind === "literal") return object;
  if (object.kind !== "val") return undefined;
  const variable = variables.get(object.name);
  const value = variable?.kind === "values" ? variable.values.get(uid) : variable?.kind === "single" ? variable.value : undefined;
  if (value === undefined) return undefined;
  return { kind: "literal", text: typeof value === "object" ? JSON.stringify(value) : String(value), type: typeOf(variable, value) };
}

function typeOf(variable: Variable | undefined, value: unknown): LiteralType {
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "float";
  if (typeof value === "boolean") return "bool";
  return variable !== undefined && variable.kind !== "uids" && variable.of === "dateTime" ? "dateTime" : "default";
}

function nodesNamed(reference: Reference, purpose: Purpose, { variables, names }: OperationContext): readonly Uid[] {
  switch (reference.kind) {
    case "uid":
      return [reference.uid];
    case "blank":
      if (purpose === "delete") throw refusal(`UID not found/generated for xid _:${reference.name}`);
      return [names.newNode(reference.name)];
    case "variable": {
      const found = nodesOf(variables.get(reference.name));
      return found.length > 0 || purpose === "delete" ? found : [names.newNode(`uid(${reference.name})`)];
    }
  }
}

/** @throws QuernError for a predicate that a mutation may not write */
export function predicateOf(name: string, purpose: Purpose, facts: WriteFacts): Predicate {
  const { catalog, fields } = facts;
  if (name === typePredicate) return { kind: "types" };
  if (name.startsWith("dgraph.") && purpose === "set")
    throw refusal(
      `Can't store predicate \`${name}\` as it is prefixed with \`dgraph.\` which is reserved as the namespace for dgraph's internal types/predicates.`,
    );
  if (name === "uid") throw refusal("Cannot create user-defined predicate with internal name uid");
  if (name.startsWith("~")) throw refusal(`Invalid predicate ${name}: write the edge ${name.slice(1)} instead.`);
  const meaning = catalog.meaningOf(name);
  if (meaning.kind === "edge") return { kind: "edge", end: meaning.end.name };
  const field = fields.get(name);
  if (field) return { kind: "value", field };
  if (purpose === "set") throw unknownPredicate(name, facts);
  return { kind: "unknown" };
}

function unknownPredicate(name: string, { catalog }: WriteFacts) {
  const [base = "", tag] = name.split("@");
  const known = catalog.languagesOf(base);
  if (tag !== undefined && known === undefined && catalog.meaningOf(base).kind !== "unknown")
    return refusal(`Attr: [${base}] should have @lang directive in schema to mutate edge: ${name}`);
  if (known !== undefined)
    return refusal(
      `Schema not defined for predicate: ${name}. The schema has ${base} in: ${known.join(", ")}. Declare a field with @dgraph(pred: "${base}@...").`,
    );
  return refusal(`Schema not defined for predicate: ${name}. Declare a field of a type for it.`);
}
