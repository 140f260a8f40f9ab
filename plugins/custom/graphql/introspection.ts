// At a deploy: asks remote GraphQL services for their schemas, and compares them with what the schema expects of them.

import { getIntrospectionQuery, type TypeDefinitionNode } from "graphql";
import { type HttpClient, isObject, type ModelContext, QuernError, reasonOf, writeJson } from "../../../core/plugin.ts";
import type { CustomUse } from "../directive/custom-use.ts";
import { readsNoSchema } from "../directive/header-rules.ts";
import { locationOfGraphql } from "../directive/location.ts";
import type { ReadUses } from "../directive/read-uses.ts";
import { headerEntry, headersOf } from "../http/headers.ts";
import type { Secrets } from "../secrets.ts";
import { compareOperation } from "./compare-operation.ts";
import { compareTypes } from "./compare-types.ts";
import type { Introspection } from "./expectation.ts";
import { readOperation } from "./remote-operation.ts";
import { type RemoteSchema, readRemoteSchema } from "./remote-schema.ts";

interface Sources {
  readonly remote: ReadonlyMap<string, TypeDefinitionNode>;
  readonly secrets: Secrets;
  readonly context: ModelContext;
}

export function introspections({ fields, roots }: ReadUses, { remote, secrets, context }: Sources): readonly Introspection[] {
  return [...fields, ...roots].flatMap((use): readonly Introspection[] => {
    const { http } = use;
    const text = http.text("graphql");
    const read = text === undefined || readsNoSchema(http) ? undefined : readOperation(text);
    if (!read || !("operation" in read)) return [];
    const headers = headersOf({ secret: http.texts("introspectionHeaders").map(headerEntry), forward: [] }, secrets, {});
    const local = (name: string) => remote.get(name) ?? context.model.nodeTypes.get(name)?.definition;
    return [{ use, operation: read.operation, url: http.text("url") ?? "", headers, remote, local }];
  });
}

const timeoutMs = 5_000;

// The classic query: services of any age understand it.
const query = getIntrospectionQuery({ descriptions: false, schemaDescription: false, directiveIsRepeatable: false, specifiedByUrl: false });

/** Asks each service once. @throws QuernError `SCHEMA_INVALID` with all differences */
export async function verifyRemotes(all: readonly Introspection[], client: HttpClient): Promise<void> {
  const schemas = new Map<string, Promise<RemoteSchema | string>>();
  const errors: QuernError[] = [];
  for (const each of all) {
    const key = writeJson([each.url, each.headers]);
    const schema = schemas.get(key) ?? introspect(each, client);
    schemas.set(key, schema);
    errors.push(...(await problemsOf(each, schema)).map((text) => errorAt(each.use, text)));
  }
  if (errors.length > 0) throw new QuernError("SCHEMA_INVALID", errors.map(({ message }) => message).join("\n"), { errors });
}

async function problemsOf(each: Introspection, answer: Promise<RemoteSchema | string>): Promise<readonly string[]> {
  const schema = await answer;
  if (typeof schema === "string") return [schema];
  return [...compareOperation(each, schema), ...compareTypes(each, schema)].slice(0, 1);
}

async function introspect({ url, headers }: Introspection, client: HttpClient): Promise<RemoteSchema | string> {
  if (url.includes("?")) return `POST method cannot have query parameters in url: ${url}`;
  let text: string;
  try {
    text = (await client.send({ method: "POST", url, headers, body: writeJson({ query }) }, { signal: new AbortController().signal, timeoutMs }))
      .text;
  } catch (thrown) {
    return `Post "${url}": ${reasonOf(thrown)}`;
  }
  try {
    const reply: unknown = JSON.parse(text);
    return readRemoteSchema(isObject(reply) && isObject(reply.data) ? reply.data.__schema : undefined);
  } catch {
    return "while json unmarshaling result from remote introspection query: the reply is no JSON";
  }
}

function errorAt(use: CustomUse, text: string): QuernError {
  const message = `Type ${use.definition.name.value}; Field ${use.field.name.value}: inside graphql in @custom directive, ${text}`;
  const location = locationOfGraphql(use);
  return new QuernError("SCHEMA_INVALID", message, {
    ...(location && { locations: [location] }),
    hint: "Adapt the schema to the remote one, or write skipIntrospection: true.",
  });
}
