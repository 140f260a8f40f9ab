// `@custom(http:)`: fields whose values come from other services.

import type { DirectivePlugin } from "../../core/plugin.ts";
import { customDefinitions } from "../custom-sdl.ts";
import { AddressPolicy, HttpClient } from "../remote/index.ts";
import { batchWarnings } from "./directive/batch-warnings.ts";
import { remoteDefinitions } from "./directive/definitions.ts";
import { isIdentifying } from "./directive/place-rules.ts";
import { readUses } from "./directive/read-uses.ts";
import { checkRemoteTypes, remoteKeys, remoteTypes } from "./directive/remote-types.ts";
import { Caller } from "./fields/caller.ts";
import { type CustomOptions, resolveOptions } from "./fields/options.ts";
import { remoteCall } from "./fields/remote-call.ts";
import { rootField } from "./fields/root-field.ts";
import { typeField } from "./fields/type-field.ts";
import { introspections, verifyRemotes } from "./graphql/introspection.ts";
import { readSecrets } from "./http/secrets.ts";

/**
 * `@custom(http:)`, `@remote` and `@remoteResponse`: fields that other services answer.
 *
 * @throws QuernError `CONFIG_INVALID` for an unknown option or a wrong value
 */
export function customPlugin(options: CustomOptions = {}): DirectivePlugin {
  const resolved = resolveOptions(options);
  const policy = new AddressPolicy(resolved);
  return {
    name: "custom",
    // Whether a type has a key is known when `@id` is read.
    follows: ["identity"],
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: customDefinitions + remoteDefinitions,
    unstored: ["remote"],
    settings: ["Secret"],
    serving: ({ host }) => policy.servedAt(host),
    checkSettings: (settings) => void readSecrets(settings("Secret")),
    model(context) {
      const secrets = readSecrets(context.settings("Secret"));
      const remote = remoteTypes(context);
      checkRemoteTypes(remote, context);
      const jsonKeys = remoteKeys(remote, context);
      const uses = readUses(context, remote, secrets);
      for (const { modelField, field } of uses.fields) if (!isIdentifying(field)) context.record.computed(modelField);
      if (uses.fields.length + uses.roots.length + Object.keys(jsonKeys).length === 0) return undefined;
      const client = new HttpClient(resolved, policy);
      const parts = { caller: new Caller(client, resolved), secrets };
      const roots = uses.roots.flatMap((use) => remoteCall(use) ?? []);
      const fields = uses.fields.flatMap((use) => ({ field: use.modelField, call: remoteCall(use) }));
      return {
        headers: forwardedHeaders(uses),
        warnings: batchWarnings(uses.fields),
        api: () => ({
          jsonKeys,
          roots: roots.map((call) => rootField(call, parts)),
          computed: fields.flatMap(({ field, call }) => (call ? [typeField(field, call, parts)] : [])),
        }),
        open: async (why) => {
          if (why !== "restart") await verifyRemotes(introspections(uses, { remote, secrets }), { client, timeoutMs: resolved.timeoutMs });
        },
        close: () => client.close(),
      };
    },
  };
}

/** Browsers must be allowed to send them. */
function forwardedHeaders({ fields, roots }: ReturnType<typeof readUses>): readonly string[] {
  const entries = [...fields, ...roots].flatMap(({ http }) => http.texts("forwardHeaders"));
  return [...new Set(entries.map((entry) => entry.split(":").at(-1) ?? entry))];
}
