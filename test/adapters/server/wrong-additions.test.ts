// What a plugin adds to the server is looked at when the server is created: a mistake names the plugin, the place and what was meant.

import { describe, expect, it } from "vitest";
import { createServerKernel } from "../../../adapters/server/index.ts";
import { QuernError } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { memoryStorage } from "../../../examples/memory-store/memory-store.ts";

function created(members: object): string {
  const plugin: DirectivePlugin = { name: "stranger", definitions: "", model: () => undefined, ...members };
  try {
    createServerKernel({ storage: memoryStorage(), plugins: [plugin], log: { level: "silent" } });
    return "created";
  } catch (thrown) {
    return thrown instanceof QuernError ? `${thrown.code}: ${thrown.message}` : String(thrown);
  }
}

const route = { path: "/tides", methods: ["GET"], access: "everybody", answer: () => ({ status: 200, headers: {}, body: "" }) };

describe("additions to the server", () => {
  it.each<[object, string]>([
    [{ routes: [{ ...route, access: "everyone" }] }, 'routes[0] has a wrong access: it must be "administrators" or "everybody".'],
    [{ routes: [{ ...route, path: "tides" }] }, 'routes[0] has a wrong path: it must be a path that begins with "/".'],
    [{ routes: [{ ...route, methods: ["get"] }] }, "routes[0] has a wrong methods: it must be a list of methods in upper case"],
    [{ routes: [{ ...route, methods: "GET" }] }, "routes[0] has a wrong methods"],
    [{ routes: [{ ...route, answer: undefined }] }, "routes[0] has no answer; it must be a function."],
    [{ routes: [{ ...route, acess: "everybody" }] }, 'routes[0] has a member "acess"; did you mean "access"?'],
    [{ route: [] }, 'what it returns has a member "route"; did you mean "routes"?'],
    [{ admin: { queries: { tide: "high" } } }, "admin has a wrong queries: it must be functions by name."],
    [{ opened: true }, "what it returns has a wrong opened: it must be a function."],
  ])("that are %j are refused", (added, problem) => {
    expect(created({ server: () => added })).toContain(problem);
    expect(created({ server: () => added })).toContain('CONFIG_INVALID: Plugin "stranger", hook server');
  });

  it("that are sound are taken, with members of the plugin's own", () => {
    expect(created({ server: () => ({ routes: [{ ...route, about: "the tides" }], opened: () => undefined }) })).toBe("created");
  });

  it("decide who administrates by a function", () => {
    expect(created({ access: () => ({ administrate: () => undefined }) })).toBe(
      'CONFIG_INVALID: Plugin "stranger", hook access: what it returns has a member "administrate"; did you mean "administer"?',
    );
    expect(created({ access: () => ({ administer: () => undefined }) })).toBe("created");
  });
});
