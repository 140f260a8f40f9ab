// At a deploy: asks remote GraphQL services for their schemas, and compares them with what the schema expects of them.

import { getIntrospectionQuery, type TypeDefinitionNode } from "graphql";
import { isObject, QuernError, writeJson } from "../../../core/plugin.ts";
import { type HttpClient, type RemoteReply, reasonOf } from "../../remote/index.ts";
import type { CustomUse } from "../directive/custom-use.ts";
import { readsNoSchema } from "../directive/header-rules.ts";
import { locationOfGraphql } from "../directive/location.ts";
import type { ReadUses } from "../directive/read-uses.ts";
import { readOperation } from "../directive/remote-operation.ts";
import { headerEntry, headersOf } from "../http/headers.ts";
import type { Secrets } from "../http/secrets.ts";
import { compareOperation } from "./compare-operation.ts";
import { compareTypes } from "./compare-types.ts";
import type { Introspection } from "./expectation.ts";
import { type RemoteSchema, readRemoteSchema } from "./remote-schema.ts";

interface Sources {
  readonly remote: ReadonlyMap<string, TypeDefinitionNode>;
  readonly secrets: Secrets;
}

export function introspections({ fields, roots }: ReadUses, { remote, secrets }: Sources): readonly Introspection[] {
  return [...fields, ...roots].flatMap((use): readonly Introspection[] => {
    const { http } = use;
    const text = http.text("graphql");
    const read = text === undefined || readsNoSchema(http) ? undefined : readOperation(text);
    if (!read || !("operation" in read)) return [];
    const headers = headersOf({ secret: http.texts("introspectionHeaders").map(headerEntry), forward: [] }, secrets, {});
    return [{ use, operation: read.operation, url: http.text("url") ?? "", headers, remote }];
  });
}

/** A deploy waits no longer than this for a remote schema. */
const longestMs = 5_000;

export interface Asking {
  readonly client: HttpClient;
  /** Milliseconds for any request of the plugin. */
  readonly timeoutMs: number;
}

// The classic query: services of any age understand it.
const query = getIntrospectionQuery({ descriptions: false, schemaDescription: false, directiveIsRepeatable: false, specifiedByUrl: false });

/** Asks each service once, all at the same time. @throws QuernError `SCHEMA_INVALID` with all differences, and with services that cannot be asked */
export async function verifyRemotes(all: readonly Introspection[], asking: Asking): Promise<void> {
  const schemas = new Map<string, Promise<RemoteSchema | string>>();
  const asked = all.map((each) => {
    const key = writeJson([each.url, each.headers]);
    const schema = schemas.get(key) ?? introspect(each, asking);
    schemas.set(key, schema);
    return { each, schema };
  });
  const errors: QuernError[] = [];
  for (const { each, schema } of asked) errors.push(...problemsOf(each, await schema));
  if (errors.length > 0) throw new QuernError("SCHEMA_INVALID", errors.map(({ message }) => message).join("\n"), { errors });
}

function problemsOf(each: Introspection, schema: RemoteSchema | string): readonly QuernError[] {
  if (typeof schema === "string") return [errorAt(each.use, schema, "Mend the address or the service")];
  const [first] = [...compareOperation(each, schema), ...compareTypes(each, schema)];
  return first === undefined ? [] : [errorAt(each.use, first, "Adapt the schema to the remote one")];
}

async function introspect({ url, headers }: Introspection, { client, timeoutMs }: Asking): Promise<RemoteSchema | string> {
  if (url.includes("?")) return `POST method cannot have query parameters in url: ${url}`;
  let reply: RemoteReply;
  try {
    const request = { method: "POST", url, headers, body: writeJson({ query }) };
    reply = await client.send(request, { signal: new AbortController().signal, timeoutMs: Math.min(longestMs, timeoutMs) });
  } catch (thrown) {
    return `Post "${url}": ${reasonOf(thrown)}`;
  }
  try {
    const json: unknown = JSON.parse(reply.text);
    return readRemoteSchema(isObject(json) && isObject(json.data) ? json.data.__schema : undefined);
  } catch {
    return `while json unmarshaling result from remote introspection query: the reply of ${url} is no JSON (status ${reply.status})`;
  }
}

function errorAt(use: CustomUse, text: string, remedy: string): QuernError {
  const message = `Type ${use.definition.name.value}; Field ${use.field.name.value}: inside graphql in @custom directive, ${text}`;
  const location = locationOfGraphql(use);
  return new QuernError("SCHEMA_INVALID", message, {
    ...(location && { locations: [location] }),
    hint: `${remedy}, or write skipIntrospection: true.`,
  });
}
