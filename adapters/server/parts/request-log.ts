// The last requests, one by one, while an administrator looks at them. When nobody has looked for a while, it stops listening and forgets them.

import type { EndedOperation, Kernel, KernelObserver } from "../../../core/index.ts";

/** No values of variables: documents and plans are masked. */
export interface LoggedRequest
  extends Pick<EndedOperation, "requestID" | "kind" | "name" | "outcome" | "code" | "durationMs" | "touched" | "caller" | "steps"> {
  /** Counts requests from 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly document: string;
  readonly plan: string | undefined;
}

/** Every member narrows. */
export interface RequestFilter {
  /** Only requests after this one. */
  readonly after?: number;
  readonly kind?: string;
  /** In the name or the document, in any case. */
  readonly operation?: string;
  /** In the caller, in any case. */
  readonly caller?: string;
  readonly atLeastMs?: number;
  readonly failed?: boolean;
}

export interface RequestLogReport {
  /** The number of the newest request, whether the filter leaves it or not. */
  readonly last: number;
  /** The newest first. */
  readonly requests: readonly LoggedRequest[];
}

const maxKept = 1_000;
const maxAnswered = 200;
const keptForMs = 30_000;
/** Texts of documents that are printed in a second: a flood of new ones must not wait for its log. */
const maxPrinted = 200;

type Printed = Pick<LoggedRequest, "document" | "plan">;

export class RequestLog {
  readonly #kernel: Pick<Kernel, "observe">;
  readonly #requests: LoggedRequest[] = [];
  #printed = new WeakMap<object, Printed>();
  #printing = { second: 0, count: 0 };
  #last = 0;
  #listening: { readonly stop: () => void; readonly timer: NodeJS.Timeout } | undefined;

  constructor(kernel: Pick<Kernel, "observe">) {
    this.#kernel = kernel;
  }

  /** Listens from now on, for a while. */
  read(filter: RequestFilter): RequestLogReport {
    this.#listen();
    const found: LoggedRequest[] = [];
    const fits = testOf(filter);
    for (let place = this.#requests.length - 1; place >= 0 && found.length < maxAnswered; place--) {
      const request = this.#requests[place];
      if (request !== undefined && fits(request)) found.push(request);
    }
    return { last: this.#last, requests: found };
  }

  #listen(): void {
    if (this.#listening !== undefined) {
      this.#listening.timer.refresh();
      return;
    }
    const observer: KernelObserver = { timesSteps: true, ended: (operation) => this.#add(operation) };
    const timer = setTimeout(() => this.#forget(), keptForMs);
    timer.unref();
    this.#listening = { stop: this.#kernel.observe(observer), timer };
  }

  #forget(): void {
    this.#listening?.stop();
    this.#listening = undefined;
    this.#requests.length = 0;
    this.#printed = new WeakMap();
  }

  #add(ended: EndedOperation): void {
    const { requestID, kind, name, outcome, code, durationMs, touched, caller, steps } = ended;
    const number = ++this.#last;
    this.#requests.push({ number, at: Date.now(), requestID, kind, name, outcome, code, durationMs, touched, caller, steps, ...this.#print(ended) });
    if (this.#requests.length > maxKept) this.#requests.shift();
  }

  /** Once for all runs of a document. */
  #print(ended: EndedOperation): Printed {
    const known = ended.prepared && this.#printed.get(ended.prepared);
    if (known !== undefined) return known;
    if (!this.#mayPrint()) return notPrinted;
    const { document, plan } = ended;
    if (ended.prepared) this.#printed.set(ended.prepared, { document, plan });
    return { document, plan };
  }

  #mayPrint(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#printing.second) this.#printing = { second, count: 0 };
    return ++this.#printing.count <= maxPrinted;
  }
}

const notPrinted: Printed = { document: "(not kept: many new documents came in this second)", plan: undefined };

function testOf({ after = 0, kind = "", operation = "", caller = "", atLeastMs = 0, failed = false }: RequestFilter) {
  const [operationText, callerText] = [operation.toLowerCase(), caller.toLowerCase()];
  return (request: LoggedRequest): boolean =>
    request.number > after &&
    request.durationMs >= atLeastMs &&
    (!failed || request.outcome !== "ok") &&
    (kind === "" || request.kind === kind) &&
    (request.caller ?? "").toLowerCase().includes(callerText) &&
    (operationText === "" || `${request.name ?? ""} ${request.document}`.toLowerCase().includes(operationText));
}
