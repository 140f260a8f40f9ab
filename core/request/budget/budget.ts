// What one request may still spend, and the turns in which it works.

import type { QuernError } from "../../ground/errors.ts";
import type { TransactionScope } from "../../ground/transaction-scope.ts";
import type { Turns } from "../../ground/work.ts";
import type { OperationBudget } from "../../query/operation-context.ts";
import { LongRequestSeat } from "./long-request-seat.ts";
import type { LongRequest, LongWork } from "./long-work.ts";
import { OperationTurns } from "./operation-turns.ts";
import { Relocation } from "./relocation.ts";
import { Spending, type SpendingOptions } from "./spending.ts";

export interface BudgetOptions extends SpendingOptions {
  /** Undefined: the request never waits for others that work for long. */
  readonly longWork?: LongWork | undefined;
  /** For whom the request counts where many wait. Undefined: for nobody. */
  readonly asker?: { readonly callerName: string } | undefined;
}

export class RequestBudget extends Spending implements OperationBudget, LongRequest {
  readonly #options: BudgetOptions;
  readonly #turns = new OperationTurns();
  /** Made when the request works for long, or storage keeps something for it. */
  #seat: LongRequestSeat | undefined;
  /** Undefined: the request stays in this thread. */
  #relocation: Relocation | undefined;
  #isClosed = false;

  constructor(options: BudgetOptions) {
    super(options);
    this.#options = options;
  }

  get caller(): string {
    return this.#options.asker?.callerName ?? "";
  }

  /** Called when the request begins to count as long. True: it goes on elsewhere, and what runs here ends. */
  set whenLong(leave: () => boolean) {
    this.#relocation = new Relocation(leave);
  }

  override spend(nodes: number): void {
    this.#relocation?.assertHere();
    super.spend(nodes);
  }

  /** Turns of the event loop that it has used up. */
  get usedTurns(): number {
    return this.#turns.used;
  }

  get isTurnOver(): boolean {
    return this.#turns.isOver;
  }

  async turn(): Promise<void> {
    this.#relocation?.assertHere();
    this.#turns.used++;
    if (this.#turns.areMany || this.#seat?.isTaken) {
      if (this.#relocation?.leaves()) this.#seat?.leave();
      this.#relocation?.assertHere();
      await this.#sit()?.take();
    }
    await this.#turns.next();
  }

  keep(bytes: number): boolean {
    return this.#sit()?.keep(bytes) ?? false;
  }

  #sit(): LongRequestSeat | undefined {
    const { longWork } = this.#options;
    if (this.#isClosed) return undefined;
    this.#seat ??= longWork && new LongRequestSeat(longWork, this);
    return this.#seat;
  }

  /** What ran here has ended, as `whenLong` asked. If the request runs here again, it begins anew, and counts as long from the start. */
  stay(): void {
    this.#relocation?.stay();
    this.reset();
    this.#seat?.keepNothing();
  }

  /** For a request that holds the writer, for which all other writes wait. */
  whileWriting(): OperationBudget {
    return new WritingBudget(this, this.#turns);
  }

  /** For a request that is one of few. */
  whilePreparing(): Turns {
    return this.whileWriting();
  }

  /** The request is answered: no timer stays behind, and the next long request may begin. */
  override close(): void {
    super.close();
    this.#isClosed = true;
    this.#seat?.close();
  }
}

/** The same budget. Its turns wait for no other request, and do not make it long. */
class WritingBudget implements OperationBudget {
  readonly #budget: RequestBudget;
  readonly #turns: OperationTurns;

  constructor(budget: RequestBudget, turns: OperationTurns) {
    this.#budget = budget;
    this.#turns = turns;
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
    return this.#turns.isOver;
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

  turn(): Promise<void> {
    return this.#turns.next();
  }

  whileWriting(): OperationBudget {
    return this;
  }

  transacting<T>(work: (scope: TransactionScope) => Promise<T>): Promise<T> {
    return this.#budget.transacting(work);
  }
}
