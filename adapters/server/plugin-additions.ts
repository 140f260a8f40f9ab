// Collects what plugins add to the server: paths, and fields of the admin API.

import {
  type AdminResolver,
  andThen,
  type HttpRequest,
  type HttpResponse,
  type Kernel,
  kernelAccess,
  type PluginRoute,
  QuernError,
  rescued,
  type ServerAccess,
  type ServerAdditions,
} from "../../core/plugin.ts";
import { serverHooks } from "../../core/server.ts";
import { actionRefusal } from "./access/administer.ts";
import { administrator, methods, preflight } from "./access/checks.ts";
import { assertAccess, assertAdditions } from "./check-additions.ts";
import { type ClaimedFields, isOwnField } from "./dgraph-admin/admin-api.ts";
import type { AdminField } from "./dgraph-admin/field.ts";
import { adminBody } from "./http/admin-body.ts";
import { openCors } from "./http/cors.ts";
import { adminErrors, inPieces, openAnswer } from "./http/respond.ts";
import type { ServerParts } from "./parts/server-parts.ts";
import { isOwnPath, type Route } from "./routes.ts";

export interface ClaimedAdditions {
  /** By path. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly admin: ClaimedFields;
  /** Undefined: no plugin decides who may administrate. */
  readonly access: ServerAccess | undefined;
  /** Calls the listeners of the plugins. Never rejects. */
  opened(): Promise<void>;
  erased(): void;
}

/**
 * Calls the `server` and `access` hooks of every plugin.
 *
 * @throws QuernError `PLUGIN_CLASH` when two claim the same, or one claims what the server answers itself
 */
export function claimAdditions(kernel: Kernel): ClaimedAdditions {
  const claims = new Claims();
  const additions = (kernel.config.plugins ?? []).map((plugin) => {
    const access = kernelAccess(kernel, plugin.name);
    const { additions: added, access: control } = serverHooks(kernel, plugin, access);
    assertAdditions(plugin.name, added);
    claims.additions(plugin.name, added);
    if (control) claims.control(plugin.name, control);
    return { log: access.log, ...added };
  });
  const calling = async ({ opened, log }: (typeof additions)[number]) => {
    try {
      await opened?.();
    } catch (thrown) {
      log.fault(thrown);
    }
  };
  return {
    routes: claims.routes,
    admin: claims,
    access: claims.access,
    opened: async () => void (await Promise.all(additions.map(calling))),
    erased: () => {
      for (const { erased } of additions) erased?.();
    },
  };
}

class Claims implements ClaimedFields {
  readonly routes = new Map<string, Route>();
  access: ServerAccess | undefined;
  readonly definitions: string[] = [];
  readonly queries: Record<string, AdminField> = {};
  readonly mutations: Record<string, AdminField> = {};
  readonly #owners = new Map<string, string>();

  additions(plugin: string, { routes = [], admin = {} }: ServerAdditions): void {
    for (const route of routes) this.route(plugin, route);
    if (admin.definitions !== undefined) this.definitions.push(admin.definitions);
    this.fields(plugin, "query", admin.queries ?? {});
    this.fields(plugin, "mutation", admin.mutations ?? {});
  }

  control(plugin: string, access: ServerAccess): void {
    assertAccess(plugin, access);
    this.#claim(plugin, "the access of administrators");
    this.access = access;
  }

  route(plugin: string, route: PluginRoute): void {
    const what = `the path ${route.path}`;
    if (isOwnPath(route.path)) throw claimsOwn(plugin, what);
    this.#claim(plugin, what);
    this.routes.set(route.path, routeFor(route));
  }

  fields(plugin: string, operation: "query" | "mutation", fields: Readonly<Record<string, AdminResolver>>): void {
    const claimed = operation === "query" ? this.queries : this.mutations;
    for (const [name, resolve] of Object.entries(fields)) {
      const what = `the ${operation} ${name} of the admin API`;
      if (isOwnField(operation, name)) throw claimsOwn(plugin, what);
      this.#claim(plugin, what);
      claimed[name] = (args, _context, request) => resolve(args, request);
    }
  }

  #claim(plugin: string, what: string): void {
    const owner = this.#owners.get(what);
    if (owner !== undefined)
      throw new QuernError("PLUGIN_CLASH", `Plugins "${owner}" and "${plugin}" both claim ${what}; remove one of them from plugins.`);
    this.#owners.set(what, plugin);
  }
}

function claimsOwn(plugin: string, what: string): QuernError {
  return new QuernError("PLUGIN_CLASH", `Plugin "${plugin}" claims ${what}, which the server answers itself; choose another name.`);
}

function routeFor({ path, methods: allowed, access, answer }: PluginRoute): Route {
  const isAdmin = access === "administrators";
  const guard = isAdmin ? [administrator({ code: "ErrorUnauthorized" })] : [];
  return {
    gzip: true,
    admin: isAdmin,
    checks: [preflight, methods(allowed), ...guard],
    answer: (server, request) =>
      andThen(
        isAdmin ? actionRefusal(server, request, { action: { name: path }, code: "ErrorUnauthorized" }) : undefined,
        (refusal) => refusal ?? answered(server, request, answer),
      ),
  };
}

async function answered(server: ServerParts, request: HttpRequest, answer: PluginRoute["answer"]): Promise<HttpResponse> {
  const body = await adminBody(request, server);
  if (typeof body !== "string") return openAnswer(adminErrors(body.code, body.message), body.status);
  const { "content-encoding": _encoding, ...headers } = request.headers;
  const decoded: HttpRequest = { ...request, headers, body: Buffer.from(body) };
  const response = await rescued(
    () => answer(decoded),
    (thrown) => {
      if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") throw thrown;
      if (thrown.code === "PLUGIN_TIMEOUT") return openAnswer(adminErrors(thrown.code, thrown.message), 503);
      return openAnswer(adminErrors("Error", thrown.message));
    },
  );
  const headersSent = { ...openCors, ...response.headers };
  return response.pieces ? inPieces(response.status, headersSent, response.pieces) : { ...response, headers: headersSent };
}
