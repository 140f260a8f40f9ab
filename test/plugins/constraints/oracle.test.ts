// What constraints and transactions promise together, against plain bookkeeping: many writers at the same time, and random graphs of cascades.

import { describe, expect, it } from "vitest";
import fc from "../../support/properties.ts";
import { storageName } from "../../support/storage.ts";
import { deploy } from "../auth/harness.ts";
import { accounts, bankSchema, breakRingText, openAccounts, opening, ringText, settle, transferText } from "./bank.ts";

// On MongoDB each lost race is a round trip or more, and a transaction that has lost for long enough is refused as a whole.
const transfers = storageName === "level" ? 1_000 : 60;

describe("many transactions at the same time", () => {
  it(`keep sums, versions, composite keys and rings through ${transfers} transfers, of which some are refused`, async () => {
    const { ask } = await deploy(bankSchema, {}, { limits: { maxConcurrentRequests: 3_000, maxQueuedWrites: 3_000, maxTimeMs: 250_000 } });
    expect((await ask(openAccounts)).errors).toBeUndefined();
    const name = (n: number) => accounts[n % accounts.length] ?? "";
    const outcomes = await Promise.all(
      Array.from({ length: transfers }, async (_, i) => {
        if (i % 25 === 0) {
          await ask(ringText(i));
          if (i % 50 === 0) expect((await ask(breakRingText(i))).errors).toBeUndefined();
        }
        // Every number is used twice: at most one of the two transfers between the same accounts takes place.
        const number = Math.floor(i / 2);
        const { errors } = await ask(transferText({ from: name(number), to: name(number + 1 + (number % 3)), amount: 1 + (i % 60), number }));
        return { number, refusal: errors?.[0]?.message };
      }),
    );
    const done = outcomes.filter(({ refusal }) => refusal === undefined);
    for (const { refusal = "" } of outcomes) expect(refusal).toMatch(/^$|must be unique together|@range|Please retry$/);
    const settled = await settle(async (query) => (await ask(query)).data as Record<string, unknown>);
    expect(settled.numbers).toEqual(done.map(({ number }) => number).sort((a, b) => a - b));
    expect(done.length).toBeGreaterThan(transfers / 10);
    expect([...settled.rounds].sort((a, b) => a - b)).toEqual(
      Array.from({ length: transfers }, (_, i) => i).filter((i) => i % 25 === 0 && i % 50 !== 0),
    );
    const gone = await ask(`mutation { deleteAccount(filter: {}) { numUids } }`);
    expect(gone).toEqual({ data: { deleteAccount: { numUids: accounts.length } } });
    expect(await ask("{ aggregateEntry { count } }")).toEqual({ data: { aggregateEntry: { count: 0 } } });
    expect(opening).toBeGreaterThan(0);
  });
});

const actions = ["UNLINK", "DELETE", "RESTRICT"] as const;

describe("@onDelete over random graphs", () => {
  it("deletes what the rules lead to, and nothing where a rule forbids it", async () => {
    const node = fc.record({ soft: fc.array(fc.nat(7)), hard: fc.array(fc.nat(7)), one: fc.option(fc.nat(7)) });
    const world = fc.record({
      rules: fc.tuple(fc.constantFrom(...actions), fc.constantFrom(...actions), fc.constantFrom(...actions)),
      nodes: fc.array(node, { minLength: 1, maxLength: 8 }),
      chosen: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 3 }),
    });
    for (const { rules, nodes, chosen } of fc.sample(world, { numRuns: storageName === "level" ? 30 : 8, seed: 5 })) {
      const [soft, hard, one] = rules;
      const { ask, stack } = await deploy(`type Thing {
        no: Int! @id
        soft: [Thing] @onDelete(linked: ${soft})  hard: [Thing] @onDelete(linked: ${hard})  one: Thing @onDelete(linked: ${one}) }`);
      const count = nodes.length;
      const links = nodes.map((each) => ({
        soft: new Set(each.soft.map((n) => n % count)),
        hard: new Set(each.hard.map((n) => n % count)),
        one: new Set(each.one === null ? [] : [each.one % count]),
      }));
      const refs = (numbers: Iterable<number>) => [...numbers].map((no) => `{ no: ${no} }`).join(" ");
      await ask(`mutation { addThing(input: [${links.map((_, no) => `{ no: ${no} }`).join(" ")}]) { numUids } }`);
      for (const [no, each] of links.entries()) {
        const first = [...each.one].map((n) => `one: { no: ${n} }`).join("");
        const set = `soft: [${refs(each.soft)}] hard: [${refs(each.hard)}] ${first}`;
        expect((await ask(`mutation { updateThing(input: { filter: { no: { eq: ${no} } }, set: { ${set} } }) { numUids } }`)).errors).toBeUndefined();
      }
      const roots = [...new Set(chosen.map((n) => n % count))];
      const { left, refused } = expected(links, { soft, hard, one }, roots);
      const { data, errors } = await ask(`mutation { deleteThing(filter: { no: { in: [${roots.join(", ")}] } }) { numUids } }`);
      const what = JSON.stringify({
        rules,
        links: links.map((each) => Object.fromEntries(Object.entries(each).map(([k, v]) => [k, [...v]]))),
        roots,
      });
      expect([data, errors === undefined], what).toEqual(
        refused ? [{ deleteThing: null }, false] : [{ deleteThing: { numUids: roots.length } }, true],
      );
      const after = await ask("{ queryThing(order: { asc: no }) { no soft { no } hard { no } one { no } } }");
      const shown = (numbers: ReadonlySet<number>) =>
        [...numbers]
          .filter((n) => left.has(n))
          .sort((a, b) => a - b)
          .map((no) => ({ no }));
      expect(after.data, what).toEqual({
        queryThing: links.flatMap((each, no) =>
          left.has(no) ? [{ no, soft: shown(each.soft), hard: shown(each.hard), one: shown(each.one)[0] ?? null }] : [],
        ),
      });
      await stack.remove();
    }
  });
});

type Links = Readonly<Record<"soft" | "hard" | "one", ReadonlySet<number>>>;

/** By a plain walk: what DELETE leads to goes; what RESTRICT names must be among it. */
function expected(links: readonly Links[], rules: Readonly<Record<keyof Links, (typeof actions)[number]>>, roots: readonly number[]) {
  const gone = new Set(roots);
  const along = (no: number, action: (typeof actions)[number]) =>
    (["soft", "hard", "one"] as const).filter((name) => rules[name] === action).flatMap((name) => [...(links[no]?.[name] ?? [])]);
  for (const no of gone) for (const next of along(no, "DELETE")) gone.add(next);
  const refused = [...gone].some((no) => along(no, "RESTRICT").some((held) => !gone.has(held)));
  const all = links.map((_, no) => no);
  return { refused, left: new Set(refused ? all : all.filter((no) => !gone.has(no))) };
}
