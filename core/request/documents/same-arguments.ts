// Whether two fields are given the same arguments: two values are the same when their texts are, with the members of objects in order.

import { type FieldNode, Kind, type ValueNode } from "graphql";
import type { Work } from "../../ground/work.ts";

/** Parts of a value that are written in one step. */
const stepParts = 512;

export class ArgumentComparison {
  readonly #spend: (cost: number) => void;
  readonly #texts = new Map<ValueNode, string>();
  readonly #values = new Map<FieldNode, ReadonlyMap<string, ValueNode>>();
  #written = 0;

  /** @param spend called for each argument that is compared */
  constructor(spend: (cost: number) => void) {
    this.#spend = spend;
  }

  *areSame(a: FieldNode, b: FieldNode): Work<boolean> {
    const given = a.arguments ?? [];
    if (given.length !== (b.arguments?.length ?? 0)) return false;
    if (given.length === 0) return true;
    const others = this.#valuesOf(b);
    for (const { name, value } of given) {
      this.#spend(1);
      const other = others.get(name.value);
      if (other === undefined) return false;
      if ((yield* this.#textOf(value)) !== (yield* this.#textOf(other))) return false;
    }
    return true;
  }

  /** The last of several arguments of one name counts. */
  #valuesOf(node: FieldNode): ReadonlyMap<string, ValueNode> {
    const known = this.#values.get(node);
    if (known !== undefined) return known;
    const values = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]));
    this.#values.set(node, values);
    return values;
  }

  *#textOf(value: ValueNode): Work<string> {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const parts: string[] = [];
    yield* this.#write(value, parts);
    const text = parts.join("");
    this.#texts.set(value, text);
    return text;
  }

  *#write(value: ValueNode, parts: string[]): Work<void> {
    if (++this.#written % stepParts === 0) yield;
    if (value.kind === Kind.LIST) {
      parts.push("[");
      for (const each of value.values) {
        yield* this.#write(each, parts);
        parts.push(",");
      }
      parts.push("]");
    } else if (value.kind === Kind.OBJECT) {
      parts.push("{");
      const members = [...value.fields].sort((a, b) => (a.name.value < b.name.value ? -1 : Number(a.name.value > b.name.value)));
      for (const member of members) {
        parts.push(member.name.value, ":");
        yield* this.#write(member.value, parts);
        parts.push(",");
      }
      parts.push("}");
    } else {
      parts.push(leafText(value));
    }
  }
}

function leafText(value: Exclude<ValueNode, { kind: "ListValue" | "ObjectValue" }>): string {
  switch (value.kind) {
    case Kind.VARIABLE:
      return `$${value.name.value}`;
    case Kind.STRING:
      return `${value.block === true ? "block" : ""}${JSON.stringify(value.value)}`;
    case Kind.NULL:
      return value.kind;
    default:
      return `${value.kind} ${value.value}`;
  }
}
