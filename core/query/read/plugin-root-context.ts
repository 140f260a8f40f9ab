// What the `run` of a plugin's root field gets.

import type { RequestView } from "../../contracts/plugin/request-view.ts";
import type { FieldSelection, RootContext, RootField } from "../../contracts/plugin/root-field.ts";
import type { RootTransaction } from "../../contracts/plugin/root-transaction.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { HookArgument } from "../../ground/hook-argument.ts";
import type { CommitToken, MaybePromise } from "../../ground/values/value.ts";
import { callersView, viewOutsideRules } from "../access/answer-views.ts";
import { endless } from "../level/endless.ts";
import { givenVariables } from "../level/given-variables.ts";
import { nestedRequest, onlyReads } from "../level/nested-request.ts";
import type { Variables } from "../level/selection.ts";
import type { SelectedField } from "../level/shapes.ts";
import type { OperationContext, ReadContext } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import { shapeFault } from "./root-parts.ts";

export interface PluginRoot {
  readonly root: RootPlan;
  readonly field: RootField;
  readonly context: OperationContext;
  readonly read: ReadContext;
}

/** Functions are made when they are asked for, because most fields use one of them or none, and are bound, because plugins take them out of the context. */
export class PluginRootContext extends HookArgument implements RootContext {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly snapshot: Snapshot;
  readonly request: RequestView;
  readonly #plugin: PluginRoot;
  #committed: CommitToken | undefined = undefined;
  #isTransacting = false;

  constructor(plugin: PluginRoot) {
    super();
    const { root, read } = plugin;
    this.arguments = root.arguments(read.variables);
    this.snapshot = read.snapshot;
    this.request = read.request;
    this.#plugin = plugin;
  }

  /** The last commit of what the field has executed. */
  get committed(): CommitToken | undefined {
    return this.#committed;
  }

  get sent(): RootContext["sent"] {
    const { root, read } = this.#plugin;
    return root.sent(read.operation.given);
  }

  get selection(): FieldSelection {
    const { root, read } = this.#plugin;
    return { ...selectedBy(root, read.variables), variables: givenVariables(read.variables) };
  }

  get signal(): AbortSignal {
    return this.#plugin.read.budget.signal ?? endless;
  }

  get visible(): RootContext["visible"] {
    const { read, context } = this.#plugin;
    return () => callersView(read.snapshot, context);
  }

  get outsideRules(): RootContext["outsideRules"] {
    const { read, context } = this.#plugin;
    return () => viewOutsideRules(read.snapshot, context);
  }

  get mayRead(): RootContext["mayRead"] {
    const { permissions } = this.#plugin.context;
    return (name) => permissions?.mayRead(name) ?? true;
  }

  get execute(): RootContext["execute"] {
    const { field } = this.#plugin;
    return (request) => {
      const refusesWrites = field.operation === "query" ? onlyReads : this.#isTransacting ? waitsForItself : undefined;
      const committed = (token: CommitToken) => {
        this.#committed = token;
      };
      return nestedRequest(request, { context: this.#seeing, refusesWrites, committed });
    };
  }

  get transaction(): RootContext["transaction"] {
    return (work) => this.#transact(work);
  }

  get #seeing(): OperationContext {
    const { context } = this.#plugin;
    return this.#committed === undefined ? context : { ...context, after: this.#committed };
  }

  async #transact<T>(work: (tx: RootTransaction) => MaybePromise<T>): Promise<T> {
    const { field, context } = this.#plugin;
    const { transact } = context;
    if (field.operation === "query" || transact === undefined) throw new QuernError("REQUEST_REFUSED", onlyReads);
    if (this.#isTransacting) throw new QuernError("REQUEST_REFUSED", waitsForItself);
    this.#isTransacting = true;
    try {
      const { result, token } = await transact(work, this.#seeing);
      this.#committed = token;
      return result;
    } finally {
      this.#isTransacting = false;
    }
  }
}

/** On a store with one writer, the other would wait for the transaction, and the transaction for the other. */
const waitsForItself = "A transaction of this root field is open: use the execute of the transaction itself, or begin when it has ended.";

function selectedBy(root: RootPlan, variables: Variables): SelectedField {
  const shape = root.selection.select(variables);
  const selected = shape.kind === "json" || shape.kind === "nodes" ? shape.selected : undefined;
  if (!selected) throw shapeFault(root);
  return selected;
}
