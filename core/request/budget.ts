// Counts what one request spends and ends it when it is over.

import { QuernError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import { nextTurn, TurnClock } from "../ground/turns.ts";
import type { Turns } from "../ground/work.ts";
import type { OperationBudget } from "../query/operation-context.ts";
import type { LongRequest, LongWork } from "./long-work.ts";

/** `setTimeout` takes no longer ones. */
const longestTimerMs = 2 ** 31;

export interface BudgetOptions {
  readonly limits: Pick<Limits, "maxTimeMs" | "maxTouchedNodes" | "maxAnswerBytes">;
  /** Undefined: the request never waits for others that work for long. */
  readonly longWork?: LongWork | undefined;
  /** Calls its listener when the client no longer waits. */
  readonly onGone?: ((listener: () => void) => void) | undefined;
  /** When the request came, in milliseconds of `performance.now()`. */
  readonly begun?: number | undefined;
  /** For whom the request counts where many wait. Undefined: for nobody. */
  readonly asker?: { readonly callerName: string } | undefined;
}

/** Turns after which a request counts as long. */
const turnsOfShort = 4;

export class RequestBudget implements OperationBudget, LongRequest {
  touched = 0;
  shown = 0;
  /** In milliseconds of `performance.now()`. */
  readonly begun: number;
  readonly deadline: number;
  /** Why it has ended the work. */
  ended: "limit" | "cancelled" | undefined;
  overflow: QuernError | undefined;
  /** Called when the request begins to count as long. True: it goes on elsewhere, and what runs here ends. */
  whenLong: (() => boolean) | undefined;
  readonly #limits: BudgetOptions["limits"];
  readonly #longWork: LongWork | undefined;
  readonly #asker: BudgetOptions["asker"];
  #clock: TurnClock | undefined;
  #turns = 0;
  /** Set when the request goes on elsewhere. */
  #elsewhere: QuernError | undefined;
  #long: Promise<void> | undefined;
  /** It counts as long, and waits no more. */
  #isLong = false;
  #keptBytes = 0;
  /** Storage was told that all requests keep too much: the next turn waits, whatever it has dropped. */
  #keepsTooMuch = false;
  #isClosed = false;
  #answeredBytes = 0;
  #gone = false;
  /** Made when something asks for the signal. */
  #abortion: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #whenGone: (() => void) | undefined;

  constructor({ limits, longWork, onGone, begun = performance.now(), asker }: BudgetOptions) {
    this.begun = begun;
    this.deadline = begun + limits.maxTimeMs;
    this.#limits = limits;
    this.#longWork = longWork;
    this.#asker = asker;
    onGone?.(() => {
      this.#gone = true;
      if (this.#abortion) this.#abort(this.#cancelled());
      this.#whenGone?.();
    });
  }

  get caller(): string {
    return this.#asker?.callerName ?? "";
  }

  get signal(): AbortSignal {
    if (this.#abortion) return this.#abortion.signal;
    this.#abortion = new AbortController();
    const left = Math.max(0, this.deadline - performance.now());
    if (this.#gone) this.#abort(this.#cancelled());
    else if (left < longestTimerMs) this.#timer = setTimeout(() => this.#abort(this.tooLate()), left).unref();
    return this.#abortion.signal;
  }

  #abort(reason: QuernError): void {
    this.#end(this.#gone ? "cancelled" : "limit", reason);
    this.#abortion?.abort(reason);
  }

  spend(nodes: number): void {
    this.touched += nodes;
    if (this.#gone) throw this.#end("cancelled", this.#cancelled());
    if (this.overflow) throw this.overflow;
    if (this.touched > this.#limits.maxTouchedNodes) throw this.#end("limit", this.#tooMany());
    if (performance.now() > this.deadline) throw this.#end("limit", this.tooLate());
  }

  show(nodes: number): void {
    this.shown += nodes;
  }

  get room(): number {
    return this.#limits.maxAnswerBytes - this.#answeredBytes;
  }

  answered(bytes: number): void {
    this.#answeredBytes += bytes;
    if (this.#answeredBytes <= this.#limits.maxAnswerBytes) return;
    this.overflow ??= this.#tooMuch();
    throw this.#end("limit", this.overflow);
  }

  /** Turns of the event loop that it has used up. */
  get usedTurns(): number {
    return this.#turns;
  }

  get isTurnOver(): boolean {
    this.#clock ??= new TurnClock();
    return this.#clock.isOver;
  }

  async turn(): Promise<void> {
    if (this.#elsewhere) throw this.#elsewhere;
    this.#turns++;
    if (this.#shouldBeLong && this.#leaves()) throw this.#elsewhere;
    if (this.#longWork && this.#shouldBeLong) {
      this.#long ??= this.#enterLongWork(this.#longWork);
      await this.#long;
    }
    await nextTurn();
    this.#clock?.restart();
  }

  get #shouldBeLong(): boolean {
    return this.#turns > turnsOfShort || this.#long !== undefined || this.#keepsTooMuch;
  }

  async #enterLongWork(longWork: LongWork): Promise<void> {
    await longWork.enter(this);
    this.#becomeLong(longWork);
  }

  /** What it keeps counts no more: few requests are long. */
  #becomeLong(longWork: LongWork): void {
    this.#isLong = true;
    longWork.keep(-this.#keptBytes);
    this.#keptBytes = 0;
  }

  keep(bytes: number): boolean {
    const longWork = this.#longWork;
    if (longWork === undefined || this.#isLong || this.#isClosed) return false;
    // What it has dropped may have been counted before a part of the request went on elsewhere.
    const change = Math.max(bytes, -this.#keptBytes);
    this.#keptBytes += change;
    longWork.keep(change);
    if (bytes <= 0 || !longWork.isCrowded) return false;
    if (this.#long !== undefined || !longWork.enterAtOnce()) {
      this.#keepsTooMuch = true;
      return true;
    }
    this.#long = Promise.resolve();
    this.#becomeLong(longWork);
    return false;
  }

  /** Asked once. */
  #leaves(): boolean {
    const { whenLong } = this;
    this.whenLong = undefined;
    if (!whenLong?.()) return false;
    this.#elsewhere = new QuernError("CANCELLED", "The request goes on in another thread.");
    this.overflow = this.#elsewhere;
    this.#leaveLongWork();
    return true;
  }

  /** What ran here has ended, as `whenLong` asked. If the request runs here again, it begins anew, and counts as long from the start. */
  stay(): void {
    this.#elsewhere = undefined;
    this.overflow = undefined;
    this.touched = 0;
    this.shown = 0;
    this.#answeredBytes = 0;
    this.keep(-this.#keptBytes);
  }

  whileWriting(): OperationBudget {
    return new WritingBudget(this);
  }

  /** For a request that is one of few: its turns wait for no other request, and do not make it long. */
  whilePreparing(): Turns {
    const isOver = () => this.isTurnOver;
    return {
      spend: (nodes) => this.spend(nodes),
      get isTurnOver() {
        return isOver();
      },
      turn: async () => {
        await nextTurn();
        this.#clock?.restart();
      },
    };
  }

  /** The request is answered: no timer stays behind, and the next long request may begin. */
  close(): void {
    clearTimeout(this.#timer);
    this.keep(-this.#keptBytes);
    this.#isClosed = true;
    this.#leaveLongWork();
  }

  #leaveLongWork(): void {
    const entered = this.#long;
    this.#long = undefined;
    this.#isLong = false;
    entered?.then(
      () => this.#longWork?.leave(),
      () => undefined,
    );
  }

  onGone(listener: () => void): void {
    if (this.#gone) listener();
    else this.#whenGone = listener;
  }

  #end(why: "limit" | "cancelled", error: QuernError): QuernError {
    this.ended = why;
    return error;
  }

  #cancelled(): QuernError {
    return new QuernError("CANCELLED", "The client has gone.");
  }

  #tooMany(): QuernError {
    return new QuernError(
      "LIMIT_REACHED",
      `The request touches more than ${this.#limits.maxTouchedNodes} nodes (limits.maxTouchedNodes). Narrow its filter, or read page by page.`,
    );
  }

  tooLate(): QuernError {
    return new QuernError(
      "LIMIT_REACHED",
      `The request took longer than ${this.#limits.maxTimeMs} ms (limits.maxTimeMs). Narrow its filter, or read page by page.`,
    );
  }

  #tooMuch(): QuernError {
    return new QuernError(
      "LIMIT_REACHED",
      `The answer is longer than ${this.#limits.maxAnswerBytes} bytes (limits.maxAnswerBytes). Select fewer fields, or read page by page.`,
    );
  }
}

/** The budget of a request while it holds the writer, for which all other writes wait: its turns wait for no other request. */
class WritingBudget implements OperationBudget {
  readonly #budget: RequestBudget;

  constructor(budget: RequestBudget) {
    this.#budget = budget;
  }

  get touched(): number {
    return this.#budget.touched;
  }

  get shown(): number {
    return this.#budget.shown;
  }

  get deadline(): number {
    return this.#budget.deadline;
  }

  get overflow(): QuernError | undefined {
    return this.#budget.overflow;
  }

  get room(): number {
    return this.#budget.room;
  }

  get isTurnOver(): boolean {
    return this.#budget.isTurnOver;
  }

  spend(nodes: number): void {
    this.#budget.spend(nodes);
  }

  show(nodes: number): void {
    this.#budget.show(nodes);
  }

  answered(bytes: number): void {
    this.#budget.answered(bytes);
  }

  turn(): PromiseLike<void> {
    return nextTurn();
  }

  whileWriting(): OperationBudget {
    return this;
  }
}
