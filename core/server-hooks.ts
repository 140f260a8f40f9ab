// Calls what plugins add to a server: errors of theirs name the plugin, and no promise of theirs is waited for for ever.

import type { DirectivePlugin } from "./contracts/plugin/directive-plugin.ts";
import type { KernelAccess } from "./contracts/plugin/kernel-access.ts";
import type { AdminAdditions, AdminResolver, PluginRoute, ServerAccess, ServerAdditions } from "./contracts/plugin/server-additions.ts";
import { QuernError } from "./ground/errors.ts";
import { rescued } from "./ground/maybe-promise.ts";
import type { Patience } from "./ground/patience.ts";
import { PluginTimeout } from "./ground/plugin-fault.ts";
import type { MaybePromise } from "./ground/values/value.ts";
import type { Kernel } from "./kernel.ts";
import { timeoutText } from "./request/errors/faults.ts";
import { guardAsync, guardSync, tried } from "./schema/plugins/guard-call.ts";
import { HookHost } from "./schema/plugins/hook-host.ts";
import { logHeld } from "./telemetry/held.ts";

/** What a plugin adds to a server, ready to be called. */
export interface ServerHooks {
  readonly additions: ServerAdditions;
  /** Undefined: the plugin does not decide who may administrate. */
  readonly access: ServerAccess | undefined;
}

/** Calls the hooks `server` and `access` of a plugin. @param check throws for additions of another shape */
export function serverHooks(
  kernel: Pick<Kernel, "limits" | "log">,
  plugin: DirectivePlugin,
  { access, check }: { readonly access: KernelAccess; readonly check: (additions: ServerAdditions) => void },
): ServerHooks {
  const calls = new ServerCalls(kernel, plugin.name);
  const additions = calls.hook("server", () => plugin.server?.(access)) ?? {};
  check(additions);
  return {
    additions: calls.additions(additions),
    access: calls.access(calls.hook("access", () => plugin.access?.(access))),
  };
}

class ServerCalls {
  readonly #log: Kernel["log"];
  readonly #plugin: string;
  readonly #host: HookHost;

  constructor({ limits, log }: Pick<Kernel, "limits" | "log">, plugin: string) {
    this.#log = log;
    this.#plugin = plugin;
    this.#host = new HookHost({ limits, held: (place, ms) => logHeld(log, place, ms) });
  }

  hook<T>(hook: string, call: () => T): T {
    return tried(call, { place: { plugin: this.#plugin, hook }, host: this.#host });
  }

  additions({ routes, admin, administered, opened, erased, ...others }: ServerAdditions): ServerAdditions {
    return {
      ...others,
      ...(routes && { routes: routes.map((route) => this.#route(route)) }),
      ...(admin && { admin: this.#admin(admin) }),
      ...(administered && { administered: this.#wrapped("administered", administered) }),
      ...(opened && { opened: this.#wrapped("opened", opened, this.#host.opening) }),
      ...(erased && { erased: guardSync(erased, { place: { plugin: this.#plugin, hook: "erased" }, host: this.#host }) }),
    };
  }

  access(access: ServerAccess | undefined): ServerAccess | undefined {
    if (access === undefined) return undefined;
    const { persisted, nameOf } = access;
    return {
      ...access,
      administer: this.#wrapped("administer", (action, request) => access.administer(action, request)),
      ...(nameOf && { nameOf: this.#wrapped("nameOf", (request) => nameOf.call(access, request)) }),
      ...(persisted && { persisted: this.#wrapped("persisted", (request) => persisted.call(access, request)) }),
    };
  }

  #route(route: PluginRoute): PluginRoute {
    return { ...route, answer: this.#wrapped(`answer of ${route.path}`, (request) => route.answer(request)) };
  }

  #admin({ queries, mutations, ...others }: AdminAdditions): AdminAdditions {
    return { ...others, ...(queries && { queries: this.#resolvers(queries) }), ...(mutations && { mutations: this.#resolvers(mutations) }) };
  }

  #resolvers(resolvers: Readonly<Record<string, AdminResolver>>): Readonly<Record<string, AdminResolver>> {
    return Object.fromEntries(Object.entries(resolvers).map(([name, resolve]) => [name, this.#wrapped(`admin field ${name}`, resolve)]));
  }

  /** What it does not do in time is logged here: its callers get an expected error. */
  #wrapped<A extends readonly unknown[], T>(
    hook: string,
    call: (...args: A) => MaybePromise<T>,
    patience: Patience = this.#host.work,
  ): (...args: A) => MaybePromise<T> {
    const place = { plugin: this.#plugin, hook };
    const guarded = guardAsync(call, { place, host: this.#host, patience: () => patience });
    return (...args) =>
      rescued(
        () => guarded(...args),
        (thrown) => this.#late(thrown),
      );
  }

  #late(thrown: unknown): never {
    if (!(thrown instanceof PluginTimeout)) throw thrown;
    this.#log.fault(thrown, { plugin: thrown.plugin, hook: thrown.hook });
    throw new QuernError(thrown.code, timeoutText, { cause: thrown });
  }
}
