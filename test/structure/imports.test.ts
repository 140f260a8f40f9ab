// Who may import whom is a fact, not a wish: every import line of the project is read.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Kind, parse } from "graphql";
import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";

const root = join(import.meta.dirname, "../..");
const importLine = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** TypeScript files, with and without JSX, below a folder, as paths from the project's root. */
function sources(folder: string): readonly string[] {
  const path = join(root, folder);
  const files = existsSync(path) ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
  return files.filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules")).map((file) => join(folder, file));
}

/** Imports of our own files. */
function arrows(folder: string): readonly Arrow[] {
  return sources(folder).flatMap((from) =>
    [...readFileSync(join(root, from), "utf8").matchAll(importLine)].flatMap(([, target = ""]) =>
      target.startsWith(".") ? [{ from, to: normalize(join(dirname(from), target)) }] : [],
    ),
  );
}

function forbidden(folder: string, mayImport: (arrow: Arrow) => boolean): readonly string[] {
  return arrows(folder)
    .filter((arrow) => !mayImport(arrow))
    .map(({ from, to }) => `${from} -> ${to}`);
}

/** For each way back to where it began, the files on it. */
function circles(all: readonly Arrow[]): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of all) targets.set(from, [...(targets.get(from) ?? []), to]);
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) found.push([...path.slice(at), file].join(" -> "));
    if (at >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}

/** The floors of the kernel: a file may import from its own and from those before it. */
const layers = [
  "core/ground",
  "core/contracts",
  "core/telemetry",
  "core/schema/document",
  "core/schema/model",
  "core/schema/layout",
  "core/schema/api",
  "core/schema/plugins",
  "core/schema/deployment",
  "core/query/layout-index",
  "core/query/operation-context.ts",
  "core/query/evaluate",
  "core/query/level",
  "core/query/write",
  "core/query/sorting",
  "core/query/powers",
  "core/query/steps",
  "core/query/plan",
  "core/query/access",
  "core/query/read",
  "core/mutation/checks",
  "core/mutation/context",
  "core/mutation/access",
  "core/mutation/input",
  "core/mutation/keys",
  "core/mutation/links",
  "core/mutation/prepare",
  "core/mutation/run",
  "core/mutation/transaction",
  "core/request/errors",
  "core/request/documents",
  "core/request/variables",
  "core/request/budget",
  "core/request/caller",
  "core/request/operation",
  "core/request/pipeline",
  "core/background",
  "core/subscriptions",
  "core/config",
  "core",
];

function layerOf(file: string): string {
  const inner = layers.filter((layer) => layer !== "core" && (file === layer || file.startsWith(`${layer}/`)));
  return inner[0] ?? (file.split("/").length === 2 ? "core" : file);
}

/**
 * The floors of each adapter and plugin of more than five files, from the ground: a file imports from its own folder and from those before it. The files
 * beside the folders are the top, unless `.` says where they are.
 */
const floors: Readonly<Record<string, readonly string[]>> = {
  "adapters/cli": ["ground", "client-types", "first", "stack", "client", "import", "commands"],
  "adapters/console": [".", "app"],
  "adapters/grpc": ["wire", "calls"],
  "adapters/level": ["files"],
  "adapters/mongodb": ["connection", "layout", "sharding", "session", "read", "database", "write", "transact", "adopt", "deploy", "verify"],
  "adapters/ordered": [
    "ground",
    "keyspaces",
    "nearest",
    "structures",
    "layout",
    "read",
    "write",
    "database",
    "build",
    "deploy",
    "load",
    "threaded",
    "verify",
    "follow",
  ],
  "adapters/server": [
    "http",
    "config",
    "access",
    "documents",
    "parts",
    "console",
    "graphiql",
    "graphql",
    "socket",
    "health",
    "tasks",
    "dgraph-admin",
  ],
  "adapters/transfer": ["bulk", "files", "sort", "source", "import", "propose", "compare", "export", "backup"],
  "plugins/accounts": ["ground", "schema", "store", "hashes", "web", "mail", "admin", "transfer", "tasks"],
  "plugins/custom": ["http", "template", "directive", "graphql", "fields"],
  "plugins/dql": [
    "language",
    "schema",
    "state",
    "plan",
    "run",
    "answer",
    "schema-request",
    "overlay",
    "request",
    "mutation",
    "write",
    "transactions",
    "custom",
  ],
  "plugins/federation": ["schema", "sdl"],
  "plugins/files": ["stores", "kit", "ground", "schema", "records", "form", "upload", "requests", "write", "images", "read", "tasks", "upkeep"],
  "plugins/lambda": ["handlers", "outbox", "webhook", "events", "fields", "types"],
  "plugins/search": ["ground", "text", "geo", "kinds", "links", "compound"],
  "plugins/subscription": ["live"],
};

/** `socket` of `adapters/server/socket/start-queue.ts`; `.` of a file beside the folders. */
function folderOf(path: string): string {
  const [, , folder = ".", file] = path.split("/");
  return file === undefined ? "." : folder;
}

/** Adapters and plugins of more than five files in several folders. */
function partsWithFloors(): readonly string[] {
  const files = ["adapters", "plugins"].flatMap(sources);
  return [...new Set(files.map(partOf))].filter((part) => {
    const own = files.filter((file) => partOf(file) === part);
    return own.length > 5 && new Set(own.map(folderOf)).size > 1;
  });
}

function upwards(part: string): readonly string[] {
  const named = floors[part] ?? [];
  const order = named.includes(".") ? named : [...named, "."];
  return forbidden(part, ({ from, to }) => partOf(to) !== part || order.indexOf(folderOf(to)) <= order.indexOf(folderOf(from)));
}

/** Two folders of which each has a file that imports from the other. */
function mutualPairs(all: readonly Arrow[], placeOf: (file: string) => string): readonly string[] {
  const ways = new Set(all.map(({ from, to }) => `${placeOf(from)} ${placeOf(to)}`));
  return [...ways].filter((way) => {
    const [from = "", to = ""] = way.split(" ");
    return from < to && ways.has(`${to} ${from}`);
  });
}

/** Which toolkits an adapter is written with. */
const toolkits: Readonly<Record<string, readonly string[]>> = {
  "adapters/level": ["adapters/ordered", "adapters/storage-kit"],
  "adapters/memory": ["adapters/ordered"],
  "adapters/mongodb": ["adapters/storage-kit"],
  "adapters/namespaces": ["adapters/server"],
  "adapters/ordered": ["adapters/storage-kit"],
  "adapters/read-workers": ["adapters/idle-memory"],
  "adapters/server": ["adapters/idle-memory", "adapters/transfer"],
  "adapters/transfer": ["adapters/storage-kit"],
  "adapters/grpc": ["adapters/node-http"],
  "adapters/ws": ["adapters/node-http"],
  "adapters/yoga": ["adapters/fetch", "adapters/node-http"],
};

/** The entries of the kernel. */
const kernelEntries = ["core/index.ts", "core/plugin.ts", "core/storage.ts", "core/transport.ts", "core/server.ts"];

/** The entries of the kernel with which each adapter is written; the server layer and the command line use all. */
const entriesOf: Readonly<Record<string, readonly string[]>> = {
  "adapters/fetch": ["core/transport.ts"],
  "adapters/grpc": ["core/plugin.ts", "core/transport.ts"],
  "adapters/idle-memory": [],
  "adapters/level": ["core/storage.ts"],
  "adapters/memory": ["core/storage.ts"],
  "adapters/mongodb": ["core/storage.ts"],
  "adapters/node-http": ["core/transport.ts"],
  "adapters/opentelemetry": ["core/index.ts"],
  "adapters/ordered": ["core/storage.ts"],
  "adapters/pino": ["core/index.ts"],
  "adapters/prometheus": ["core/index.ts"],
  "adapters/read-workers": ["core/index.ts"],
  "adapters/storage-kit": ["core/storage.ts"],
  "adapters/ws": ["core/transport.ts"],
  "adapters/yoga": ["core/transport.ts"],
};

/** External packages by folder: of the kernel each layer, elsewhere each plugin and adapter. `node:` modules are named in the layers of the kernel alone. */
const packages: Readonly<Record<string, readonly string[]>> = {
  "core/ground": ["fastest-levenshtein", "node:timers", "node:timers/promises"],
  "core/contracts": ["graphql", "node:worker_threads"],
  "core/telemetry": ["graphql", "node:crypto"],
  "core/schema/document": ["graphql", "lru-cache"],
  "core/schema/model": ["graphql"],
  "core/schema/api": ["graphql", "lru-cache"],
  "core/schema/plugins": ["graphql"],
  "core/schema/deployment": ["graphql", "node:crypto", "node:timers/promises"],
  "core/query/level": ["graphql"],
  "core/query/write": ["graphql"],
  "core/query/steps": ["graphql"],
  "core/query/plan": ["graphql"],
  "core/query/read": ["graphql", "lru-cache"],
  "core/request/errors": ["graphql"],
  "core/request/documents": ["graphql", "lru-cache", "node:timers/promises"],
  "core/request/variables": ["graphql"],
  "core/request/budget": ["lru-cache"],
  "core/request/caller": ["node:crypto"],
  "core/request/operation": ["@envelop/core", "graphql"],
  "core/request/pipeline": ["@envelop/core", "graphql"],
  "core/background": ["node:crypto", "node:timers/promises"],
  "core/config": ["@envelop/core", "graphql"],
  "adapters/cli": ["cli-progress", "commander", "graphql", "jiti", "quern"],
  "adapters/console": [
    "@codemirror/autocomplete",
    "@codemirror/commands",
    "@codemirror/language",
    "@codemirror/lint",
    "@codemirror/merge",
    "@codemirror/search",
    "@codemirror/state",
    "@codemirror/view",
    "@dagrejs/dagre",
    "@lezer/highlight",
    "@tanstack/virtual-core",
    "cm6-graphql",
    "graphql",
    "lossless-json",
    "papaparse",
    "playwright-core",
    "preact",
    "topojson-client",
    "topojson-specification",
    "uplot",
    "vite",
    "world-atlas",
  ],
  "adapters/grpc": ["@grpc/grpc-js", "@grpc/proto-loader"],
  "adapters/level": ["abstract-level", "level"],
  "adapters/memory": ["abstract-level", "memory-level"],
  "adapters/mongodb": ["mongodb"],
  "adapters/node-http": ["ws"],
  "adapters/opentelemetry": ["@envelop/core", "@opentelemetry/api", "graphql"],
  "adapters/ordered": ["lru-cache", "msgpackr"],
  "adapters/pino": ["pino", "pino-pretty"],
  "adapters/prometheus": ["prom-client"],
  "adapters/server": ["graphql", "graphql-ws", "lru-cache"],
  "adapters/transfer": ["graphql"],
  "adapters/yoga": ["graphql-yoga"],
  "plugins/accounts": ["@node-rs/argon2", "bcrypt", "better-auth", "graphql", "lru-cache", "nodemailer"],
  "plugins/acl": ["bcrypt", "jose", "lru-cache"],
  "plugins/auth": ["graphql", "jose", "lru-cache", "re2js"],
  "plugins/constraints": ["graphql"],
  "plugins/custom": ["graphql"],
  "plugins/default": ["graphql"],
  "plugins/federation": ["graphql"],
  "plugins/files": ["@fastify/busboy", "@tus/server", "aws4fetch", "graphql", "image-size", "sharp"],
  "plugins/generate": ["graphql"],
  "plugins/identity": ["graphql"],
  "plugins/lambda": ["graphql", "jiti"],
  "plugins/search": ["@orama/stemmers", "@orama/stopwords", "graphql", "lru-cache", "re2js", "s2js", "stemmer"],
  "plugins/dql": ["bcrypt", "graphql", "re2js"],
  "plugins/embedding": ["graphql"],
  "plugins/nested": ["graphql"],
  "plugins/secret": ["bcrypt", "graphql"],
  "plugins/storage-names": ["graphql"],
  "plugins/subscription": ["graphql"],
  "plugins/grouping": ["graphql"],
  "plugins/paging": ["graphql"],
  "plugins/remote": ["@opentelemetry/api", "undici"],
  "plugins/validation": ["graphql", "re2js"],
  "plugins/was": ["graphql"],
};

interface PackageUse {
  readonly file: string;
  readonly folder: string;
  readonly name: string;
}

/** An import as a statement of its own, or in place. */
const packageLine = /^(?:\}|import\b.*|export\b.*) from "([^"]+)";|\bimport\("([^"]+)"\)/gm;

/** Packages that the files below `folder` import; in the kernel also the modules of Node. */
function packageUses(folder: string): readonly PackageUse[] {
  return sources(folder).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(packageLine)].flatMap(([, from, loaded]) => {
      const target = from ?? loaded ?? "";
      const name = target.startsWith("node:") ? target : (/^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? "");
      const counts = !target.startsWith(".") && (!name.startsWith("node:") || folder === "core");
      return counts ? [{ file, folder: folder === "core" ? layerOf(file) : partOf(file), name }] : [];
    }),
  );
}

/** `plugins/search` of `plugins/search/kinds/term.ts`. */
const partOf = (path: string) => path.split("/").slice(0, 2).join("/");

describe("imports", () => {
  it("finds the files it judges", () => {
    expect(arrows("core").length).toBeGreaterThan(50);
  });

  it("keep the kernel to itself", () => {
    expect(forbidden("core", ({ to }) => to.startsWith("core/"))).toEqual([]);
  });

  it("let a plugin see the entry for plugins, the toolkit for plugins, the directive that two plugins read, and its own folder", () => {
    const shared = ["core/plugin.ts", "plugins/custom-sdl.ts", "plugins/remote/index.ts"];
    expect(forbidden("plugins", ({ from, to }) => shared.includes(to) || partOf(from) === partOf(to))).toEqual([]);
  });

  it("let an adapter see the entry of its kind, the toolkits of its kind and its own folder; the command line sees every index", () => {
    const allowed = ({ from, to }: Arrow) =>
      (entriesOf[partOf(from)] ?? kernelEntries).includes(to) ||
      partOf(from) === partOf(to) ||
      (toolkits[partOf(from)] ?? []).some((toolkit) => to === `${toolkit}/index.ts`) ||
      (partOf(from) === "adapters/cli" && /^(?:plugins|adapters)\/[^/]+\/index\.ts$/.test(to));
    expect(forbidden("adapters", allowed)).toEqual([]);
  });

  it("lead downwards between the layers of the kernel", () => {
    const upwards = arrows("core").filter(({ from, to }) => layers.indexOf(layerOf(to)) > layers.indexOf(layerOf(from)));
    expect(upwards.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
    expect(new Set(sources("core").map(layerOf))).toEqual(new Set(layers));
  });

  it("are drawn in the picture of the architecture as they are", () => {
    const named = layers.map((layer) => (layer === "core" ? "the files of core/" : layer.slice("core/".length)));
    const idOf = (name: string) => (name === "the files of core/" ? "kernel" : name.replaceAll(/[^a-z]/g, "_"));
    const arrow = (from: string, to: string) => `  ${idOf(from)}["${from}"] --> ${idOf(to)}["${to}"]`;
    const drawn = named.slice(1).map((name, i) => arrow(named[i] ?? "", name));
    expect(readFileSync(join(root, "docs/architecture.md"), "utf8")).toContain(`flowchart TB\n${drawn.join("\n")}\n`);
  });

  it("lead downwards between the folders of each adapter and plugin", () => {
    expect(Object.keys(floors)).toEqual(partsWithFloors().toSorted());
    for (const [part, named] of Object.entries(floors)) {
      expect(new Set([...named, "."]), part).toEqual(new Set(sources(part).map(folderOf)));
      expect(upwards(part)).toEqual([]);
    }
  });

  it("leave no two folders that import each other", () => {
    const placeOf = (file: string) => `${partOf(file)}/${folderOf(file)}`;
    expect(mutualPairs(["adapters", "plugins"].flatMap(arrows), placeOf)).toEqual([]);
    expect(mutualPairs(arrows("core"), layerOf)).toEqual([]);
    const apart = { from: "plugins/a/x/1.ts", to: "plugins/a/y/2.ts" };
    expect(mutualPairs([apart, { from: "plugins/a/x/3.ts", to: "plugins/a/y/3.ts" }], placeOf)).toEqual([]);
    expect(mutualPairs([apart, { from: "plugins/a/y/3.ts", to: "plugins/a/x/3.ts" }], placeOf)).toEqual(["plugins/a/x plugins/a/y"]);
    expect(mutualPairs([apart, { from: "plugins/a/y/3.ts", to: "plugins/a/x.ts" }], placeOf)).toEqual([]);
  });

  it("bring each package into the folders that may use it", () => {
    const uses = ["core", "plugins", "adapters"].flatMap(packageUses);
    const unexpected = uses.filter(({ folder, name }) => !(packages[folder] ?? []).includes(name));
    expect(unexpected.map(({ file, name }) => `${file} uses ${name}`)).toEqual([]);
    const unused = Object.entries(packages).flatMap(([folder, names]) =>
      names.filter((name) => !uses.some((use) => use.folder === folder && use.name === name)).map((name) => `${folder} does not use ${name}`),
    );
    expect(unused).toEqual([]);
  });

  it("load at the start no package that the first answer does without", () => {
    const late = ["bcrypt", "pino-pretty", "prom-client"];
    const line = new RegExp(`^import (?!type )[^;]*? from "(${late.join("|")})";$`, "gm");
    const loading = ["core", "plugins", "adapters"].flatMap((folder) =>
      sources(folder).flatMap((file) => [...readFileSync(join(root, file), "utf8").matchAll(line)].map(([, name]) => `${file} loads ${name}`)),
    );
    // Both are imported when they are used: the first at the first scrape or after the first answer, the second for a server with users.
    expect(loading).toEqual(["plugins/acl/passwords.ts loads bcrypt", "adapters/prometheus/exporter.ts loads prom-client"]);
  });

  it("let nobody see the command line", () => {
    const seen = ["core", "plugins", "adapters", "examples"]
      .flatMap(arrows)
      .filter(({ from, to }) => partOf(to) === "adapters/cli" && partOf(from) !== "adapters/cli");
    expect(seen).toEqual([]);
  });

  it("form no circle, those of types included", () => {
    const kernel = ["core", "plugins", "adapters", "examples", "test/conformance"].flatMap(arrows);
    expect(circles(kernel)).toEqual([]);
    expect(circles([...kernel, { from: "core/ground/values/uid.ts", to: "core/index.ts" }])).not.toEqual([]);
  });

  it("let examples use the published package, the plugin that serves pages, and configurations of each other", () => {
    const shared = ["examples/page-plugin/page-plugin.ts", "examples/chat/quern.config.ts"];
    expect(forbidden("examples", ({ from, to }) => partOf(from) === partOf(to) || shared.includes(to))).toEqual([]);
  });

  it("let a spec open a store through test/support, so that it runs on every storage, unless it is about one alone", () => {
    const ofOne = [
      "test/adapters/level/",
      "test/adapters/mongodb/",
      "test/adapters/mongodb-commands/",
      "test/attack/crash/",
      "test/attack/damage/",
      "test/attack/disk/",
      "test/config/typed/",
      "test/support/",
      "test/bench/",
    ];
    const opening = ({ from, to }: Arrow) => /^adapters\/(?:level|mongodb)\//.test(to) && !ofOne.some((folder) => from.startsWith(folder));
    expect(forbidden("test", (arrow) => !opening(arrow))).toEqual([]);
  });

  it("let conformance kits use the package's entries and themselves", () => {
    // The kit for directives needs an engine of live queries.
    const entries = [...kernelEntries, "adapters/server/index.ts", "plugins/subscription/index.ts"];
    expect(forbidden("test/conformance", ({ to }) => entries.includes(to) || to.startsWith("test/conformance/"))).toEqual([]);
  });

  it("reach every entry of the kernel by an export of the package, directly or by an index that passes it on", () => {
    const { exports }: { readonly exports: Readonly<Record<string, string | { readonly default: string }>> } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8"),
    );
    const published = Object.values(exports).map((each) => (typeof each === "string" ? each : each.default));
    const sourceOf = (path: string) =>
      normalize(path)
        .replace(/^dist\//, "")
        .replace(/\.js$/, ".ts");
    const indexes = ["adapters/server/index.ts", "plugins/index.ts"];
    const passedOn = [...arrows("adapters/server"), ...arrows("plugins")].filter(({ from }) => indexes.includes(from)).map(({ to }) => to);
    const reached = [...published.map(sourceOf), ...passedOn];
    expect(kernelEntries.filter((entry) => !reached.includes(entry))).toEqual([]);
    expect(published.map(sourceOf)).toEqual(expect.arrayContaining(indexes));
  });

  it("let no entry of the kernel pass on another", () => {
    expect(kernelEntries.filter((entry) => !existsSync(join(root, entry)))).toEqual([]);
    expect(forbidden("core", ({ to }) => !kernelEntries.includes(to))).toEqual([]);
    const main = arrows("adapters/server").filter(({ from, to }) => from === "adapters/server/index.ts" && kernelEntries.includes(to));
    expect(main.map(({ to }) => to)).toEqual(["core/index.ts"]);
    expect(arrows("plugins").flatMap(({ from, to }) => (from === "plugins/index.ts" ? [to] : []))).toEqual([
      "core/plugin.ts",
      "plugins/remote/index.ts",
    ]);
  });
});

describe("the kernel", () => {
  it("names no directive of a plugin, except in the list of known plugins and in recorded error messages", () => {
    const directives = definedDirectives();
    expect(directives).toEqual(expect.arrayContaining(["search", "hasInverse", "id", "key", "paged", "webhook", "withSubscription"]));
    const unmistakable = directives.filter((name) => !otherWords.has(name));
    const names = new RegExp(`@(?:${directives.join("|")})\\b|["'\`](?:${unmistakable.join("|")})["'\`(]`);
    const allowed = ["core/schema/document/known-plugins.ts", "core/mutation/context/error-messages.ts"];
    const naming = sources("core").filter((file) => withoutComments(file).some((line) => names.test(line)));
    expect(naming.filter((file) => !allowed.includes(file))).toEqual([]);
    expect(naming).toEqual(expect.arrayContaining(allowed));
  });
});

/** Directives that plugins define. */
function definedDirectives(): readonly string[] {
  const definitions = standardPlugins().flatMap((plugin) => (plugin.definitions.trim() === "" ? [] : parse(plugin.definitions).definitions));
  return definitions.flatMap((each) => (each.kind === Kind.DIRECTIVE_DEFINITION ? [each.name.value] : []));
}

/** Names of directives that are words of the kernel or of GraphQL too: in quotes they name no directive. */
const otherWords: ReadonlySet<string> = new Set(["extends", "index", "file", "id", "key", "nested", "range", "storage", "transaction", "version"]);

function withoutComments(file: string): readonly string[] {
  return readFileSync(join(root, file), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .split("\n")
    .map((line) => line.replace(/\/\/.*$/, ""));
}
