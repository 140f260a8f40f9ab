// Entry quern/server: what a server, a command line or another tool on a kernel is written with, beside `quern` (`core/index.ts`).
// `adapters/server` is the server of this package, `adapters/cli` its command line. `core/README.md` lists what each name is for.
/// <reference types="node" preserve="true" />

export { checkConfig, type MoreOptions } from "./config/check-config.ts";
export * from "./ground/index.ts";
export type { LinkIntent } from "./mutation/links/plan-links.ts";
export type { FailedField } from "./query/operation-context.ts";
export { type ProcessBudget, processBudget } from "./request/budget/process-budget.ts";
export { brokenText, type DocumentCheck, findBrokenDocuments } from "./request/documents/broken-documents.ts";
export { chooseOperation, isEmptyDocument, unknownOperation } from "./request/documents/choose-operation.ts";
export { operationsOf } from "./request/documents/documents.ts";
export { draining, drainingText } from "./request/errors/draining.ts";
export { faultText, internalError, panicText } from "./request/errors/faults.ts";
export { readOnlyPageText } from "./request/errors/refusal.ts";
export { worded } from "./request/errors/worded-errors.ts";
export { type EnvelopeParts, writeEnvelope } from "./request/operation/envelope.ts";
export { subscriptionText } from "./request/operation/no-schema.ts";
export { type CoercedVariables, coerceVariables } from "./request/variables/coerce-variables.ts";
export { InputReaders } from "./request/variables/input-reader.ts";
export { type PlainLink, type PlainTarget, type PlainType, plainType, plainTypeProblem } from "./request/variables/plain-type.ts";
export {
  type Argument,
  type Definition,
  type EnumDefinition,
  type EnumValue,
  type FieldsDefinition,
  isPartOfKey,
  type Member,
  type ScalarDefinition,
  type UnionDefinition,
} from "./schema/api/definition.ts";
export { apiChanges } from "./schema/deployment/api-changes.ts";
export { type ApisWithoutPlugins, apisWithoutPlugins, type PluginDefinitions } from "./schema/deployment/apis-without-plugins.ts";
export { renamedThings } from "./schema/deployment/renamed.ts";
export { unreachableText } from "./schema/deployment/unreachable.ts";
export { type ServerHooks, serverHooks } from "./server-hooks.ts";
