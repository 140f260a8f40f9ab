// One use of `@custom(http:)` as the schema writes it.

import {
  type ArgumentNode,
  type ASTNode,
  type DirectiveNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectValueNode,
  print,
  type TypeDefinitionNode,
  type ValueNode,
} from "graphql";
import type { NodeType } from "../../../core/plugin.ts";

export interface CustomUse {
  readonly node: DirectiveNode;
  readonly definition: TypeDefinitionNode;
  readonly field: FieldDefinitionNode;
  /** The stored type that it is in; undefined: `Query` or `Mutation`. */
  readonly type: NodeType | undefined;
  readonly http: HttpMembers;
}

/** The members of the `http` argument. */
export class HttpMembers {
  readonly #object: ObjectValueNode | undefined;

  constructor(object: ObjectValueNode | undefined) {
    this.#object = object;
  }

  value(name: string): ValueNode | undefined {
    return this.#object?.fields.find((field) => field.name.value === name)?.value;
  }

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  /** The text of a member, whatever its kind. Undefined: it is not there. */
  text(name: string): string | undefined {
    const value = this.value(name);
    return value && rawText(value);
  }

  /** The texts of a list; empty when it is none. */
  texts(name: string): readonly string[] {
    const value = this.value(name);
    return value?.kind === Kind.LIST ? value.values.map(rawText) : [];
  }
}

function rawText(value: ValueNode): string {
  return "value" in value ? String(value.value) : value.kind === Kind.VARIABLE ? `$${value.name.value}` : print(value);
}

export function argumentNamed({ arguments: given = [] }: DirectiveNode, name: string): ArgumentNode | undefined {
  return given.find((each) => each.name.value === name);
}

/** A finding of a rule: the text after `Type T; Field F`, which begins with the separator. */
export interface Finding {
  readonly text: `${":" | ";"} ${string}`;
  readonly at: ASTNode;
  /** The rules after this one do not look at the use. */
  readonly last?: true;
}

export function isBatch({ http }: CustomUse): boolean {
  return http.text("mode") === "BATCH";
}
