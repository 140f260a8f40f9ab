// Checks of a directive's effect on schemas.

import assert from "node:assert/strict";
import { prepareDeployment } from "../../../core/index.ts";
import { type DirectivePlugin, type PreparedDeployment, QuernError } from "../../../core/plugin.ts";
import type { Check, DirectiveConformanceOptions } from "./kit.ts";

export const schemaChecks: readonly Check[] = [
  {
    id: "directive.contract",
    title: "its schema deploys: hooks, additions and layout have valid names and shapes",
    async run(options) {
      assert.deepEqual(
        refusalOf(options, options.schema).map(({ message }) => message),
        [],
      );
    },
  },
  {
    id: "directive.unused.hooks",
    title: "a schema that does not use it gets no hooks from it, so it costs nothing at run time",
    async run(options) {
      const { hooks } = prepared(options, options.plain, "with");
      assert.ok(!hooks.some(({ plugin }) => plugin === options.plugin().name), "`model` returns undefined when it finds no use");
    },
  },
  {
    id: "directive.unused.layout",
    title: "a schema that does not use it has the same storage layout and the same plans as without the plugin",
    async run(options) {
      assert.deepEqual(shapeOf(prepared(options, options.plain, "with")), shapeOf(prepared(options, options.plain, "without")));
    },
  },
  {
    id: "directive.unused.api",
    title: "a schema that does not use it has the same API as without the plugin, except for the directive's definitions",
    async run(options) {
      const { adds, removes } = difference(prepared(options, options.plain, "without").api.sdl, prepared(options, options.plain, "with").api.sdl);
      const own = new Set(linesOf(options.plugin().definitions.replaceAll(/\s+on\s+/g, " on ")));
      assert.deepEqual(removes, []);
      assert.deepEqual(
        adds.filter((line) => !own.has(line) && !line.startsWith("directive @")),
        [],
        "unexpected lines",
      );
    },
  },
  {
    id: "directive.api",
    title: "its uses add and remove exactly the expected lines of the API",
    async run(options) {
      const { adds, removes } = difference(prepared(options, options.plain, "with").api.sdl, prepared(options, options.schema, "with").api.sdl);
      assert.deepEqual({ adds, removes }, options.api);
    },
  },
  {
    id: "directive.refusals",
    title: "an invalid use refuses the deploy with a located message",
    async run(options) {
      for (const { schema, message, line } of options.refusals) {
        const errors = refusalOf(options, schema);
        const found = errors.find((each) => each.message.includes(message));
        assert.ok(found, `expected "${message}" of\n${schema}\nand got ${errors.map((each) => each.message).join("\n") || "a schema that is fine"}`);
        assert.equal(found.locations?.[0]?.line, line, `the line that "${message}" points at`);
      }
    },
  },
];

function prepared({ plugin, before }: DirectiveConformanceOptions, schema: string, how: "with" | "without"): PreparedDeployment {
  const stack: DirectivePlugin[] = [...(before?.() ?? [])];
  return prepareDeployment(schema, how === "with" ? [...stack, plugin()] : stack);
}

function refusalOf(options: DirectiveConformanceOptions, schema: string): readonly QuernError[] {
  try {
    prepared(options, schema, "with");
    return [];
  } catch (thrown) {
    if (!(thrown instanceof QuernError)) throw thrown;
    return thrown.errors.length > 0 ? thrown.errors : [thrown];
  }
}

/** Functions are compared by name. */
function shapeOf({ layout }: PreparedDeployment): unknown {
  return JSON.parse(JSON.stringify(layout));
}

/** The lines that one text has and the other has not, with repeats. */
function difference(before: string, after: string): { readonly adds: readonly string[]; readonly removes: readonly string[] } {
  return { adds: surplus(linesOf(after), linesOf(before)), removes: surplus(linesOf(before), linesOf(after)) };
}

function surplus(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
