// From a request's cookie or bearer token to the claims of its user. What was found is kept until the session or the user changes.

import { LRUCache } from "lru-cache";
import {
  andThen,
  type ChangedNode,
  type ChangeRecord,
  type Gap,
  type Json,
  type KernelAccess,
  type MaybePromise,
  type RequestView,
  type Stored,
  type Uid,
  type ValueField,
} from "../../core/plugin.ts";
import type { AccountType } from "./schema/account-type.ts";
import { accountFact, type SignedIn, signedIn } from "./schema/facts.ts";
import { type HiddenRows, is } from "./store/hidden-rows.ts";
import { profileTable, typeName } from "./store/tables.ts";
import { uidOf } from "./store/users.ts";
import { type Credential, credentialOf } from "./web/credential.ts";

type Facts = Readonly<Record<string, Json>>;

/** A session that better-auth has found, its signature verified. */
export interface FoundSession {
  readonly id: string;
  readonly userId: string;
  readonly expiresAt: Date;
}

export interface SessionsOptions {
  readonly kernel: KernelAccess;
  readonly rows: HiddenRows;
  /** Asks better-auth. */
  readonly find: (credential: Credential) => Promise<FoundSession | undefined>;
  readonly accountType: () => AccountType | undefined;
  readonly cookies: readonly string[];
  readonly trustedOrigins: readonly string[];
}

interface Known {
  readonly who: SignedIn;
  readonly facts: Facts;
}

const maxKnown = 10_000;

/** A client that has not signed in. The same object for all: facts are compared. */
const unknown: Facts = Object.freeze(accountFact(null));

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #known = new LRUCache<string, Known>({ max: maxKnown });
  /** Rises when what is being read may be outdated. */
  #era = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** The store is open: commits of other servers end sessions too. */
  opened(): void {
    this.#forget(() => true);
    this.#options.kernel.changes((event) => this.changed(event));
  }

  /** The facts of a request's caller. */
  identify(request: RequestView): MaybePromise<Facts> {
    if (request.facts.claimsGiven !== undefined) return {};
    return this.#factsOf(request);
  }

  /** The administrator who acts in the session that these headers name; undefined: none does. */
  actorOf(headers: RequestView["headers"]): MaybePromise<string | undefined> {
    return andThen(this.#factsOf({ headers }), (facts) => signedIn({ facts })?.actedBy);
  }

  #factsOf({ headers }: Pick<RequestView, "headers">): MaybePromise<Facts> {
    const { cookies, trustedOrigins, kernel } = this.#options;
    const listed = [...trustedOrigins, ...(kernel.served?.settings.allowedOrigins ?? [])];
    const credential = credentialOf(headers, { cookies, listed });
    return credential === undefined ? unknown : this.#of(credential);
  }

  #of(credential: Credential): MaybePromise<Facts> {
    const known = this.#known.get(credential.header);
    if (known !== undefined) return known.who.ends > Date.now() ? known.facts : unknown;
    return andThen(this.#read(credential), (read) => read ?? unknown);
  }

  async #read(credential: Credential): Promise<Facts | undefined> {
    const era = this.#era;
    const session = await this.#options.find(credential);
    const known = session && (await this.#describe(session, credential));
    if (known === undefined) return undefined;
    if (era === this.#era) this.#known.set(credential.header, known);
    return known.facts;
  }

  async #describe({ id, userId, expiresAt }: FoundSession, { by }: Credential): Promise<Known | undefined> {
    const account = this.#options.accountType();
    const user = uidOf(userId);
    if (account === undefined || user === undefined) return undefined;
    const snapshot = this.#options.kernel.snapshot();
    try {
      const claimed = [...account.claims];
      const [[session], [profile], batch] = await Promise.all([
        this.#options.rows.findIn(snapshot, "session", { where: [is("id", id)] }),
        this.#options.rows.findIn(snapshot, profileTable, { where: [is("id", userId)] }),
        snapshot.load({ uids: [user], types: [account.type.stored], fields: claimed.map(([, { stored }]) => stored) }),
      ]);
      if (session === undefined || batch.uids.length === 0 || profile?.row.disabled === true) return undefined;
      const { actedBy } = session.row;
      const who = { session: session.uid, user, ends: expiresAt.getTime(), ...(typeof actedBy === "string" && { actedBy }) };
      const claims = claimsOf(
        claimed,
        batch.columns.map(([value]) => value),
      );
      return { who, facts: { ...accountFact(who), claims, ...(by === "authorization" && { claimsHeader: by }) } };
    } finally {
      snapshot.close();
    }
  }

  // ---- what ends --------------------------------------------------------------------------------------------------------------

  /** Rows are gone, or no longer what they were. */
  readonly removed = (table: string, uids: readonly Uid[]): void => {
    if (table === "session" && uids.length > 0) this.#end(({ session }) => uids.includes(session));
  };

  erased(): void {
    this.#end(() => true);
  }

  changed(event: ChangeRecord | Gap): void {
    if (event.kind === "detailed") this.#changedNodes(event.nodes);
    else if (event.kind === "gap" || event.types.some((each) => this.#concerns(each))) this.#end(() => true);
  }

  #changedNodes(nodes: readonly ChangedNode[]): void {
    const outdated = nodes.filter((node) => node.what !== "created" && this.#concerns(node.type));
    if (outdated.length === 0) return;
    const ended = new Set(outdated.filter((node) => this.#changesCaller(node)).map(({ uid }) => uid));
    const renewed = new Set(outdated.map(({ uid }) => uid));
    this.#forget(({ session }) => renewed.has(session));
    if (ended.size > 0) this.#end(({ session, user }) => ended.has(session) || ended.has(user));
  }

  #concerns(type: string): boolean {
    return type === typeName("session") || type === this.#options.accountType()?.type.stored;
  }

  /** A session that is renewed has the same caller. */
  #changesCaller({ what, type, fields }: ChangedNode): boolean {
    if (what === "removed") return true;
    const account = this.#options.accountType();
    return type === account?.type.stored && [...account.claims.values()].some(({ stored }) => fields.includes(stored));
  }

  #forget(which: (who: SignedIn) => boolean): void {
    this.#era++;
    for (const [key, { who }] of this.#known.entries()) if (which(who)) this.#known.delete(key);
  }

  /** Their callers are identified again, at once. */
  #end(which: (who: SignedIn) => boolean): void {
    this.#forget(which);
    this.#options.kernel.recheckCallers((request) => {
      const who = signedIn(request);
      return who !== null && who !== undefined && which(who);
    });
  }
}

/** A field without a value gives no claim. */
function claimsOf(claimed: readonly (readonly [string, ValueField])[], values: readonly (Stored | undefined)[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(claimed.flatMap(([claim], at) => (values[at] === undefined ? [] : [[claim, jsonOf(values[at])]])));
}

function jsonOf(stored: Stored): Json {
  if (Array.isArray(stored)) return stored.map(jsonOf);
  if (typeof stored === "string" || typeof stored === "number" || typeof stored === "boolean") return stored;
  return String(stored);
}
