// Random groups and rules, random users, random operations: what is seen and done is what a look at each object by its rules allows.

import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { examples, testSeed } from "../../support/properties.ts";
import { token as claimsToken, line } from "../auth/token.ts";
import { type AclServer, aclServer, secret } from "./server.ts";

const schemaWith = (rules: string) => `
  type Boat ${rules} { name: String @search(by: [exact])  seats: Int @search  tons: Int @search @dgraph(pred: "weight")  port: Port }
  type Port { code: String @search(by: [exact])  depth: Int @search  boats: [Boat] @hasInverse(field: port) }
`;
/** A caller sees and changes boats of so many tons. The rule looks at the tons whether the caller may or not. */
const heavy = '"query($N: Int!) { queryBoat(filter: { tons: { ge: $N } }) { __typename } }"';
const isHeavy = ({ tons }: Boat, claimed: number | undefined) => claimed === undefined || (tons !== null && Number(tons) >= claimed);

type Value = string | number | null;
interface Boat {
  readonly id: string;
  name: Value;
  seats: Value;
  tons: Value;
  readonly port: Port | null;
}
interface Port {
  readonly id: string;
  readonly code: Value;
  readonly depth: Value;
}

const boatFields = ["name", "seats", "tons"] as const;
type BoatField = (typeof boatFields)[number];
const predicates: Readonly<Record<BoatField | "port" | "code" | "depth" | "boats", string>> = {
  name: "Boat.name",
  seats: "Boat.seats",
  tons: "weight",
  port: "Boat.port",
  code: "Port.code",
  depth: "Port.depth",
  boats: "Port.boats",
};
const typeOf = (field: keyof typeof predicates) => (field === "code" || field === "depth" || field === "boats" ? "Port" : "Boat");
const groupNames = ["g0", "g1", "g2", "g3"];
const ruleNames = [...Object.values(predicates), "dgraph.all", "service.all", "Boat", "Port", "dgraph.type", "No.such"];

type Rules = Map<string, Map<string, number>>;
type Random = (below: number) => number;

/** The naive evaluator: each rule of each group of the user, one after the other. */
class Rights {
  readonly #rules: Rules;
  readonly #groups: readonly string[];

  constructor(rules: Rules, groups: readonly string[]) {
    this.#rules = rules;
    this.#groups = groups;
  }

  #may(bit: number, names: readonly string[]): boolean {
    return this.#groups.some((group) =>
      [...(this.#rules.get(group) ?? [])].some(([name, permission]) => names.includes(name) && (permission & bit) > 0),
    );
  }

  reads(field: keyof typeof predicates): boolean {
    return this.#may(4, [predicates[field], typeOf(field), "dgraph.all", "service.all"]);
  }

  writes(field: keyof typeof predicates): boolean {
    return this.#may(2, [predicates[field], typeOf(field), "dgraph.all", "service.all"]);
  }

  makes(type: "Boat" | "Port"): boolean {
    return this.#may(2, ["dgraph.type", type, "dgraph.all", "service.all"]);
  }
}

type Filter = { readonly [member: string]: unknown };
type Truth = boolean | undefined;

function randomFilter(random: Random, depth = 2): Filter {
  const field = boatFields[random(3)] ?? "name";
  if (depth > 0 && random(3) === 0) return { [["and", "or"][random(2)] ?? "or"]: randomFilter(random, depth - 1), ...leaf(field, random) };
  if (depth > 0 && random(4) === 0) return { not: randomFilter(random, depth - 1) };
  return leaf(field, random);
}

function leaf(field: BoatField, random: Random): Filter {
  if (random(3) === 0) return { has: field };
  return field === "name" ? { name: { eq: `b${random(4)}` } } : { [field]: { ge: random(5) } };
}

/** Undefined: nothing of it may be asked. */
function truth(filter: Filter, boat: Boat, rights: Rights): Truth {
  const must: boolean[] = [];
  let may: Truth;
  for (const [member, operand] of Object.entries(filter)) {
    if (member === "or") may = truth(operand as Filter, boat, rights);
    else must.push(...[memberTruth(member, operand, boat, rights)].filter((each) => each !== undefined));
  }
  if (must.length === 0) return may;
  return must.every(Boolean) || may === true;
}

function memberTruth(member: string, operand: unknown, boat: Boat, rights: Rights): Truth {
  if (member === "and") return truth(operand as Filter, boat, rights);
  if (member === "not") {
    const inner = truth(operand as Filter, boat, rights);
    return inner === undefined ? undefined : !inner;
  }
  const field = (member === "has" ? operand : member) as BoatField;
  if (!rights.reads(field)) return undefined;
  const value = boat[field];
  if (member === "has") return value !== null;
  const { eq, ge } = operand as { readonly eq?: string; readonly ge?: number };
  return value !== null && (eq !== undefined ? value === eq : Number(value) >= Number(ge));
}

function namesUnreadable(filter: Filter, rights: Rights): boolean {
  return Object.entries(filter).some(([member, operand]) =>
    member === "and" || member === "or" || member === "not"
      ? namesUnreadable(operand as Filter, rights)
      : !rights.reads((member === "has" ? operand : member) as BoatField),
  );
}

const text = (filter: Filter): string =>
  `{ ${Object.entries(filter)
    .map(
      ([member, operand]) =>
        `${member}: ${member === "has" ? operand : typeof operand === "object" ? text(operand as Filter) : JSON.stringify(operand)}`,
    )
    .join(", ")} }`;

let server: AclServer;
let groot: string;
beforeAll(async () => {
  server = await aclServer();
  groot = await server.token("groot");
  await server.admin(`mutation { addGroup(input: [${groupNames.map((name) => `{ name: "${name}" }`).join(", ")}]) { group { name } } }`, groot);
});
afterAll(() => server?.remove());

async function deploy(schema: string): Promise<void> {
  const { errors } = await server.admin(
    `mutation { updateGQLSchema(input: { set: { schema: ${JSON.stringify(schema)} } }) { gqlSchema { id } } }`,
    groot,
  );
  expect(errors).toBeUndefined();
}

/** Who asks: with the rights of an access token, and with a claim where the schema has rules. */
interface Caller {
  readonly rights: Rights;
  readonly token: string;
  readonly claimed: number | undefined;
}

function asked({ token, claimed }: Caller, query: string) {
  return server.graphql(query, token, claimed === undefined ? {} : { "x-harbour": claimsToken({ N: claimed }) });
}

async function tokenOf(groups: readonly string[]): Promise<string> {
  const claims = { userid: "somebody", groups: [...groups], namespace: 0 };
  return await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setExpirationTime("1h").sign(Buffer.from(secret));
}

async function furnish(random: Random): Promise<readonly Boat[]> {
  const headers = { host: "localhost", "x-service-accesstoken": groot };
  await server.kernel.http({ method: "POST", url: "/alter", headers, body: Buffer.from('{"drop_op": "DATA"}'), remoteAddress: "127.0.0.1" });
  const maybe = (value: string | number) => (random(4) === 0 ? null : value);
  const ports = Array.from({ length: 3 }, (_, i) => ({ code: maybe(`p${i}`), depth: maybe(random(9)) }));
  const boats: Boat[] = [];
  for (const { code, depth } of ports) {
    const { data } = await server.graphql(
      `mutation { addPort(input: [{ code: ${JSON.stringify(code)}, depth: ${depth} }]) { port { id: __typename } } }`,
      groot,
    );
    expect(data.addPort.port).toHaveLength(1);
  }
  const input = Array.from({ length: 8 }, (_, i) => ({ name: maybe(`b${i % 4}`), seats: maybe(random(5)), tons: maybe(random(5)) }));
  const each = input.map(({ name, seats, tons }) => `{ name: ${JSON.stringify(name)}, seats: ${seats}, tons: ${tons} }`);
  await server.graphql(`mutation { addBoat(input: [${each.join(", ")}]) { numUids } }`, groot);
  for (const [i, values] of input.entries()) boats.push({ id: String(i), ...values, port: null });
  return boats;
}

async function changeRules(rules: Rules, random: Random): Promise<void> {
  const group = groupNames[random(groupNames.length)] ?? "g0";
  const own = rules.get(group) ?? new Map<string, number>();
  rules.set(group, own);
  const name = ruleNames[random(ruleNames.length)] ?? "";
  const isRemoved = own.has(name) && random(2) === 0;
  const permission = random(8);
  if (isRemoved) own.delete(name);
  else own.set(name, permission);
  const patch = isRemoved ? `remove: { rules: ["${name}"] }` : `set: { rules: [{ predicate: "${name}", permission: ${permission} }] }`;
  const { errors } = await server.admin(
    `mutation { updateGroup(input: { filter: { name: { eq: "${group}" } }, ${patch} }) { group { name } } }`,
    groot,
  );
  expect(errors).toBeUndefined();
}

async function look(boats: readonly Boat[], caller: Caller, random: Random): Promise<void> {
  const { rights } = caller;
  const filter = randomFilter(random);
  const field = boatFields[random(3)] ?? "name";
  const isDescending = random(2) === 0;
  const query = `{
    queryBoat(filter: ${text(filter)}, order: { ${isDescending ? "desc" : "asc"}: ${field} }) { name seats tons port { code } }
    aggregateBoat(filter: ${text(filter)}) { count seatsMax tonsSum }
  }`;
  const matching = boats.filter((boat) => truth(filter, boat, rights) ?? true);
  const ordered = rights.reads(field) ? [...matching].sort(by(field, isDescending)) : matching;
  const values = (name: BoatField) => (rights.reads(name) ? matching.flatMap((boat) => (boat[name] === null ? [] : Number(boat[name]))) : []);
  const [seats, tons] = [values("seats"), values("tons")];
  const { data, errors } = await asked(caller, query);
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    queryBoat: ordered.map((boat) => ({
      ...Object.fromEntries(boatFields.map((name) => [name, rights.reads(name) ? boat[name] : null])),
      port: null,
    })),
    aggregateBoat: {
      count: matching.length,
      seatsMax: seats.length === 0 ? null : Math.max(...seats),
      tonsSum: tons.length === 0 ? null : tons.reduce((a, b) => a + b, 0),
    },
  });
}

function by(field: BoatField, isDescending: boolean) {
  return (a: Boat, b: Boat): number => {
    const [x, y] = [a[field], b[field]];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return x === y ? 0 : x < y === isDescending ? 1 : -1;
  };
}

async function update(boats: readonly Boat[], caller: Caller, random: Random): Promise<void> {
  const { rights } = caller;
  const filter = randomFilter(random);
  const set = boatFields.filter(() => random(2) === 0).map((field) => [field, field === "name" ? `b${random(4)}` : random(5)] as const);
  if (set.length === 0) return;
  const patch = set.map(([field, value]) => `${field}: ${JSON.stringify(value)}`).join(", ");
  const { data, errors = [] } = await asked(caller, `mutation { updateBoat(input: { filter: ${text(filter)}, set: { ${patch} } }) { numUids } }`);
  if (!set.every(([field]) => rights.writes(field))) {
    expect(errors[0]?.message).toContain("unauthorized to mutate following predicates");
    return;
  }
  const changed = namesUnreadable(filter, rights) ? [] : boats.filter((boat) => truth(filter, boat, rights) ?? true);
  expect([data, errors]).toEqual([{ updateBoat: { numUids: changed.length } }, []]);
  for (const boat of changed) for (const [field, value] of set) boat[field] = value;
}

async function add(caller: Caller): Promise<void> {
  const { rights } = caller;
  const { errors = [] } = await asked(caller, 'mutation { addBoat(input: [{ name: "new", port: { code: "new" } }]) { numUids } }');
  const isAllowed =
    rights.makes("Boat") && rights.makes("Port") && (["name", "port", "code", "boats"] as const).every((field) => rights.writes(field));
  expect(errors.length === 0).toBe(isAllowed);
  if (isAllowed) await server.graphql('mutation { deleteBoat(filter: { name: { eq: "new" } }) { numUids } }', groot);
}

async function remove(caller: Caller): Promise<void> {
  const { rights } = caller;
  const { errors = [] } = await asked(caller, 'mutation { deletePort(filter: { code: { eq: "none" } }) { numUids } }');
  const isAllowed = rights.makes("Port") && (["code", "depth", "boats", "port"] as const).every((field) => rights.writes(field));
  expect(errors.length === 0).toBe(isAllowed);
}

describe.each([
  ["random rights", "", () => undefined],
  ["random rights beside rules of @auth", `@auth(query: { rule: ${heavy} }, update: { rule: ${heavy} })`, (random: Random) => random(5)],
] as const)("%s", (_, rules, claim) => {
  beforeAll(() => deploy(rules === "" ? schemaWith("") : `${schemaWith(rules)}\n${line}`));
  const runs = examples(20);
  for (let seed = testSeed; seed < testSeed + runs; seed++) {
    it(`show and change what they allow, seed ${seed}`, async () => {
      let state = seed * 0x9e3779b9;
      const random: Random = (below) => {
        state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
        return ((state ^ (state >>> 13)) >>> 0) % below;
      };
      const boats = await furnish(random);
      const rules: Rules = await currentRules();
      for (let i = 0; i < 25; i++) {
        await changeRules(rules, random);
        const groups = groupNames.filter(() => random(2) === 0);
        const [rights, token] = [new Rights(rules, groups), await tokenOf([...groups, "ghosts"])];
        const caller: Caller = { rights, token, claimed: claim(random) };
        const visible = boats.filter((boat) => isHeavy(boat, caller.claimed));
        await look(visible, caller, random);
        await update(visible, caller, random);
        if (i % 5 === 0) await add(caller);
        if (i % 5 === 1) await remove(caller);
      }
    });
  }
});

/** Rules stay from seed to seed. */
async function currentRules(): Promise<Rules> {
  const { data } = await server.admin("{ queryGroup { name rules { predicate permission } } }", groot);
  type Listed = { readonly name: string; readonly rules: readonly { readonly predicate: string; readonly permission: number }[] };
  return new Map(
    (data.queryGroup as readonly Listed[]).map(({ name, rules }) => [name, new Map(rules.map((rule) => [rule.predicate, rule.permission]))]),
  );
}
