// Tells plugins what administrators have done.

import type { AdminDeed, HttpRequest, ServerAccess } from "../../../core/plugin.ts";

/** Hears of deeds. It never rejects. */
export type DeedListener = (deed: AdminDeed) => Promise<void>;

/** Who did it, and from where. */
export type Doer = Pick<AdminDeed, "who" | "from">;

export type Deed = Pick<AdminDeed, "action" | "what" | "outcome">;

type Request = Omit<HttpRequest, "body">;

export interface DeedsOptions {
  readonly listeners: readonly DeedListener[];
  readonly access: ServerAccess | undefined;
  /** The name of the API key; undefined: it has none. */
  readonly keyOf: (request: Request) => string | undefined;
  readonly hasSecret: (request: Request) => boolean;
  readonly addressOf: (request: Request) => string | undefined;
}

const nobody = "nobody";
const seldomMs = 60_000;
const maxSeldom = 100;

export class Deeds {
  readonly #options: DeedsOptions;
  readonly #notedAt = new Map<string, number>();

  constructor(options: DeedsOptions) {
    this.#options = options;
  }

  /** Whether anybody hears of them. */
  get areHeard(): boolean {
    return this.#options.listeners.length > 0;
  }

  async note(request: Request, deed: Deed): Promise<void> {
    if (!this.areHeard || deed.action === "login") return;
    const doer = await this.doerOf(request);
    // Under access control a field refuses those who are nobody by itself: they could fill the records.
    if (doer.who !== nobody || this.#options.access === undefined) await this.tell(doer, deed);
  }

  /** At most once a minute for the same: of an import that comes in many parts. */
  async noteSeldom(request: Request, deed: Deed): Promise<void> {
    if (!this.areHeard) return;
    const doer = await this.doerOf(request);
    const key = [doer.who, doer.from, deed.action, deed.what].join(" ");
    const now = Date.now();
    if (now - (this.#notedAt.get(key) ?? 0) < seldomMs) return;
    if (this.#notedAt.size >= maxSeldom) this.#notedAt.clear();
    this.#notedAt.set(key, now);
    await this.tell(doer, deed);
  }

  async tell(doer: Doer, deed: Deed): Promise<void> {
    await Promise.all(this.#options.listeners.map((listen) => listen({ ...doer, ...deed })));
  }

  async doerOf(request: Request): Promise<Doer> {
    const { keyOf, hasSecret, addressOf, access } = this.#options;
    const key = keyOf(request);
    const user = key === undefined ? await access?.nameOf?.(request) : undefined;
    const byToken = hasSecret(request) ? "admin token" : nobody;
    const who = key === undefined ? (user === undefined ? byToken : `user ${user}`) : `key ${key}`;
    return { who, from: addressOf(request) };
  }

  /** Notes the work as done, or as failed when it throws. */
  async during<T>(request: Request, deed: Omit<Deed, "outcome">, work: () => T | Promise<T>): Promise<T> {
    try {
      const result = await work();
      await this.note(request, { ...deed, outcome: "done" });
      return result;
    } catch (thrown) {
      await this.note(request, { ...deed, outcome: "failed" });
      throw thrown;
    }
  }
}
