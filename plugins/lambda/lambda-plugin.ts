// `@lambda`, `@lambdaOnMutate` and `@webhook`: logic of the application, and events about what mutations do.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { DirectivePlugin, Hooks, ModelContext } from "../../core/plugin.ts";
import { AddressPolicy, HttpClient } from "../remote/index.ts";
import { checkHandlers, checkOnlyOne, neededHandlers, openThreads } from "./check-handlers.ts";
import { deliver } from "./events/deliver.ts";
import { readLambdaOnMutate } from "./events/lambda-on-mutate.ts";
import { mutationEvents } from "./events/mutation-event.ts";
import { readLambdaFields } from "./fields/read-fields.ts";
import { computedFields, rootFields } from "./fields/resolve-fields.ts";
import { authHeaderReader, authorizationKeyword } from "./handlers/auth-header.ts";
import { type Handlers, handlersOf, isConfigured } from "./handlers/handlers.ts";
import { type LambdaOptions, type LambdaSettings, lambdaSettings } from "./handlers/options.ts";
import { appendEvents } from "./outbox/append-events.ts";
import { outboxLayout } from "./outbox/layout.ts";
import { outboxTask } from "./outbox/outbox-task.ts";
import { readWebhooks, type Webhook, webhookDefinitions } from "./webhook/read-webhooks.ts";
import { readSecrets, secretKeyword } from "./webhook/secrets.ts";
import { WebhookChanges } from "./webhook/webhook-changes.ts";

const definitions = `
  "A lambda handler resolves the field."
  directive @lambda on FIELD_DEFINITION
  "A lambda handler gets an event after each commit of these mutations of the type."
  directive @lambdaOnMutate(add: Boolean, update: Boolean, delete: Boolean) on OBJECT | INTERFACE
  ${webhookDefinitions}
`;

/**
 * `@lambda`, `@lambdaOnMutate` and `@webhook`: functions of the application, and events after commits.
 *
 * @throws QuernError `CONFIG_INVALID`
 */
export function lambdaPlugin(options: LambdaOptions = {}): DirectivePlugin {
  const settings = lambdaSettings(options);
  const policies = policiesOf(settings);
  return {
    name: "lambda",
    // Dgraph's error texts for wrong flags.
    validatesArguments: true,
    // Facts about keys, names and passwords must be recorded before.
    follows: ["identity", "secret", "storage-names", "default", "custom"],
    alsoReads: [authorizationKeyword, secretKeyword],
    definitions,
    watchedFiles: filesOf(settings),
    serving({ host }) {
      for (const policy of Object.values(policies)) policy.servedAt(host);
    },
    model: (context) => hooksOf(context, settings, policies),
  };
}

function filesOf({ functionsModule, script }: LambdaSettings): readonly string[] {
  return [...(functionsModule ? [fileURLToPath(functionsModule)] : []), ...(script === undefined ? [] : [resolve(script)])];
}

interface Policies {
  /** The operator chose this server, so it may have a private address. */
  readonly lambdaServer: AddressPolicy;
  /** Their URLs come from the schema. */
  readonly webhooks: AddressPolicy;
}

function policiesOf({ url, allow, deny, privateAddresses }: LambdaSettings): Policies {
  const own = url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/gu, "")];
  return {
    lambdaServer: new AddressPolicy({ allow: [...allow, ...own], deny, privateAddresses }),
    webhooks: new AddressPolicy({ allow, deny, privateAddresses }),
  };
}

function hooksOf(context: ModelContext, settings: LambdaSettings, policies: Policies): Hooks | undefined {
  checkOnlyOne(context);
  const fields = readLambdaFields(context, { isHandled: isConfigured(settings) });
  const raising = readLambdaOnMutate(context);
  const webhooks = readWebhooks(context, { secrets: readSecrets(context.settings(secretKeyword)), signingKey: settings.signingKey });
  const needed = neededHandlers(fields, raising);
  if (needed.length === 0 && webhooks.length === 0) return undefined;

  const { timeoutMs, maxResponseBytes, maxOperationBytes, maxConcurrentCalls, maxConcurrentDeliveries } = settings;
  const limits = { timeoutMs, maxResponseBytes, maxOperationBytes };
  const handlers = handlersOf(settings, {
    client: new HttpClient({ ...limits, maxConcurrent: maxConcurrentCalls }, policies.lambdaServer),
    onLog: (text) => console.error(`lambda script: ${text}`),
  });
  const client = new HttpClient({ ...limits, maxConcurrent: maxConcurrentDeliveries }, policies.webhooks);
  checkHandlers(needed, { handlers, functions: settings.functions, report: context.report });
  const authHeaderOf = authHeaderReader(context.settings(authorizationKeyword));
  const resolving = { handler: handlers, authHeaderOf };
  return {
    ...(fields.roots.length + fields.fields.length > 0 && {
      api: () => ({ roots: rootFields(fields.roots, resolving), computed: computedFields(fields.fields, resolving) }),
    }),
    ...(handlers.threads.length > 0 && { open: () => openThreads(needed, handlers) }),
    ...(raising.size + webhooks.length > 0 && eventHooks({ raising, authHeaderOf, webhooks, handlers, client, settings })),
    close: async () => {
      await handlers.close?.();
      await client.close();
    },
  };
}

interface EventOptions {
  readonly raising: ReturnType<typeof readLambdaOnMutate>;
  readonly authHeaderOf: ReturnType<typeof authHeaderReader>;
  readonly webhooks: readonly Webhook[];
  readonly handlers: Handlers;
  /** Posts to webhooks. */
  readonly client: HttpClient;
  readonly settings: LambdaSettings;
}

/** Events are written in the commit and delivered from the outbox. */
function eventHooks({ raising, authHeaderOf, webhooks, handlers, client, settings }: EventOptions): Hooks {
  const { maxAgeMs, firstRetryMs, maxConcurrentDeliveries: maxConcurrent, leaseMs } = settings;
  const changes = webhooks.length > 0 ? new WebhookChanges(webhooks) : undefined;
  const receivers = { handler: handlers, webhooks, client };
  return {
    layout: () => outboxLayout,
    ...(changes && {
      changes: async (context) => {
        await changes.before(context);
        return undefined;
      },
    }),
    append: async (context) => {
      const events = [...mutationEvents(context, { raising, authHeaderOf }), ...((await changes?.events(context)) ?? [])];
      return await appendEvents(events, context);
    },
    background: [
      outboxTask({ deliver: (delivery, context) => deliver(delivery, context, receivers), maxAgeMs, firstRetryMs, maxConcurrent, leaseMs }),
    ],
  };
}
