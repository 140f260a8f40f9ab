// Which specs run when. This is the one place that says it:
//
//   npm run test:quick   level                what of `everyday` is quick: no processes, no models, nothing slow
//   npm test             everyday             all that needs no MongoDB, models with fewer examples
//   npm run test:more    mongodb, thorough    the rest
//
// A suite is a project of `vitest.config.ts`. A worker loads the sources anew for each project, so there are few. A spec belongs to `level`, and so
// to `everyday`, unless something below claims it: a new one is never left out. `test/structure/suites.test.ts` proves it.

import { allSpecs, specsOnEveryStorage, specsWithProcesses } from "./specs.ts";

/** Compare a store with a naive one over many random examples. Each takes its number of examples from `examples` of `properties.ts`. */
export const models = [
  "test/attack/model/model.test.ts",
  "test/attack/writes/writes.test.ts",
  "test/attack/interference/interference.test.ts",
  "test/attack/input/generated.test.ts",
  "test/adapters/ordered/lasting-property.test.ts",
  "test/adapters/transfer/bulk-writer.test.ts",
  "test/plugins/subscription/live/random.test.ts",
  "test/plugins/acl/random.test.ts",
  "test/plugins/auth/random.test.ts",
  "test/plugins/dql/against-naive.test.ts",
  "test/plugins/dql/mutated-documents.test.ts",
  "test/plugins/dql/rules-against-naive.test.ts",
  "test/plugins/search/against-scan.test.ts",
];

/** Take more than a second of processor time each, or wait through the silences of recorded conversations. */
export const slow = [
  "test/adapters/level/backup.test.ts",
  "test/adapters/level/deadlines.test.ts",
  "test/adapters/level/formats.test.ts",
  "test/adapters/level/nearest.test.ts",
  "test/adapters/level/repair.test.ts",
  "test/adapters/level/restore.test.ts",
  "test/adapters/fetch/hosts.test.ts",
  "test/adapters/level/namespace-crashes.test.ts",
  "test/adapters/long-answers.test.ts",
  "test/adapters/memory/conformance.test.ts",
  "test/adapters/namespaces/leaks.test.ts",
  "test/adapters/namespaces/live.test.ts",
  "test/adapters/namespaces/namespaces.test.ts",
  "test/adapters/ordered/build.test.ts",
  "test/adapters/ordered/flipped-bits.test.ts",
  "test/adapters/ordered/memory.test.ts",
  "test/adapters/ordered/order-cost.test.ts",
  "test/adapters/ordered/powers.test.ts",
  "test/adapters/ordered/resumed-build.test.ts",
  "test/adapters/pipelines.test.ts",
  "test/adapters/server/http/admin-access.test.ts",
  "test/adapters/server/http/deploy-report.test.ts",
  "test/adapters/server/http/foreign-pages.test.ts",
  "test/adapters/server/socket/bursts.test.ts",
  "test/adapters/server/socket/legacy.test.ts",
  "test/adapters/server/socket/live.test.ts",
  "test/adapters/server/socket/modern.test.ts",
  "test/adapters/storage-property.test.ts",
  "test/adapters/transfer/dirty-data.test.ts",
  "test/adapters/transfer/export-restart.test.ts",
  "test/adapters/transfer/external-sorter.test.ts",
  "test/adapters/transfer/restart.test.ts",
  "test/adapters/transports.test.ts",
  "test/adapters/ws/web-sockets.test.ts",
  "test/attack/input/nesting.test.ts",
  "test/cli/access.test.ts",
  "test/examples/combinations.test.ts",
  "test/examples/directive-kit.test.ts",
  "test/golden/acl-answers.test.ts",
  "test/golden/answers.test.ts",
  "test/golden/auth-answers.test.ts",
  "test/golden/custom.test.ts",
  "test/golden/dql-answers.test.ts",
  "test/golden/export.test.ts",
  "test/golden/lambda.test.ts",
  "test/golden/readers.test.ts",
  "test/golden/transcripts.test.ts",
  "test/ground/json/parse-in-turns.test.ts",
  "test/mutation/concurrency.test.ts",
  "test/plugins/accounts/attacks.test.ts",
  "test/plugins/accounts/cross-site.test.ts",
  "test/plugins/accounts/cut-sign-ups.test.ts",
  "test/plugins/accounts/own-account.test.ts",
  "test/plugins/accounts/provider.test.ts",
  "test/plugins/accounts/second-factor.test.ts",
  "test/plugins/accounts/sessions.test.ts",
  "test/plugins/accounts/sign-in.test.ts",
  "test/plugins/accounts/writable-fields.test.ts",
  "test/plugins/acl/access.test.ts",
  "test/plugins/auth/key-sets.test.ts",
  "test/plugins/auth/rules.test.ts",
  "test/plugins/auth/tokens.test.ts",
  "test/plugins/constraints/oracle.test.ts",
  "test/plugins/constraints/version-and-increment.test.ts",
  "test/plugins/contract/permissions.test.ts",
  "test/plugins/custom/bad-remotes.test.ts",
  "test/plugins/custom/long-replies.test.ts",
  "test/plugins/dql/bad-input.test.ts",
  "test/plugins/federation/gateway.test.ts",
  "test/plugins/lambda/events.test.ts",
  "test/plugins/lambda/script.test.ts",
  "test/plugins/nested/nested.test.ts",
  "test/plugins/search/cells.test.ts",
  "test/plugins/search/geo.test.ts",
  "test/plugins/search/redeploy.test.ts",
  "test/plugins/search/required-trigrams.test.ts",
  "test/plugins/search/words.test.ts",
  "test/plugins/secret/check.test.ts",
  "test/plugins/was/property.test.ts",
  "test/query/large.test.ts",
  "test/readme/guides.test.ts",
  "test/request/documents.test.ts",
  "test/request/limits.test.ts",
  "test/request/long-requests.test.ts",
  "test/request/overload.test.ts",
  "test/schema/deployment/property.test.ts",
  "test/plugins/subscription/live/feeds.test.ts",
  "test/plugins/subscription/live/redeploy.test.ts",
  "test/plugins/subscription/live/wakes.test.ts",
  "test/telemetry/subscription-end.test.ts",
];

/** Kill processes again and again, or load a large graph: minutes, for faults that few changes make. */
export const kills = [
  "test/attack/crash/crash.test.ts",
  "test/attack/crash/constraints.test.ts",
  "test/attack/damage/damage.test.ts",
  "test/adapters/level/crash.test.ts",
  "test/adapters/level/killed-backup.test.ts",
  "test/adapters/level/killed-build.test.ts",
  "test/adapters/transfer/killed-import.test.ts",
  "test/cli/debian-graph.test.ts",
  "test/plugins/files/killed.test.ts",
];

/**
 * Take twenty seconds of a core each, and repeat on more ground what specs of `npm test` state: the kit of storages on the stores of examples, pages of the
 * console by keys and in a slow browser, floods of gigabytes, packages from the registry and ten thousand tries.
 */
export const heavy = [
  "test/adapters/console/everybody.test.ts",
  "test/adapters/console/slow.test.ts",
  "test/clients/recipes.test.ts",
  "test/examples/stores.test.ts",
  "test/package/installed.test.ts",
  "test/package/types.test.ts",
  "test/plugins/accounts/adapter-kit.test.ts",
  "test/plugins/accounts/many-tries.test.ts",
  "test/plugins/custom/memory.test.ts",
];

/** Take minutes, though their files are short: they begin first. */
export const longest = [
  "test/adapters/level/conformance.test.ts",
  "test/adapters/mongodb/conformance.test.ts",
  "test/adapters/mongodb/deploy-processes.test.ts",
  "test/adapters/mongodb/killed-writers.test.ts",
  "test/adapters/mongodb/outbox-servers.test.ts",
  "test/adapters/mongodb/recovery.test.ts",
  "test/adapters/read-workers/threads.test.ts",
  "test/adapters/transports.test.ts",
  "test/attack/crash/crash.test.ts",
  "test/attack/disk/disk.test.ts",
  "test/attack/model/model.test.ts",
  "test/cli/dev.test.ts",
  "test/cli/start.test.ts",
  "test/examples/stores.test.ts",
  "test/golden/answers.test.ts",
  "test/readme/blocks.test.ts",
];

/**
 * Folders and files of specs that open a store only because a kernel needs one: they state what lies above the storages, and run on LevelDB
 * alone. A spec that states what is stored, found, ordered, counted, authorized or sent as a live result is not among them, unless others state the
 * same on every storage: guides, recorded answers under access control, feeds that are imitated above a storage.
 */
export const aboveStorages = [
  "test/adapters/bodies.test.ts",
  "test/adapters/caller-limits.test.ts",
  "test/adapters/console/",
  "test/adapters/fetch/",
  "test/adapters/envelop-plugins.test.ts",
  "test/adapters/faulty-transports.test.ts",
  "test/adapters/grpc/callers.test.ts",
  "test/adapters/grpc/pydgraph.test.ts",
  "test/adapters/long-answers.test.ts",
  "test/adapters/namespaces/live.test.ts",
  "test/adapters/node-http/",
  "test/adapters/ordered/",
  "test/adapters/pipelines.test.ts",
  "test/adapters/server/http/admin-access.test.ts",
  "test/adapters/server/http/admin-graphql.test.ts",
  "test/adapters/server/http/alter-schema.test.ts",
  "test/adapters/server/http/api-keys.test.ts",
  "test/adapters/server/http/console-of-another-origin.test.ts",
  "test/adapters/server/http/deploy-report.test.ts",
  "test/adapters/server/http/dry-run.test.ts",
  "test/adapters/server/http/event-stream.test.ts",
  "test/adapters/server/http/foreign-pages.test.ts",
  "test/adapters/server/http/graphiql-browser.test.ts",
  "test/adapters/server/http/graphiql-requests.test.ts",
  "test/adapters/server/http/graphiql.test.ts",
  "test/adapters/server/http/graphql-endpoint.test.ts",
  "test/adapters/server/http/introspection.test.ts",
  "test/adapters/server/http/long-bodies.test.ts",
  "test/adapters/server/http/malformed.test.ts",
  "test/adapters/server/http/plugin-additions.test.ts",
  "test/adapters/server/http/trusted-documents.test.ts",
  "test/adapters/server/socket/",
  "test/adapters/transports.test.ts",
  "test/adapters/wrong-transports.test.ts",
  "test/adapters/ws/",
  "test/adapters/yoga/",
  "test/attack/input/",
  "test/cli/",
  "test/clients/",
  "test/examples/supergraph.test.ts",
  "test/examples/transport.test.ts",
  "test/golden/acl-answers.test.ts",
  "test/golden/auth-admin-token.test.ts",
  "test/golden/custom.test.ts",
  "test/golden/http.test.ts",
  "test/golden/lambda.test.ts",
  "test/golden/readers.test.ts",
  "test/golden/transcripts.test.ts",
  "test/plugins/accounts/cross-site.test.ts",
  "test/plugins/acl/login-route.test.ts",
  "test/plugins/auth/development-token.test.ts",
  "test/plugins/auth/key-sets.test.ts",
  "test/plugins/auth/openid-issuer.test.ts",
  "test/plugins/auth/sign-in.test.ts",
  "test/plugins/auth/tokens.test.ts",
  "test/plugins/contract/closing.test.ts",
  "test/plugins/contract/faults.test.ts",
  "test/plugins/contract/missing-plugin.test.ts",
  "test/plugins/custom/",
  "test/plugins/dql/bad-input.test.ts",
  "test/plugins/dql/http.test.ts",
  "test/plugins/dql/mutated-documents.test.ts",
  "test/plugins/federation/gateway.test.ts",
  "test/plugins/federation/sdl.test.ts",
  "test/plugins/lambda/functions.test.ts",
  "test/plugins/lambda/script.test.ts",
  "test/plugins/lambda/webhook.test.ts",
  "test/readme/guides.test.ts",
  "test/request/documents.test.ts",
  "test/request/envelop.test.ts",
  "test/request/offload.test.ts",
  "test/request/long-documents.test.ts",
  "test/request/names.test.ts",
  "test/request/new-documents.test.ts",
  "test/request/overload.test.ts",
  "test/request/well-formed.test.ts",
  "test/plugins/subscription/live/feeds.test.ts",
  "test/telemetry/log.test.ts",
  "test/telemetry/observer.test.ts",
  "test/telemetry/subscription-end.test.ts",
];

const level = "test/adapters/level/";
const mongodb = "test/adapters/mongodb/";

export interface Suite {
  readonly name: string;
  /** Completes "It leaves out …" */
  readonly what: string;
  readonly storage: "level" | "mongodb";
  readonly files: readonly string[];
  /** The suite that runs all of these too. */
  readonly partOf?: string;
}

const onLevel = allSpecs().filter((spec) => !spec.startsWith(mongodb));
const everyday = onLevel.filter((spec) => ![...kills, ...heavy].includes(spec));
const notQuick = new Set([...models, ...slow, ...specsWithProcesses()]);

export const suites: readonly Suite[] = [
  { name: "mongodb", what: "the specs of every storage and of its adapter, on MongoDB", storage: "mongodb", files: onMongodb() },
  {
    name: "thorough",
    what: "models with other and more examples, killed processes, a large graph, long specs of what others state in part",
    storage: "level",
    files: [...models, ...kills, ...heavy],
  },
  { name: "everyday", what: "every spec on LevelDB but those, models with fewer examples", storage: "level", files: everyday },
  { name: "level", what: "the quick ones of everyday", storage: "level", files: everyday.filter((spec) => !notQuick.has(spec)), partOf: "everyday" },
];

function onMongodb(): readonly string[] {
  const everywhere = specsOnEveryStorage().filter((spec) => !spec.startsWith(level) && !aboveStorages.some((each) => spec.startsWith(each)));
  return [...new Set([...allSpecs().filter((spec) => spec.startsWith(mongodb)), ...everywhere])];
}
