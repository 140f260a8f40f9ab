// The directive kit finds what authors get wrong, and says what it was.

import { describe, expect, it } from "vitest";
import type { DirectivePlugin, Hooks, ModelContext } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";
import { memoryStorage } from "../../../examples/memory-store/memory-store.ts";
import { directiveConformance } from "../../conformance/index.ts";

async function failuresOf(hooks: (context: ModelContext) => Hooks, storage: () => Storage = memoryStorage): Promise<readonly string[]> {
  const plugin = (): DirectivePlugin => ({
    name: "loud",
    definitions: "directive @loud on FIELD_DEFINITION",
    model: (context) => (context.uses("loud").length === 0 ? undefined : hooks(context)),
  });
  const checks: { name: string; run: () => Promise<void> }[] = [];
  directiveConformance({
    test: (name, run) => void checks.push({ name, run }),
    plugin,
    storages: { memory: async () => storage() },
    schema: "type Cry {\n  text: String\n  loud: String @loud\n}",
    plain: "type Cry {\n  text: String\n  loud: String\n}",
    api: { adds: ["loud: String @loud"], removes: ["loud: String"] },
    refusals: [],
    steps: [
      { ask: 'mutation { addCry(input: [{ text: "a" }, { text: "b" }]) { numUids } }', answer: { addCry: { numUids: 2 } } },
      { ask: "{ queryCry { loud } }", answer: { queryCry: [{ loud: null }, { loud: null }] } },
    ],
    live: "queryCry { text }",
  });
  const failures: string[] = [];
  for (const { name, run } of checks) {
    await run().catch((thrown: Error) => failures.push(`${name.split(" ")[0]}: ${thrown.message}`));
  }
  return failures;
}

/** Once the work of a transaction has failed, it takes no more writes. */
function closedByErrors(): Storage {
  const storage = memoryStorage();
  let isBroken = false;
  const transact: Storage["transact"] = async (work, options) => {
    if (isBroken) throw new Error("the writer is still held");
    return await storage.transact(async (transaction) => {
      try {
        return await work(transaction);
      } catch (thrown) {
        isBroken = true;
        throw thrown;
      }
    }, options);
  };
  return new Proxy(storage, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === "transact") return transact;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

describe("the directive kit", () => {
  it("passes a plugin that satisfies the contract", async () => {
    expect(await failuresOf(() => ({ check: () => undefined }))).toEqual([]);
  });

  it("detects a misspelt hook", async () => {
    const failures = await failuresOf(() => ({ chekc: () => undefined }) as Hooks);
    expect(failures.find((each) => each.startsWith("directive.contract"))).toContain('it returns "chekc", which is no hook; did you mean "check"?');
  });

  it("detects too few results, and shows the log", async () => {
    const failures = await failuresOf(({ model, record }) => {
      const field = model.nodeTypes.get("Cry")?.fields.get("loud");
      if (!field) return {};
      record.computed(field);
      return { api: () => ({ computed: [{ field, needs: [], compute: () => [null] }] }) };
    });
    expect(failures.find((each) => each.startsWith("directive.behaviour"))).toContain(
      'The log says:\nPlugin "loud", hook compute of Cry.loud: it must return one result for each of 2 parents, and returns 1 results.',
    );
  });

  it("detects that a write fails after a hook has thrown in a transaction", async () => {
    const failures = await failuresOf(() => ({ check: () => undefined }), closedByErrors);
    expect(failures.find((each) => each.startsWith("directive.faults.requests"))).toContain("a write succeeds after check hangs; its answer is");
    expect(failures.filter((each) => each.startsWith("directive.behaviour"))).toEqual([]);
  });

  it("puts a fault into each hook that may return a promise, and into the members that have one", async () => {
    const everywhere = ({ model, record }: ModelContext): Hooks => {
      const type = model.nodeTypes.get("Cry");
      const field = type?.fields.get("loud");
      const text = type?.fields.get("text");
      if (!type || !field || text?.role !== "value") return {};
      record.computed(field);
      return {
        open: () => undefined,
        survey: () => [],
        request: () => ({}),
        permissions: () => undefined,
        narrow: () => undefined,
        masks: [{ field: text, shows: "null", visible: () => undefined }],
        values: () => undefined,
        changes: () => undefined,
        check: () => undefined,
        append: () => undefined,
        commit: () => undefined,
        close: () => undefined,
        background: [{ name: "idle", runs: "everywhere", run: () => undefined }],
        api: () => ({ computed: [{ field, needs: [], compute: (parents) => parents.map(() => null) }] }),
      };
    };
    expect((await failuresOf(everywhere)).filter((each) => each.startsWith("directive.faults"))).toEqual([]);
  }, 60_000);

  it("detects a value of the wrong kind", async () => {
    const failures = await failuresOf(() => ({ values: () => ({ whenCreated: new Map([["loud", 5]]) }) }));
    expect(failures.find((each) => each.startsWith("directive.behaviour"))).toContain(
      "hook values: whenCreated gives Cry.loud 5, which is no String.",
    );
  });

  it.each<[string, (context: ModelContext) => Hooks, string]>([
    [
      "values",
      () => ({ values: ({ values }) => void (values as Map<string, unknown>).set("loud", "LOUD") }),
      'Plugin "loud", hook values: The values of an input object (return { values: new Map([...]) } instead) cannot be changed',
    ],
    [
      "check",
      () => ({ check: ({ mutation }) => void Object.assign(mutation.arguments, { input: [] }) }),
      "Plugin \"loud\", hook check: Cannot assign to read only property 'input' of object",
    ],
    [
      "compute of Cry.loud",
      ({ model, record }) => {
        const field = model.nodeTypes.get("Cry")?.fields.get("loud");
        if (!field) return {};
        record.computed(field);
        return { api: () => ({ computed: [{ field, needs: [], compute: (parents) => (parents as unknown[]).splice(0).map(() => null) }] }) };
      },
      'Plugin "loud", hook compute of Cry.loud: Cannot delete property',
    ],
    [
      "model",
      ({ model }) => {
        const field = model.nodeTypes.get("Cry")?.fields.get("text");
        Object.assign(field ?? {}, { exposure: { ...field?.exposure, has: false } });
        return {};
      },
      'Plugin "loud", hook model: it changes the model itself; facts are recorded with record.',
    ],
  ])("detects that the hook %s changes its arguments", async (_, hooks, problem) => {
    const failures = await failuresOf(hooks);
    expect(failures.find((each) => each.startsWith("directive.arguments"))).toContain(problem);
  });
});
