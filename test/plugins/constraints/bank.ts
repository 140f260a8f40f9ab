// Transfers between accounts, each a transaction over increments, a version and a composite key, and what must be true of the store whatever has
// happened to them.

import assert from "node:assert/strict";

export const bankSchema = `
  type Account {
    name: String! @id
    balance: Int! @increment @range(min: 0)
    changes: Int @increment
    revision: Int @version
    entries: [Entry] @hasInverse(field: account) @onDelete(linked: DELETE)
  }
  type Entry @unique(fields: ["account", "number"]) { id: ID!  number: Int! @search  amount: Int!  account: Account! }
  type Ring { name: String! @id  round: Int @search  next: [Ring] @onDelete(linked: DELETE) }`;

export const accounts = ["ada", "bo", "cy", "di"];
export const opening = 100;

export const openAccounts = `mutation { addAccount(input: [${accounts.map((name) => `{ name: "${name}", balance: ${opening} }`).join(" ")}]) { numUids } }`;

export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  /** An account has one entry of each number: a second transfer of that number from or to it is refused. */
  readonly number: number;
}

/** The entries come last: their refusal undoes the increments. */
export function transferText({ from, to, amount, number }: Transfer): string {
  const add = (name: string, by: number) =>
    `updateAccount(input: { filter: { name: { eq: "${name}" } }, increment: { balance: ${by}, changes: 1 } }) { numUids }`;
  const entry = (name: string, by: number) => `{ number: ${number}, amount: ${by}, account: { name: "${name}" } }`;
  return `mutation @transaction { paid: ${add(from, -amount)} got: ${add(to, amount)} addEntry(input: [${entry(from, -amount)} ${entry(to, amount)}]) { numUids } }`;
}

export const ringSize = 5;

/** A cycle with a chord: each of its objects leads to all others. */
export function ringText(round: number): string {
  const name = (i: number) => `"${round}-${i % ringSize}"`;
  const next = (i: number) => `next: [{ name: ${name(i + 1)} } { name: ${name(i + 3)} }]`;
  return `mutation { addRing(input: [${Array.from({ length: ringSize }, (_, i) => `{ name: ${name(i)}, round: ${round}, ${next(i)} }`).join(" ")}]) { numUids } }`;
}

export function breakRingText(round: number): string {
  return `mutation { deleteRing(filter: { name: { eq: "${round}-${round % ringSize}" } }) { numUids } }`;
}

interface Account {
  readonly name: string;
  readonly balance: number;
  readonly changes: number | null;
  readonly revision: number;
  readonly entries: readonly { readonly number: number; readonly amount: number }[];
}

const everything =
  "{ queryAccount { name balance changes revision entries { number amount } } queryEntry { number account { name } } queryRing { round } }";

export interface Settled {
  /** The numbers of the transfers that took place, ascending. */
  readonly numbers: readonly number[];
  /** The rings that are there. */
  readonly rounds: ReadonlySet<number>;
}

/** Asserts what all transactions together keep. @param ask answers a query with its data */
export async function settle(ask: (query: string) => Promise<Readonly<Record<string, unknown>>>): Promise<Settled> {
  const data = await ask(everything);
  const [all, entries, rings] = [data.queryAccount as Account[], data.queryEntry as { number: number }[], data.queryRing as { round: number }[]];
  assert.equal(
    all.reduce((sum, { balance }) => sum + balance, 0),
    accounts.length * opening,
    "the sum of all balances",
  );
  for (const { name, balance, changes, revision, entries: own } of all) {
    assert.ok(balance >= 0, `${name} has ${balance}`);
    assert.equal(balance, opening + own.reduce((sum, { amount }) => sum + amount, 0), `the balance of ${name} is what its entries say`);
    assert.equal(changes ?? 0, own.length, `the changes of ${name}`);
    assert.equal(revision, 1 + own.length, `the version of ${name}`);
    assert.equal(new Set(own.map(({ number }) => number)).size, own.length, `the numbers of ${name} are unique`);
  }
  const numbers = entries.map(({ number }) => number).sort((a, b) => a - b);
  for (const [i, number] of numbers.entries()) assert.equal(number, numbers[i % 2 === 0 ? i + 1 : i - 1], `transfer ${number} has both its entries`);
  const sizes = new Map<number, number>();
  for (const { round } of rings) sizes.set(round, (sizes.get(round) ?? 0) + 1);
  for (const [round, size] of sizes) assert.equal(size, ringSize, `ring ${round} is whole`);
  return { numbers: numbers.filter((_, i) => i % 2 === 0), rounds: new Set(sizes.keys()) };
}
