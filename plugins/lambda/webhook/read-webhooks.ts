// Reads `@webhook`: which changes of which nodes are posted where.

import { type DirectiveUse, didYouMean, type ModelContext, type NodeType, QuernError, type TypeName, type ValueField } from "../../../core/plugin.ts";
import { type Secrets, secretHeaders } from "./secrets.ts";

export type ChangeKind = "ADD" | "UPDATE" | "DELETE";

export interface Webhook {
  /** The type or interface with the directive. */
  readonly name: string;
  /** The concrete types, under their storage names. */
  readonly types: ReadonlyMap<TypeName, NodeType>;
  readonly url: string;
  readonly on: ReadonlySet<ChangeKind>;
  /** The fields whose values are sent, and whose changes count. */
  readonly fields: readonly ValueField[];
  readonly headers: Readonly<Record<string, string>>;
  /** The key of the signature. Undefined: requests are not signed. */
  readonly key: string | undefined;
}

export const webhookDefinitions = `
  "Posts changes of the type's objects to a URL, at least once, after their commit."
  directive @webhook(url: String!, on: [WebhookChange!] = [ADD, UPDATE, DELETE], fields: [String!], secretHeaders: [String!], signedBy: String) on OBJECT | INTERFACE
  "A change of an object."
  enum WebhookChange {
    "The object is new."
    ADD
    "A value of the object has changed."
    UPDATE
    "The object is deleted."
    DELETE
  }
`;

export interface WebhookOptions {
  readonly secrets: Secrets;
  /** For hooks without `signedBy`. */
  readonly signingKey: string | undefined;
}

export function readWebhooks(context: ModelContext, options: WebhookOptions): readonly Webhook[] {
  return context.uses("webhook").flatMap((use) => {
    if (!use.type || use.inherited) return [];
    const args = argumentsOf(use, context);
    return args ? [readWebhook({ node: use.node, args }, use.type, { ...options, context })] : [];
  });
}

/** Undefined: they do not fit the directive's definition, which is reported. */
function argumentsOf(use: DirectiveUse, { report }: ModelContext): DirectiveUse["args"] | undefined {
  try {
    return use.args;
  } catch (thrown) {
    if (!(thrown instanceof QuernError)) throw thrown;
    for (const { message } of thrown.errors.length > 0 ? thrown.errors : [thrown]) report(message, use.node);
    return undefined;
  }
}

function readWebhook(
  use: Pick<DirectiveUse, "args" | "node">,
  type: NodeType,
  { context, secrets, signingKey }: WebhookOptions & { readonly context: ModelContext },
): Webhook {
  const { url, on, fields, secretHeaders: names, signedBy } = use.args;
  const report = (problem: string, hint?: string) => context.report(`Type ${type.name}; @webhook ${problem}`, use.node, hint);
  if (!isHttpUrl(url)) report("needs an absolute url that begins with http:// or https://.");
  const headers = secretHeaders(listOf(names), secrets, (name) => missingSecret(name, report));
  const key = typeof signedBy === "string" ? secrets.get(signedBy) : signingKey;
  if (typeof signedBy === "string" && key === undefined) missingSecret(signedBy, report);
  return {
    name: type.name,
    types: new Map(type.members.map((member) => [member.stored, member])),
    url: String(url),
    on: new Set(listOf(on).flatMap((each) => (isChangeKind(each) ? [each] : []))),
    fields: fieldsOf(type, fields === undefined || fields === null ? undefined : listOf(fields), report),
    headers,
    key,
  };
}

type Report = (problem: string, hint?: string) => void;

function fieldsOf(type: NodeType, names: readonly string[] | undefined, report: Report): readonly ValueField[] {
  const values = [...type.fields.values()].filter((field): field is ValueField => field.role === "value" && field.kind !== "password");
  if (names === undefined) return values;
  return names.flatMap((name) => {
    const field = values.find((each) => each.name === name);
    if (!field)
      report(
        `names the field ${name}, which is no field with values of ${type.name}${
          didYouMean(
            name,
            values.map((each) => each.name),
          ) || "."
        }`,
      );
    return field ?? [];
  });
}

function missingSecret(name: string, report: Report): void {
  report(`uses the secret ${name}, which the schema does not have.`, `Add a line to the schema: # Service.Secret ${name} "value"`);
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function isChangeKind(text: string): text is ChangeKind {
  return text === "ADD" || text === "UPDATE" || text === "DELETE";
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
}
