// Every name that an entry of the package exports has a comment: it is what an editor shows to users of the name. So has a member of these names
// in the entries of the kernel, unless its own name says all.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync, Visitor } from "vite";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

function indexesOf(folder: string): readonly string[] {
  const found = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return found.filter((file) => /^[^/]+\/index\.ts$/.test(file) && !file.startsWith("console/")).map((file) => `${folder}/${file}`);
}

const entries = [
  "core/index.ts",
  "plugins/index.ts",
  "core/server.ts",
  "core/storage.ts",
  "core/transport.ts",
  "test/conformance/index.ts",
  ...indexesOf("plugins"),
  ...indexesOf("adapters"),
];

interface Declared {
  readonly file: string;
  readonly name: string;
  readonly isCommented: boolean;
}

const reExport = /^export (?:type )?(?:\*|\{([^}]*)\}) from "(\.[^"]+)";/gm;
const declaration = /^export (?:declare )?(?:abstract )?(?:async )?(?:interface|type|const|function|class) (\w+)/gm;

/** What `file` exports, with what it passes on from other files. */
function exportsOf(file: string): readonly Declared[] {
  const text = readFileSync(join(root, file), "utf8");
  const own = [...text.matchAll(declaration)].map(({ 1: name = "", index }) => ({
    file,
    name,
    isCommented: isCommented(text.slice(0, index), name),
  }));
  const passedOn = [...text.matchAll(reExport)].flatMap(([, list, target = ""]) => {
    const all = exportsOf(normalize(join(dirname(file), target)));
    const names = list?.split(",").map(
      (part) =>
        part
          .trim()
          .replace(/^type /, "")
          .split(" as ")[0],
    );
    return names === undefined ? all : all.filter(({ name }) => names.includes(name));
  });
  return [...own, ...passedOn];
}

/** A second signature of a function needs no comment of its own. */
function isCommented(before: string, name: string): boolean {
  return before.endsWith("*/\n") || new RegExp(`function ${name}\\b[^\\n]*\\n$`).test(before);
}

it("finds the names", () => {
  const names = entries.flatMap(exportsOf).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["createKernel", "DirectivePlugin", "Storage", "Transport", "searchPlugin", "storageConformance"]));
  expect(new Set(names).size).toBeGreaterThan(400);
});

it("leaves no exported name without a comment", () => {
  const bare = entries.flatMap(exportsOf).filter((each) => !each.isCommented);
  expect([...new Set(bare.map(({ file, name }) => `${file}: ${name}`))]).toEqual([]);
});

const kernelEntries = ["core/index.ts", "core/plugin.ts", "core/storage.ts", "core/transport.ts"];

/** `core/query` is left out. Names that say what the member is, in whatever type: discriminants, names of things, and what the comment of the whole type explains. */
const plain = new Set(
  `kind role by type types fromType toType name uid field fields index indexes key keys edge end node nodes id definition value values of list layout model api
   schema settings storage log logLevel level limits limit persistedQueries perCaller path locations line column message errors extensions data json body bytes
   method url status query variables request operation op order direction first last offset measures groups filter run outcome length push get kindOf distance
   coordinates arguments binder reader writer budget snapshot selection target description print change cause to stored state runs subscriptions subscription exchange
   debug info warn measure lastRunMs lastWake`.split(/\s+/),
);

/** The name under which private members stand. */
const hidden = "#";

interface Member {
  readonly of: string;
  readonly name: string;
  readonly isCommented: boolean;
}

/** Members of the interfaces, types and classes of a file, by the name of what they belong to. Private ones are left out. */
function membersOf(file: string): readonly Member[] {
  const source = readFileSync(join(root, file), "utf8");
  const owners: { readonly name: string; readonly start: number; readonly end: number }[] = [];
  const found: { readonly name: string; readonly start: number; readonly end: number }[] = [];
  const owner = ({ id, start, end }: { readonly id: { readonly name: string } | null; readonly start: number; readonly end: number }) => {
    if (id) owners.push({ name: id.name, start, end });
  };
  const member = ({
    key,
    start,
    end,
  }: {
    readonly key: { readonly type: string; readonly name?: unknown };
    readonly start: number;
    readonly end: number;
  }) => {
    found.push({ name: key.type === "PrivateIdentifier" ? hidden : String(key.name), start, end });
  };
  new Visitor({
    TSInterfaceDeclaration: owner,
    TSTypeAliasDeclaration: owner,
    ClassDeclaration: owner,
    TSPropertySignature: member,
    TSMethodSignature: member,
    PropertyDefinition: member,
    MethodDefinition: member,
  }).visit(parseSync(file, source).program);
  // What is written in place belongs to the member around it, and its comment covers both.
  const outer = found.filter(({ start }) => !found.some((each) => each.start < start && start < each.end));
  return outer.flatMap(({ name, start }) => {
    const of = owners.find((each) => each.start < start && start < each.end);
    return of === undefined || name === hidden || name === "constructor"
      ? []
      : [{ of: of.name, name, isCommented: source.slice(0, start).trimEnd().endsWith("*/") }];
  });
}

it("leaves no member of the kernel's entries without a comment, unless its name says all", () => {
  const exported = new Map<string, Set<string>>();
  for (const { file, name } of kernelEntries.flatMap(exportsOf)) exported.set(file, (exported.get(file) ?? new Set()).add(name));
  const all = [...exported].flatMap(([file, names]) =>
    file.startsWith("core/query/") ? [] : membersOf(file).flatMap((each) => (names.has(each.of) ? [{ file, ...each }] : [])),
  );
  expect(all.length).toBeGreaterThan(700);
  const bare = all.filter(({ name, isCommented }) => !isCommented && !plain.has(name));
  expect(bare.map(({ file, of, name }) => `${file}: ${of}.${name}`)).toEqual([]);
});
