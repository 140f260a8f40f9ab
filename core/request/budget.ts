// What one request may still spend, and the turns in which it works.

import type { QuernError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import type { Turns } from "../ground/work.ts";
import type { OperationBudget } from "../query/operation-context.ts";
import { LongRequestSeat } from "./long-request-seat.ts";
import type { LongRequest, LongWork } from "./long-work.ts";
import { OperationTurns } from "./operation-turns.ts";
import { Relocation } from "./relocation.ts";
import { RequestEnd, type RequestEndOptions } from "./request-end.ts";
import { Spending } from "./spending.ts";

export interface BudgetOptions extends RequestEndOptions {
  readonly limits: Pick<Limits, "maxTimeMs" | "maxTouchedNodes" | "maxAnswerBytes">;
  /** Undefined: the request never waits for others that work for long. */
  readonly longWork?: LongWork | undefined;
  /** For whom the request counts where many wait. Undefined: for nobody. */
  readonly asker?: { readonly callerName: string } | undefined;
}

/** Its turns wait for no other request, and do not make it long. */
class PlainBudget implements OperationBudget {
  protected readonly spending: Spending;
  protected readonly operationTurns: OperationTurns;

  constructor(spending: Spending, turns: OperationTurns) {
    this.spending = spending;
    this.operationTurns = turns;
  }

  get touched(): number {
    return this.spending.touched;
  }

  get shown(): number {
    return this.spending.shown;
  }

  get deadline(): number {
    return this.spending.end.deadline;
  }

  get overflow(): QuernError | undefined {
    return this.spending.overflow;
  }

  get room(): number {
    return this.spending.room;
  }

  get isTurnOver(): boolean {
    return this.operationTurns.isOver;
  }

  spend(nodes: number): void {
    this.spending.spend(nodes);
  }

  show(nodes: number): void {
    this.spending.shown += nodes;
  }

  answered(bytes: number): void {
    this.spending.answered(bytes);
  }

  turn(): Promise<void> {
    return this.operationTurns.next();
  }

  whileWriting(): OperationBudget {
    return this;
  }
}

export class RequestBudget extends PlainBudget implements LongRequest {
  readonly #asker: BudgetOptions["asker"];
  readonly #plain: PlainBudget;
  readonly #seat: LongRequestSeat | undefined;
  readonly #relocation = new Relocation();

  constructor({ longWork, asker, ...options }: BudgetOptions) {
    const spending = new Spending(options.limits, new RequestEnd(options));
    const turns = new OperationTurns();
    super(spending, turns);
    this.#plain = new PlainBudget(spending, turns);
    this.#asker = asker;
    this.#seat = longWork && new LongRequestSeat(longWork, this);
  }

  get caller(): string {
    return this.#asker?.callerName ?? "";
  }

  tooLate(): QuernError {
    return this.spending.end.tooLate();
  }

  onGone(listener: () => void): void {
    this.spending.end.onGone(listener);
  }

  get begun(): number {
    return this.spending.end.begun;
  }

  get signal(): AbortSignal {
    return this.spending.end.signal;
  }

  /** Why it has ended the work. */
  get ended(): RequestEnd["why"] {
    return this.spending.end.why;
  }

  override get touched(): number {
    return super.touched;
  }

  override set touched(nodes: number) {
    this.spending.touched = nodes;
  }

  /** Turns of the event loop that it has used up. */
  get usedTurns(): number {
    return this.operationTurns.used;
  }

  /** Called when the request begins to count as long. True: it goes on elsewhere, and what runs here ends. */
  set whenLong(leave: () => boolean) {
    this.#relocation.whenLong = leave;
  }

  override spend(nodes: number): void {
    this.#relocation.assertHere();
    super.spend(nodes);
  }

  override async turn(): Promise<void> {
    this.#relocation.assertHere();
    this.operationTurns.used++;
    if (this.operationTurns.areMany || this.#seat?.isTaken) {
      if (this.#relocation.leaves()) this.#seat?.leave();
      this.#relocation.assertHere();
      await this.#seat?.take();
    }
    await this.operationTurns.next();
  }

  keep(bytes: number): boolean {
    return this.#seat?.keep(bytes) ?? false;
  }

  /** What ran here has ended, as `whenLong` asked. If the request runs here again, it begins anew, and counts as long from the start. */
  stay(): void {
    this.#relocation.stay();
    this.spending.reset();
    this.#seat?.keepNothing();
  }

  /** For a request that holds the writer, for which all other writes wait. */
  override whileWriting(): OperationBudget {
    return this.#plain;
  }

  /** For a request that is one of few. */
  whilePreparing(): Turns {
    return this.#plain;
  }

  /** The request is answered: no timer stays behind, and the next long request may begin. */
  close(): void {
    this.spending.end.close();
    this.#seat?.close();
  }
}
