// What holds of users in every mutation, whoever sends it: e-mails are stored in one form, nobody gives himself claims, and what belongs to a user goes with it.

import {
  type Change,
  type ChangesContext,
  formatUid,
  type Hooks,
  type InputChanges,
  type InputObject,
  QuernError,
  type RequestView,
  sameStored,
  type Uid,
  type ValueField,
  type WrittenContext,
} from "../../core/plugin.ts";
import type { AccountType } from "./schema/account-type.ts";
import { plainEmail } from "./schema/email.ts";
import { signedIn } from "./schema/facts.ts";
import { type HiddenRows, is } from "./store/hidden-rows.ts";
import type { Riders } from "./store/riders.ts";
import { profileTable, typeName } from "./store/tables.ts";

export interface UserHooksOptions {
  readonly rows: HiddenRows;
  readonly riders: Riders;
}

/** @param accountType asked when hooks run: while `model` runs, facts are not complete */
export function userHooks(
  accountType: () => AccountType | undefined,
  { rows, riders }: UserHooksOptions,
): Required<Pick<Hooks, "operand" | "values" | "changes" | "append">> {
  let known: UserWrites | undefined;
  const writing = () => {
    const account = known === undefined ? accountType() : undefined;
    if (account) known = new UserWrites(account, rows, riders);
    return known;
  };
  return {
    operand: (field, value) => (typeof value === "string" && writing()?.isEmail(field) ? plainEmail(value) : value),
    values: (input, request) => writing()?.values(input, request),
    changes: async (context) => await writing()?.changes(context),
    append: async (context) => await writing()?.append(context),
  };
}

/** Tables with a column `userId`: their rows go with the user. */
const owned = ["session", "account", "twoFactor"];

class UserWrites {
  readonly #account: AccountType;
  readonly #rows: HiddenRows;
  readonly #riders: Riders;
  /** Fields that decide what their user may do. */
  readonly #guarded: readonly ValueField[];

  constructor(account: AccountType, rows: HiddenRows, riders: Riders) {
    this.#account = account;
    this.#rows = rows;
    this.#riders = riders;
    this.#guarded = [...new Set([account.email, ...account.claims.values()])];
  }

  isEmail({ stored }: ValueField): boolean {
    return stored === this.#account.email.stored;
  }

  values({ type, values }: InputObject, request: RequestView): InputChanges | undefined {
    if (type.stored !== this.#account.type.stored) return undefined;
    const given = values.get(this.#account.email.name);
    const email = typeof given === "string" ? plainEmail(given) : undefined;
    const claim = isUnknown(request) ? this.#guarded.find((field) => field !== this.#account.email && values.has(field.name)) : undefined;
    if (claim === undefined && (email === undefined || email === given)) return undefined;
    return {
      ...(email !== undefined && { values: new Map([[this.#account.email.name, email]]) }),
      ...(claim && { refuse: refusal(claim, "Clients that have not signed in do not set it.") }),
    };
  }

  async changes(context: ChangesContext): Promise<readonly Change[] | undefined> {
    const of = context.changes.filter((change) => (change.kind === "set" || change.kind === "remove") && change.type === this.#account.type.stored);
    if (of.length === 0) return undefined;
    await this.#assertNotOwn(of, context);
    const more = [...(await this.#profileOf(of, context)), ...(await this.#gone(of, context))];
    return more.length === 0 ? undefined : [...context.changes, ...more];
  }

  /** A user does not change what gives it its claims, and who acts as a user does not delete it. */
  async #assertNotOwn(changes: readonly Change[], { request, transaction }: ChangesContext): Promise<void> {
    const { user: own, actedBy } = signedIn(request) ?? {};
    for (const change of changes) {
      if (change.kind === "remove" && change.uid === own && actedBy !== undefined)
        throw new QuernError("REQUEST_REFUSED", "Who acts as a user does not delete it.");
      if (change.kind !== "set" || change.uid !== own) continue;
      const touched = this.#guarded.filter(({ stored }) => Object.hasOwn(change.fields, stored));
      if (touched.length === 0) continue;
      const fields = touched.map(({ stored }) => stored);
      const { columns } = await transaction.load({ uids: [change.uid], types: [change.type], fields });
      const changed = touched.find(({ stored }, at) => !sameStored(columns[at]?.[0], change.fields[stored] ?? undefined));
      if (changed) throw refusal(changed, changed === this.#account.email ? "It changes by /api/auth/change-email." : "It gives you a claim.");
    }
  }

  /** What the plugin's own update changes beside the object. */
  async #profileOf(changes: readonly Change[], { request, transaction, uids }: ChangesContext): Promise<readonly Change[]> {
    const values = this.#riders.of(request);
    const [change] = changes;
    if (values === undefined || typeof values === "function" || change?.kind !== "set" || Object.keys(values).length === 0) return [];
    const id = formatUid(change.uid);
    const [found] = await this.#rows.findIn(transaction, profileTable, { where: [is("id", id)] });
    if (found) return [this.#rows.set(profileTable, found.uid, values)];
    const [uid = 0] = await uids(1);
    return [this.#rows.creation(profileTable, uid, { ...values, id })];
  }

  /** Sessions, passwords, factors and profiles of users that are deleted. */
  async #gone(changes: readonly Change[], { transaction }: ChangesContext): Promise<readonly Change[]> {
    const ids = changes.flatMap(({ kind, ...change }) => (kind === "remove" && "uid" in change ? [formatUid(change.uid)] : []));
    if (ids.length === 0) return [];
    const removals: Change[] = [];
    for (const [table, column] of [...owned.map((table) => [table, "userId"] as const), [profileTable, "id"] as const]) {
      const found = await this.#rows.findIn(transaction, table, { where: [is(column, ids, "in")] });
      removals.push(...found.map(({ uid }) => ({ kind: "remove" as const, uid, type: typeName(table) })));
    }
    return removals;
  }

  /** The profile of a user that the plugin adds. */
  async append({ request, mutation, roots, uids }: WrittenContext) {
    const values = this.#riders.of(request);
    const [root] = roots;
    if (values === undefined || mutation.kind !== "add" || root === undefined) return undefined;
    if (typeof values === "function") return values();
    const [uid = 0]: readonly Uid[] = await uids(1);
    return [this.#rows.creation(profileTable, uid, { ...values, id: formatUid(root.uid) })];
  }
}

/** A client without claims: neither a session nor a token says who it is. */
function isUnknown(request: RequestView): boolean {
  return signedIn(request) === null && request.facts.claims === undefined;
}

function refusal({ name, owner }: ValueField, why: string): QuernError {
  return new QuernError("REQUEST_REFUSED", `${name} of ${owner.name} decides what its user may do. ${why}`);
}
