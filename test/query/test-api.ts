// A deployed schema over a real store, seeded by name and asked in GraphQL. Only the wiring is here: schema, data, request and
// answer stand in the specs.

import { type DocumentNode, type OperationDefinitionNode, parse, validate } from "graphql";
import type { NodeType } from "../../core/contracts/model.ts";
import { isPromise } from "../../core/ground/maybe-promise.ts";
import { runAtOnce } from "../../core/ground/work.ts";
import type { Json, Stored, Uid } from "../../core/index.ts";
import { defaultLimits, parseJson, QuernError } from "../../core/index.ts";
import type { Change, DirectivePlugin, RequestView, Snapshot } from "../../core/plugin.ts";
import { prepareDeployment } from "../../core/prepare-deployment.ts";
import type { OperationContext, ResponseError, RootResult } from "../../core/query/operation-context.ts";
import type { OperationPlan } from "../../core/query/plan/plan.ts";
import { planOperation } from "../../core/query/plan/plan-operation.ts";
import { readContext } from "../../core/query/read/read-context.ts";
import { type Payload, readPayload } from "../../core/query/read/read-payload.ts";
import { runQueryRoot } from "../../core/query/read/run-root.ts";
import { failedField } from "../../core/query/write/failed-field.ts";
import { RequestBudget } from "../../core/request/budget/budget.ts";
import { worded } from "../../core/request/errors/worded-errors.ts";
import { coerceVariables } from "../../core/request/variables/coerce-variables.ts";
import { inputReaders } from "../../core/request/variables/input-reader.ts";
import type { Deployment } from "../../core/schema/deployment/deployment.ts";
import type { Storage } from "../../core/storage.ts";
import { openLog } from "../../core/telemetry/log.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { storageNamesPlugin } from "../../plugins/storage-names/index.ts";

/** A node to be: its type and its values; links are names of other nodes. */
export type Seed = readonly [type: string, values: Readonly<Record<string, unknown>>];

export interface Answer {
  readonly data: unknown;
  readonly errors?: readonly ResponseError[];
}

export interface TestApi {
  readonly deployment: Deployment;
  readonly storage: Storage;
  /** Adds nodes; gives their ids by name. */
  seed(nodes: Readonly<Record<string, Seed>>): Promise<Readonly<Record<string, string>>>;
  plan(text: string): OperationPlan;
  ask(text: string, variables?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** `ask` that must answer without a promise. */
  askAtOnce(text: string): Answer;
  /** The payload of the mutation in `text`, as if it had touched `ids`. */
  payload(text: string, payload: Omit<Payload, "uids"> & { readonly ids: readonly string[] }): Promise<Answer>;
  /** The same data under another schema. */
  redeploy(schema: string): Promise<TestApi>;
}

export interface DeployOptions {
  readonly plugins?: readonly DirectivePlugin[];
  /** Facts about who asks. */
  readonly facts?: Readonly<Record<string, Json>>;
  /** What the tests look at instead of the store itself. */
  readonly around?: (storage: Storage) => Storage;
}

/** `object` with some members replaced; the others still work on the object itself. */
export function overriding<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get: (_, key) => {
      const member: unknown = Reflect.get(key in members ? members : object, key);
      return typeof member === "function" ? member.bind(object) : member;
    },
  });
}

/** `schema` on a store that is open. */
export async function deployOn(storage: Storage, schema: string, options: DeployOptions): Promise<TestApi> {
  const plugins = [identityPlugin(), storageNamesPlugin(), searchPlugin(), ...(options.plugins ?? [])];
  const prepared = prepareDeployment(schema, plugins);
  const { version } = await storage.migrate(prepared.layout, schema);
  const deployment: Deployment = { ...prepared, version };
  const request: RequestView = { id: "00000000-0000-4000-8000-000000000000", now: "2031-04-09T06:00:00Z", headers: {}, facts: options.facts ?? {} };
  const plans = new Map<string, Planned>();
  const planned = (text: string): Planned => {
    const known = plans.get(text) ?? planText(deployment, text);
    plans.set(text, known);
    return known;
  };
  const context = (text: string, given: Readonly<Record<string, unknown>>): OperationContext => {
    const coerced = coerceVariables(inputReaders.of(deployment), planned(text).operation.variableDefinitions ?? [], given);
    if ("errors" in coerced) throw new TypeError(coerced.errors.map((error) => error.message).join("\n"));
    return {
      deployment,
      storage,
      request,
      budget: new RequestBudget({ limits: defaultLimits }),
      log: openLog(),
      variables: coerced.values,
      given,
    };
  };
  const start = (text: string, variables: Readonly<Record<string, unknown>>) => {
    const each = context(text, variables);
    const roots = planned(text).plan.roots.filter((root) => root.included(each.variables));
    return roots.map((root) => ({ key: root.key, result: guarded(() => runQueryRoot(root, each), root.key) }));
  };
  return {
    deployment,
    storage,
    seed: (nodes) => seed(storage, deployment, nodes),
    plan: (text) => planned(text).plan,
    async ask(text, variables = {}) {
      const started = start(text, variables);
      return assemble(await Promise.all(started.map(async ({ key, result }) => ({ key, result: await result }))));
    },
    askAtOnce(text) {
      return assemble(
        start(text, {}).map(({ key, result }) => {
          if (isPromise(result)) throw new TypeError("not at once");
          return { key, result };
        }),
      );
    },
    async payload(text, { ids, ...payload }) {
      const each = context(text, {});
      const snapshot: Snapshot = storage.snapshot({ version });
      const uids = ids.map(Number);
      try {
        const results = planned(text).plan.roots.map(async (root) => ({
          key: root.key,
          result: await guarded(() => readPayload(root, { uids, ...payload }, readContext(root, each, snapshot)), root.key),
        }));
        return assemble(await Promise.all(results));
      } finally {
        snapshot.close();
      }
    },
    redeploy: (text) => deployOn(storage, text, options),
  };
}

interface Planned {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly plan: OperationPlan;
}

function planText(deployment: Deployment, text: string): Planned {
  const document = parse(text);
  const errors = validate(deployment.api.schema, document);
  if (errors.length > 0) throw new TypeError(errors.map((error) => error.message).join("\n"));
  const operation = document.definitions.find((each): each is OperationDefinitionNode => each.kind === "OperationDefinition");
  if (!operation) throw new TypeError("no operation");
  return { document, operation, plan: runAtOnce(planOperation(deployment.api, document, operation)) };
}

/** As the pipeline does it: a root field fails alone. */
function guarded(work: () => RootResult | PromiseLike<RootResult>, key: string): RootResult | Promise<RootResult> {
  const failed = (error: unknown): RootResult => {
    if (!(error instanceof QuernError)) throw error;
    return { json: "null", errors: [failedField(error, [key])] };
  };
  try {
    const result = work();
    return isPromise(result) ? Promise.resolve(result).catch(failed) : result;
  } catch (error) {
    return failed(error);
  }
}

function assemble(results: readonly { readonly key: string; readonly result: RootResult }[]): Answer {
  const data = Object.fromEntries(results.map(({ key, result }) => [key, parseJson(String(result.json))]));
  const errors = worded(
    results.flatMap(({ result }) => result.errors),
    "compatible",
  );
  return errors.length > 0 ? { data, errors } : { data };
}

async function seed(storage: Storage, deployment: Deployment, nodes: Readonly<Record<string, Seed>>): Promise<Readonly<Record<string, string>>> {
  const names = Object.keys(nodes);
  const { result } = await storage.transact(
    async (transaction) => {
      const uids = await transaction.uids(names.length);
      const uidOf = new Map(names.map((name, i) => [name, uids[i] ?? 0]));
      const place = { uidOf, typeOf: (name: string) => typeNamed(deployment, nodes[name]?.[0] ?? "") };
      await transaction.write([
        ...names.map((name) => create(name, nodes[name]?.[1] ?? {}, place)),
        ...names.flatMap((name) => links(name, nodes[name]?.[1] ?? {}, place)),
      ]);
      return Object.fromEntries([...uidOf].map(([name, uid]) => [name, `0x${uid.toString(16)}`]));
    },
    { version: deployment.version },
  );
  return result;
}

interface SeedPlace {
  readonly uidOf: ReadonlyMap<string, Uid>;
  readonly typeOf: (name: string) => NodeType;
}

function create(name: string, values: Seed[1], { uidOf, typeOf }: SeedPlace): Change {
  const type = typeOf(name);
  const fields = Object.entries(values).flatMap(([key, value]) => {
    const field = type.fields.get(key);
    return field?.role === "value" ? [[field.stored, value as Stored] as const] : [];
  });
  return { kind: "create", uid: uidOf.get(name) ?? 0, type: type.stored, fields: Object.fromEntries(fields) };
}

function links(name: string, values: Seed[1], { uidOf, typeOf }: SeedPlace): readonly Change[] {
  const type = typeOf(name);
  return Object.entries(values).flatMap(([key, value]) => {
    const field = type.fields.get(key);
    if (field?.role !== "link") return [];
    return [value].flat().map((partner): Change => {
      const from = { end: field.stored, from: uidOf.get(name) ?? 0, fromType: type.stored };
      return { kind: "link", ...from, to: uidOf.get(String(partner)) ?? 0, toType: typeOf(String(partner)).stored };
    });
  });
}

function typeNamed(deployment: Deployment, name: string): NodeType {
  const type = deployment.model.nodeTypes.get(name);
  if (!type) throw new TypeError(`no type ${name}`);
  return type;
}
