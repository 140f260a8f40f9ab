// Members of a plugin, of its hooks and of what these add are looked at before anything is served: a mistake names the plugin, the place and what was meant.

import { describe, expect, it } from "vitest";
import { createKernel, QuernError } from "../../../core/index.ts";
import type { DirectivePlugin, Hooks, ModelContext } from "../../../core/plugin.ts";
import { memoryStorage } from "../../../examples/memory-store/memory-store.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { deploy } from "../../schema/deployment/harness.ts";

const stranger = (members: object): DirectivePlugin => ({
  name: "stranger",
  definitions: "directive @mark on OBJECT",
  model: () => undefined,
  ...members,
});

/** `CODE: message` of what is thrown. */
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    return thrown instanceof QuernError ? `${thrown.code}: ${thrown.message}` : String(thrown);
  }
  return "taken";
}

describe("a plugin", () => {
  const start = (members: object) => refusal(() => createKernel({ storage: memoryStorage(), plugins: [searchPlugin(), stranger(members)] }));

  it.each<[object, string]>([
    [{ after: ["serach"] }, 'Plugin "stranger" names "serach" in after, which is no installed plugin; did you mean "search"?'],
    [{ follows: ["serach"] }, 'Plugin "stranger" names "serach" in follows, which is no installed plugin; did you mean "search"?'],
    [{ after: "search" }, 'Plugin "stranger" has a wrong after: it must be a list of texts.'],
    [{ folows: ["search"] }, 'Plugin "stranger" has a member "folows"; did you mean "follows"?'],
    [{ contract: "1" }, 'Plugin "stranger" has a wrong contract: it must be the version of the contract, such as 1.'],
    [{ unstored: ["mrak"] }, 'Plugin "stranger" names the directive "mrak" in unstored, which its definitions do not have; did you mean "mark"?'],
    [{ inherited: ["secret"] }, 'Plugin "stranger" names the directive "secret" in inherited, which its definitions do not have.'],
    [{ kept: [1] }, 'Plugin "stranger" has a wrong kept: it must be a list of texts.'],
    [{ definitionsFor: "" }, 'Plugin "stranger" has a wrong definitionsFor: it must be a function.'],
    [
      { languages: [{ name: "SQL", run: () => ({}) }] },
      'Plugin "stranger" has a wrong languages: it must be a list of { name, run }, with names in lower case.',
    ],
    [{ languages: [{ name: "sql" }] }, 'Plugin "stranger" has a wrong languages: it must be a list of { name, run }, with names in lower case.'],
    [{ settings: "Tide" }, 'Plugin "stranger" has a wrong settings: it must be a list of texts.'],
    [{ alsoReads: {} }, 'Plugin "stranger" has a wrong alsoReads: it must be a list of texts.'],
    [{ checkSettings: true }, 'Plugin "stranger" has a wrong checkSettings: it must be a function.'],
    [{ validatesArguments: "yes" }, 'Plugin "stranger" has a wrong validatesArguments: it must be true or false.'],
    [{ mainThreadOnly: 1 }, 'Plugin "stranger" has a wrong mainThreadOnly: it must be true or false.'],
    [{ watchedFiles: [""] }, 'Plugin "stranger" has a wrong watchedFiles: it must be a list of texts.'],
    [{ serving: {} }, 'Plugin "stranger" has a wrong serving: it must be a function.'],
    [{ liveEngine: {} }, 'Plugin "stranger" has a wrong liveEngine: it must be a function.'],
    [{ server: { routes: [] } }, 'Plugin "stranger" has a wrong server: it must be a function.'],
    [{ access: null }, 'Plugin "stranger" has a wrong access: it must be a function.'],
    [{ name: "" }, 'Plugin "" has a wrong name: it must be a text that is not empty.'],
  ])("with %j is refused", (members, problem) => {
    expect(start(members)).toBe(`CONFIG_INVALID: ${problem}`);
  });

  it("that needs one that is not installed is refused as before", () => {
    expect(start({ after: ["identity"] })).toMatch(/^PLUGIN_MISSING: /u);
    expect(start({ after: ["something"] })).toMatch(/^PLUGIN_MISSING: /u);
  });

  it("may have members of its own, and follow one that is not installed", () => {
    expect(start({ follows: ["identity", "reseach-tools"], cache: new Map(), unstored: ["mark"] })).toBe("taken");
  });
});

const field = ({ model }: ModelContext) => model.nodeTypes.get("Boat")?.fields.get("name");
const type = ({ model }: ModelContext) => model.nodeTypes.get("Boat");
const schema = "type Boat { name: String  port: Port }  type Port { code: String }  type Query { tides: Int }";

function deployed(hooks: (context: ModelContext) => unknown): string {
  const answering: DirectivePlugin = {
    name: "tides",
    definitions: "",
    model: () => ({ api: () => ({ roots: [{ operation: "query", signature: "tides: Int", run: () => ({ json: 1 }) }] }) }),
  };
  return refusal(() => deploy(schema, [answering, stranger({ model: (context: ModelContext) => hooks(context) as Hooks })]));
}

describe("hooks", () => {
  it.each<[unknown, string]>([
    [{ background: [{ name: "a", runs: "sometimes", run: () => undefined }] }, 'background[0] has a wrong runs: it must be "everywhere" or "once".'],
    [
      { background: [{ name: "a", runs: "onse", run: () => undefined }] },
      'background[0] has a wrong runs: it must be "everywhere" or "once"; did you mean "once"?',
    ],
    [{ background: [{ runs: "once", run: () => undefined }] }, "background[0] has no name; it must be a text that is not empty."],
    [{ background: [{ name: "a", runs: "once" }] }, "background[0] has no run; it must be a function."],
    [
      { background: [{ name: "a", runs: "once", run: () => undefined, leaseMS: 5 }] },
      'background[0] has a member "leaseMS"; did you mean "leaseMs"?',
    ],
    [
      { background: [{ name: "a", runs: "once", run: () => undefined, leaseMs: -5 }] },
      "background[0] has a wrong leaseMs: it must be a positive whole number.",
    ],
    [{ background: [undefined] }, "background[0] must be an object."],
    [{ warnings: [{}] }, "warnings[0] has no message; it must be a text that is not empty."],
    [{ warnings: [{ mesage: "x" }] }, "warnings[0] has no message; it must be a text that is not empty."],
    [{ headers: [5] }, "headers[0] must be a text that is not empty."],
    [{ narrows: ["read"] }, 'narrows[0] must be "query"'],
    [{ masks: [{ shows: "null", visible: () => undefined }] }, "masks[0] has no field; it must be a field of the model with the role value or link."],
  ])("that are %j are refused", (hooks, problem) => {
    expect(deployed(() => hooks)).toContain(`CONFIG_INVALID: Plugin "stranger", hook model: ${problem}`);
  });

  it("show what a mask hides in one of two ways", () => {
    const hooks = (context: ModelContext) => ({ masks: [{ field: field(context), shows: "eror", visible: () => undefined }] });
    expect(deployed(hooks)).toBe(
      'CONFIG_INVALID: Plugin "stranger", hook model: masks[0] has a wrong shows: it must be "null" or "error"; did you mean "error"?',
    );
  });
});

describe("additions to the API", () => {
  it.each<[(context: ModelContext) => unknown, string]>([
    [() => undefined, "it must return what it adds, or {}."],
    [() => ({ definitions: 5 }), "what it returns has a wrong definitions: it must be SDL."],
    [() => ({ roots: {} }), "what it returns has a wrong roots: it must be a list."],
    [
      () => ({ roots: [{ operation: "querry", signature: "a: Int", run: () => ({}) }] }),
      'roots[0] has a wrong operation: it must be "query" or "mutation"; did you mean "query"?',
    ],
    [() => ({ roots: [{ operation: "query", signature: "a: Int" }] }), "roots[0] has no run; it must be a function."],
    [() => ({ roots: [{ operation: "query", signature: "a: Int", run: () => ({}), purpose: "read" }] }), "roots[0] has a wrong purpose: it must be"],
    [
      () => ({ filters: [{ input: "Int", predicate: () => undefined }] }),
      "filters[0] has no field; it must be a field of the model with the role value.",
    ],
    [(context) => ({ filters: [{ field: field(context), input: "Int" }] }), "filters[0] has no predicate; it must be a function."],
    [
      (context) => ({ filters: [{ field: field(context), input: "Int", predicate: () => undefined, step: () => [] }] }),
      'filters[0] has a member "step"; did you mean "steps"?',
    ],
    [
      (context) => ({ linkFilters: [{ field: field(context), input: "Int", condition: () => undefined }] }),
      "linkFilters[0] has a wrong field: it must be a field of the model with the role link.",
    ],
    [(context) => ({ linkOrders: [{ field: field(context), input: "Int", key: () => undefined }] }), "linkOrders[0] has a wrong field"],
    [(context) => ({ computed: [{ field: field(context), compute: () => [] }] }), "computed[0] has no needs; it must be a list of texts."],
    [
      (context) => ({ computed: [{ field: field(context), needs: [], compute: () => [], slow: "yes" }] }),
      "computed[0] has a wrong slow: it must be true or false.",
    ],
    [(context) => ({ nearest: [{ type: type(context), signature: "near: Int" }] }), "nearest[0] has no nearest; it must be a function."],
    [() => ({ updates: [{ type: "Boat", signature: "raise: Int" }] }), "updates[0] has a wrong type: it must be a type of the model."],
    [(context) => ({ lists: [{ type: type(context), signature: ": Int" }] }), "lists[0] has no plan; it must be a function."],
    [() => ({ deprecated: { getBoat: 5 } }), "what it returns has a wrong deprecated: it must be texts by name."],
    [() => ({ jsonKeys: ["a"] }), "what it returns has a wrong jsonKeys: it must be texts by name."],
    [() => ({ live: ["tide"] }), 'live names "tide", which is no field of the schema\'s Query; did you mean "tides"?'],
    [() => ({ atomic: ["marc"] }), 'atomic names the directive "marc", which its definitions do not have; did you mean "mark"?'],
  ])("are refused: %#", (additions, problem) => {
    expect(deployed((context) => ({ api: () => additions(context) }))).toContain(`CONFIG_INVALID: Plugin "stranger", hook api: ${problem}`);
  });
});

describe("additions to the layout", () => {
  it.each<[unknown, string]>([
    [{ fields: [{ name: "a", kind: "strng", list: false }] }, 'fields[0] has a wrong kind: it must be "string"'],
    [{ fields: [{ name: "a", kind: "string" }] }, "fields[0] has no list; it must be true or false."],
    [
      { fields: [{ name: "a", kind: "string", list: false, derived: { id: "x", from: [] } }] },
      "fields[0] has a wrong derived: it must be { id, from, derive }.",
    ],
    [{ types: [{ name: "Hidden" }] }, "types[0] has no fields; it must be a list of texts."],
    [
      { indexes: [{ name: "i", field: "Boat.name", by: "token" }] },
      'indexes[0] has a wrong by: it must be "value", "tokens", "nearest", "compound"; did you mean "tokens"?',
    ],
    [{ indexes: [{ name: "i", field: "Boat.name", by: "value" }] }, "indexes[0] has no ordered; it must be true or false."],
    [{ indexes: [{ name: "i", field: "Boat.name", by: "tokens", id: "x" }] }, "indexes[0] has no tokens; it must be a function."],
    [{ indexes: [{ name: "i", field: "Boat.name", by: "nearest", metric: "cosin" }] }, 'did you mean "cosine"?'],
    [{ keys: [{ name: "k", fields: ["Boat.name"] }] }, "keys[0] has no types; it must be a list of texts."],
  ])("are refused: %j", (additions, problem) => {
    const refused = deployed(() => ({ layout: () => additions }));
    expect(refused).toContain('CONFIG_INVALID: Plugin "stranger", hook layout: ');
    expect(refused).toContain(problem);
  });
});
