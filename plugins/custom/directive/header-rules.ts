// Headers of a request, and whether the remote schema is read. They are examined beside a body or a remote operation.

import type { Secrets } from "../http/secrets.ts";
import type { CustomUse, Finding } from "./custom-use.ts";

export function skipFindings({ http }: CustomUse): readonly Finding[] {
  const text = http.text("skipIntrospection");
  const at = templateOf(http);
  if (!at || text === undefined || /^(?:true|false|1|0|t|f)$/iu.test(text)) return [];
  return [{ text: `; skipIntrospection in @custom directive can only be true/false, found: \`${text}\`.`, at }];
}

/** Of several wrong entries the first one. */
export function headerFormFindings({ http }: CustomUse): readonly Finding[] {
  const at = templateOf(http);
  if (!at) return [];
  const form = "should be of the form 'remote_headername:local_headername' or just 'headername'";
  const wrong = ["forwardHeaders", "secretHeaders", "introspectionHeaders"].flatMap((name) =>
    http
      .texts(name)
      .filter((each) => each.split(":").length > 2)
      .map((each): Finding => ({ text: `; ${name} in @custom directive ${form}, found: \`${each}\`.`, at, last: true })),
  );
  return wrong.slice(0, 1);
}

/** Of several overlaps the first one. */
export function overlapFindings({ http }: CustomUse): readonly Finding[] {
  const at = templateOf(http);
  if (!at) return [];
  const forwarded = new Set(http.texts("forwardHeaders").map(remoteName));
  const twice = http
    .texts("secretHeaders")
    .map(remoteName)
    .find((name) => forwarded.has(name));
  if (twice === undefined) return [];
  return [{ text: `; secretHeaders and forwardHeaders in @custom directive cannot have overlapping headers, found: \`${twice}\`.`, at, last: true }];
}

/** Where a problem of the headers is shown. */
function templateOf(http: CustomUse["http"]): Finding["at"] | undefined {
  return http.value("body") ?? http.value("graphql");
}

function remoteName(entry: string): string {
  return entry.split(":")[0] ?? entry;
}

/** Only a remote schema that is read gets these headers. */
export function unknownSecretFindings({ http }: CustomUse, secrets: Secrets): readonly Finding[] {
  const at = http.value("graphql");
  if (!at || readsNoSchema(http)) return [];
  const names = http.texts("introspectionHeaders").map((entry) => entry.split(":").at(-1) ?? entry);
  return names.filter((name) => !secrets.has(name)).map((name) => ({ text: `; ${unknownSecret(name)}`, at }));
}

/** Whether a deploy leaves the remote schema unread. */
export function readsNoSchema(http: CustomUse["http"]): boolean {
  return /^(?:true|1|t)$/iu.test(http.text("skipIntrospection") ?? "");
}

function unknownSecret(name: string): string {
  return (
    "introspectionHeaders in @custom directive should use secrets to store the header value. " +
    `To do that specify \`${name}\` in this format '#Dgraph.Secret name value' at the bottom of your schema file.`
  );
}
