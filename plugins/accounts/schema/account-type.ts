// Reads `@account` of a deployed schema: whose type the users are, which claims their fields give, and what a sign-up may set.

import { type DirectiveNode, Kind, type ValueNode, valueFromASTUntyped } from "graphql";
import { isObject, type Model, type NodeType, type ValueField } from "../../../core/plugin.ts";

/** The type of users. */
export interface AccountType {
  readonly type: NodeType;
  /** The key by which users sign in. */
  readonly email: ValueField;
  /** By name of the claim: the field that holds its value. */
  readonly claims: ReadonlyMap<string, ValueField>;
  /** What clients may set when they sign up, and change later. */
  readonly writable: ReadonlyMap<string, ValueField>;
  /** False: users are invited. */
  readonly signUp: boolean;
}

/** What the directive says. */
export interface WrittenAccount {
  /** Names of fields by names of claims. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** False: nobody signs up. Otherwise names of fields. */
  readonly signUp: readonly unknown[] | false;
}

/** @param node a use of `@account` */
export function writtenAccount(node: DirectiveNode): WrittenAccount {
  const argument = (name: string) => plainValue(node.arguments?.find((each) => each.name.value === name)?.value);
  const [claims, signUp = []] = [argument("claims"), argument("signUp")];
  return { claims: isObject(claims) ? { ...claims } : {}, signUp: signUp === false ? false : [signUp].flat() };
}

function plainValue(node: ValueNode | undefined): unknown {
  if (node === undefined || node.kind === Kind.NULL) return undefined;
  return valueFromASTUntyped(node);
}

/** The type of users of a schema that was deployed, so that its uses of `@account` are in order; undefined: it has none. */
export function accountTypeOf(model: Model): AccountType | undefined {
  for (const type of model.nodeTypes.values()) {
    const node = type.definition.directives?.find(({ name }) => name.value === "account");
    if (node !== undefined && type.kind === "object") return read(type, writtenAccount(node));
  }
  return undefined;
}

function read(type: NodeType, { claims, signUp }: WrittenAccount): AccountType | undefined {
  const email = valueField(type, emailField);
  if (email === undefined) return undefined;
  const named = (names: readonly (readonly [string, unknown])[]) =>
    new Map(
      names.flatMap(([name, of]) => {
        const field = valueField(type, String(of));
        return field === undefined ? [] : [[name, field]];
      }),
    );
  const writable = signUp === false ? [] : signUp.map((name) => [String(name), name] as const);
  return { type, email, claims: named(Object.entries(claims)), writable: named(writable), signUp: signUp !== false };
}

/** The field by which users sign in. */
export const emailField = "email";

export function valueField(type: NodeType, name: string): ValueField | undefined {
  const field = type.fields.get(name);
  return field?.role === "value" ? field : undefined;
}
