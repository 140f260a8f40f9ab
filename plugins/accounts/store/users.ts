// Users as better-auth reads and writes them: an object of the schema's type, written by mutations of the system so that defaults, keys and events apply, with a
// profile beside it in a hidden type. Both change in one commit: what belongs to the profile rides along with the mutation (`riders.ts`).

import { randomBytes } from "node:crypto";
import { formatUid, type KernelAccess, parseUid, QuernError, type Snapshot, type Uid, type ValueField } from "../../../core/plugin.ts";
import { type AccountType, emailField } from "../schema/account-type.ts";
import { plainEmail } from "../schema/email.ts";
import { type Condition, satisfies, sorted } from "./conditions.ts";
import { type HiddenRows, is, type RowQuery } from "./hidden-rows.ts";
import type { Rider, Riders } from "./riders.ts";
import { type Row, readValue } from "./rows.ts";
import { columnsOf, profileTable } from "./tables.ts";

/** A sign-up that has not finished after so long was cut by a crash: the next one with its e-mail takes it up. */
const unfinishedMs = 60_000;

/** Users that are looked at in one step of a list. */
const pageSize = 1_000;

export interface UsersOptions {
  readonly kernel: KernelAccess;
  readonly rows: HiddenRows;
  readonly riders: Riders;
  /** Of the schema that is served. */
  readonly accountType: () => AccountType;
}

export class Users {
  readonly #kernel: KernelAccess;
  readonly #rows: HiddenRows;
  readonly #riders: Riders;
  readonly #accountType: () => AccountType;

  constructor({ kernel, rows, riders, accountType }: UsersOptions) {
    this.#kernel = kernel;
    this.#rows = rows;
    this.#riders = riders;
    this.#accountType = accountType;
  }

  async find({ where, sortBy, limit, offset = 0 }: RowQuery): Promise<readonly Row[]> {
    const snapshot = this.#kernel.snapshot();
    try {
      const end = limit === undefined ? Number.POSITIVE_INFINITY : offset + limit;
      const found: Row[] = [];
      for await (const rows of this.#pages(snapshot, where)) {
        found.push(...rows.filter((row) => satisfies(row, where) && !isAbandoned(row)));
        if (sortBy === undefined && found.length >= end) break;
      }
      return (sortBy ? sorted(found, sortBy) : found).slice(offset, end);
    } finally {
      snapshot.close();
    }
  }

  async *#pages(snapshot: Snapshot, where: readonly Condition[]): AsyncGenerator<readonly Row[]> {
    const chosen = this.#chosen(where);
    if (chosen !== undefined) {
      yield await this.#read(snapshot, chosen);
      return;
    }
    for (let after = 0; ; ) {
      const batch = await this.#read(snapshot, { kind: "after", uid: after }, pageSize);
      yield batch;
      if (batch.length < pageSize) return;
      after = uidOf(batch.at(-1)?.id) ?? Number.MAX_SAFE_INTEGER;
    }
  }

  /** The nodes that a condition on the key or the ID names; undefined: it names none. */
  #chosen(where: readonly Condition[]): Parameters<Snapshot["find"]>[0]["where"] {
    if (where.some(({ connector }) => connector === "OR")) return undefined;
    const named = (name: string) =>
      where.find(({ field, operator, mode }) => field === name && mode === "sensitive" && (operator === "eq" || operator === "in"));
    const [byId, byEmail] = [named("id"), named(emailField)];
    if (byId) return { kind: "uids", uids: uidsIn(byId.value) };
    if (byEmail) return { kind: "compare", field: this.#accountType().email.stored, op: "in", operands: textsIn(byEmail.value) };
    return undefined;
  }

  async #read(snapshot: Snapshot, where: NonNullable<Parameters<Snapshot["find"]>[0]["where"]>, first?: number): Promise<readonly Row[]> {
    const { type } = this.#accountType();
    const fields = [...this.#declared()];
    const batch = await snapshot.find({
      types: [type.stored],
      where,
      fields: fields.map(([, { stored }]) => stored),
      ...(first !== undefined && { page: { first } }),
    });
    const ids = batch.uids.map(formatUid);
    const profiles = await this.#profiles(snapshot, ids);
    return ids.map((id, at) => ({
      ...emptyProfile(this.#profileColumns()),
      ...profiles.get(id),
      ...Object.fromEntries(fields.map(([name, { kind }], index) => [name, readValue(kind, batch.columns[index]?.[at])])),
      id,
    }));
  }

  async #profiles(snapshot: Snapshot, ids: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    if (ids.length === 0) return new Map();
    const found = await this.#rows.findIn(snapshot, profileTable, { where: [is("id", ids, "in")] });
    return new Map(found.map(({ row }) => [String(row.id), row]));
  }

  #profileColumns(): readonly string[] {
    return Object.keys(columnsOf(this.#rows.tableOf(profileTable)));
  }

  /** The fields of the type that better-auth sees: the e-mail, what sign-ups set, and what gives claims. */
  #declared(): ReadonlyMap<string, ValueField> {
    const { email, writable, claims } = this.#accountType();
    return new Map([...writable, ...[...claims.values()].map((field) => [field.name, field] as const), [emailField, email]]);
  }

  // ---- writing --------------------------------------------------------------------------------------------------------------

  /** @throws QuernError when a user has the e-mail, or a value does not fit */
  async create(values: Row): Promise<Row> {
    const email = plainEmail(String(values[emailField]));
    const given = this.#split({ ...values, [emailField]: email });
    const profile = { createdAt: new Date(), ...given.profile, unfinishedSince: new Date() };
    const abandoned = await this.#abandoned(email);
    if (abandoned !== undefined) return await this.#takeUp(abandoned, given.visible, profile);
    const problem = await this.#add(given.visible, profile);
    if (problem !== undefined) throw new QuernError((await this.#isTaken(email)) ? "KEY_TAKEN" : "REQUEST_REFUSED", problem);
    const [made] = await this.find({ where: [is(emailField, email)] });
    if (made) return made;
    throw new QuernError("INTERNAL", "A user that was added is not there.");
  }

  /** As an administrator does, who sets any field. The e-mail is plain. */
  async add(visible: Readonly<Record<string, unknown>>, profile: Partial<Row>): Promise<Row> {
    const problem = await this.#add(visible, profile);
    if (problem !== undefined) throw new QuernError("REQUEST_REFUSED", problem);
    const [made] = await this.find({ where: [is(emailField, visible[emailField])] });
    if (made) return made;
    throw new QuernError("REQUEST_REFUSED", "The user is gone.");
  }

  /** As an administrator does, who sets any field. */
  async set(row: Row, visible: Readonly<Record<string, unknown>>, profile: Partial<Row>): Promise<Row> {
    if (Object.keys(visible).length > 0) await this.#set(row, visible, profile);
    else if (Object.keys(profile).length > 0) await this.#writeProfile(String(row.id), profile);
    const [now] = await this.find({ where: [is("id", row.id)] });
    return now ?? row;
  }

  /** In a transaction: it sees what others have written and snapshots do not show yet. */
  async #isTaken(email: string): Promise<boolean> {
    const { type, email: field } = this.#accountType();
    const where = { kind: "compare", field: field.stored, op: "eq", operands: [email] } as const;
    return await this.#rows.transact(async (tx) => (await tx.find({ types: [type.stored], where, fields: [] })).uids.length > 0);
  }

  /** What is wrong with the values of a sign-up; undefined: nothing. It is the same whether the e-mail is known or not: another one of its domain is tried. */
  async problem(values: Readonly<Record<string, unknown>>): Promise<string | undefined> {
    const { visible } = this.#split({ ...values, [emailField]: unlikeEmail(String(values[emailField])) });
    const problem = await this.#add(visible, () => {
      throw new QuernError("REQUEST_REFUSED", tried);
    });
    return problem?.endsWith(tried) ? undefined : problem;
  }

  async #add(visible: Readonly<Record<string, unknown>>, rider: Rider): Promise<string | undefined> {
    const { name } = this.#accountType().type;
    const query = `mutation ($input: [Add${name}Input!]!) { add${name}(input: $input) { numUids } }`;
    return await this.#problemOf(query, { input: [visible] }, rider);
  }

  /** What a sign-up that a crash cut has left. */
  async #abandoned(email: string): Promise<Row | undefined> {
    const snapshot = this.#kernel.snapshot();
    try {
      const { email: field } = this.#accountType();
      const [row] = await this.#read(snapshot, { kind: "compare", field: field.stored, op: "eq", operands: [email] });
      return row && isAbandoned(row) ? row : undefined;
    } finally {
      snapshot.close();
    }
  }

  /** Two that take it up at once change one profile: it is no longer abandoned for the second. */
  async #takeUp({ id }: Row, visible: Readonly<Record<string, unknown>>, profile: Partial<Row>): Promise<Row> {
    const taken = await this.#rows.update(
      profileTable,
      [is("id", id), is("unfinishedSince", new Date(Date.now() - unfinishedMs), "lt")],
      () => profile,
      "one",
    );
    if (taken.length === 0) throw new QuernError("KEY_TAKEN", "A user with this e-mail signs up already.");
    const row = await this.update([is("id", id)], visible);
    if (row) return row;
    throw new QuernError("KEY_TAKEN", "The user is gone.");
  }

  /** The user as it then is; undefined: none satisfies the condition. */
  async update(where: readonly Condition[], values: Readonly<Record<string, unknown>>): Promise<Row | undefined> {
    const [row] = await this.find({ where, limit: 1 });
    if (row === undefined) return undefined;
    const { visible: given, profile } = this.#split(values);
    const visible = Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== inputValue(name, row[name] ?? null)));
    if (Object.keys(visible).length === 0) await this.#writeProfile(String(row.id), profile);
    else await this.#set(row, visible, profile);
    const [now] = await this.find({ where: [is("id", row.id)] });
    return now;
  }

  async #set(row: Row, visible: Readonly<Record<string, unknown>>, profile: Partial<Row>): Promise<void> {
    const { name } = this.#accountType().type;
    const patch = { filter: { [emailField]: { eq: row[emailField] } }, set: present(visible), remove: absent(visible) };
    await this.#mutate(`mutation ($patch: Update${name}Input!) { update${name}(input: $patch) { numUids } }`, { patch }, profile);
  }

  async #writeProfile(id: string, values: Partial<Row>): Promise<void> {
    await this.#rows.transact(async (tx) => {
      const [found] = await this.#rows.findIn(tx, profileTable, { where: [is("id", id)] });
      if (found) await tx.write([this.#rows.set(profileTable, found.uid, values)]);
      else await this.#rows.createIn(tx, profileTable, { ...values, id });
    });
  }

  async remove(where: readonly Condition[], many: "one" | "all"): Promise<number> {
    const rows = await this.find({ where, ...(many === "one" && { limit: 1 }) });
    const { name } = this.#accountType().type;
    const query = `mutation ($in: [String!]) { delete${name}(filter: { ${emailField}: { in: $in } }) { numUids } }`;
    if (rows.length > 0) await this.#mutate(query, { in: rows.map((row) => row[emailField]) }, {});
    return rows.length;
  }

  async #mutate(query: string, variables: Readonly<Record<string, unknown>>, profile: Partial<Row>): Promise<void> {
    const problem = await this.#problemOf(query, variables, profile);
    if (problem !== undefined) throw new QuernError("REQUEST_REFUSED", problem);
  }

  async #problemOf(query: string, variables: Readonly<Record<string, unknown>>, rider: Rider): Promise<string | undefined> {
    const { errors } = await this.#riders.carry(rider, async (headers) => await this.#kernel.execute({ query, variables, headers, as: "system" }));
    return errors[0]?.message;
  }

  #split(values: Readonly<Record<string, unknown>>): { readonly visible: Readonly<Record<string, unknown>>; readonly profile: Partial<Row> } {
    const { writable } = this.#accountType();
    const columns = this.#profileColumns();
    const given = Object.entries(values).filter(([name, value]) => name !== "id" && value !== undefined);
    const isVisible = (name: string) => name === emailField || writable.has(name);
    return {
      visible: Object.fromEntries(given.filter(([name]) => isVisible(name)).map(([name, value]) => [name, inputValue(name, value)])),
      profile: Object.fromEntries(given.filter(([name]) => !isVisible(name) && columns.includes(name))) as Partial<Row>,
    };
  }
}

function inputValue(name: string, value: unknown): unknown {
  if (name === emailField) return value === null ? null : plainEmail(String(value));
  return value instanceof Date ? value.toISOString() : value;
}

/** The error of a mutation that was only tried. */
const tried = "The sign-up would succeed.";

/** An e-mail that nobody has, of the same domain and about the same length. */
function unlikeEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const letters = randomBytes(Math.min(Math.max(at, 24), 64)).map((byte) => 97 + (byte % 26));
  return `${Buffer.from(letters).toString("latin1")}${email.slice(at)}`;
}

function present(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const entries = Object.entries(values).filter(([, value]) => value !== null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function absent(values: Readonly<Record<string, unknown>>): Readonly<Record<string, null>> | undefined {
  const names = Object.keys(values).filter((name) => values[name] === null);
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, null]));
}

function emptyProfile(columns: readonly string[]): Row {
  return { ...Object.fromEntries(columns.map((column) => [column, null])), emailVerified: false, name: "" };
}

/** Its sign-up was cut, long enough ago that no server is at it. */
function isAbandoned({ unfinishedSince }: Row): boolean {
  return unfinishedSince instanceof Date && unfinishedSince.getTime() < Date.now() - unfinishedMs;
}

function textsIn(value: unknown): readonly string[] {
  return [value].flat().map((each) => plainEmail(String(each)));
}

function uidsIn(value: unknown): readonly Uid[] {
  const uids = [value].flat().flatMap((each) => uidOf(each) ?? []);
  return [...new Set(uids)].sort((a, b) => a - b);
}

/** The node of a user's ID. */
export function uidOf(id: unknown): Uid | undefined {
  return typeof id === "string" ? parseUid(id) : undefined;
}
