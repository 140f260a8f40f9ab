// A value that a file exports is imported by another one. Entries export for others: those of the kernel, and the index of each plugin and adapter.
//
// Types are left out: an exported function names them, and whoever calls it may want to. So are `core/query`, and files that Node itself loads.

import { dirname, join } from "node:path";
import { parseSync, Visitor } from "vite";
import { expect, it } from "vitest";
import { sourcesOf } from "./documents.ts";

const sources = new Map(["core", "plugins", "adapters", "examples", "test"].flatMap((folder) => [...sourcesOf(folder)]));
const loadedByNode = ["adapters/cli/stack/fresh-module-hooks.ts"];

const isEntry = (file: string) =>
  /^(?:examples|test)\/|^(?:plugins|adapters)\/(?:[^/]+\/)?index\.ts$|^core\/(?:index|plugin|storage|transport|server)\.ts$/.test(file);
const isJudged = (file: string) => !isEntry(file) && !file.startsWith("core/query/") && !loadedByNode.includes(file);

interface Links {
  /** `core/ground/turns.ts nextTurn`, or `core/ground/turns.ts *` for all. */
  readonly used: ReadonlySet<string>;
  readonly exported: readonly string[];
}

const targetOf = (file: string, path: string) => (path.startsWith(".") ? join(dirname(file), path).replaceAll("\\", "/") : path);

function linksOf(file: string, source: string): Links {
  const used = new Set<string>();
  const exported: string[] = [];
  const visitor = new Visitor({
    ImportDeclaration({ source: { value }, specifiers }) {
      for (const each of specifiers) {
        const name = each.type === "ImportSpecifier" && each.imported.type === "Identifier" ? each.imported.name : "*";
        used.add(`${targetOf(file, value)} ${name}`);
      }
    },
    ImportExpression({ source: path }) {
      if (path.type === "Literal" && typeof path.value === "string") used.add(`${targetOf(file, path.value)} *`);
    },
    ExportAllDeclaration({ source: { value } }) {
      used.add(`${targetOf(file, value)} *`);
    },
    ExportNamedDeclaration({ source: from, specifiers, declaration }) {
      for (const { local } of specifiers) if (from && local.type === "Identifier") used.add(`${targetOf(file, from.value)} ${local.name}`);
      if (declaration?.type === "FunctionDeclaration" || declaration?.type === "ClassDeclaration") exported.push(declaration.id?.name ?? "");
      if (declaration?.type === "VariableDeclaration")
        for (const { id } of declaration.declarations) if (id.type === "Identifier") exported.push(id.name);
    },
  });
  visitor.visit(parseSync(file, source).program);
  return { used, exported };
}

it("leaves no value exported that no other file imports", () => {
  const links = new Map([...sources].map(([file, source]) => [file, linksOf(file, source)]));
  const used = new Set([...links.values()].flatMap((each) => [...each.used]));
  const unused = [...links].flatMap(([file, { exported }]) =>
    isJudged(file) && !used.has(`${file} *`) ? exported.filter((name) => !used.has(`${file} ${name}`)).map((name) => `${file} ${name}`) : [],
  );
  expect(unused).toEqual([]);
});

it("reads imports and exports in each form", () => {
  const source = `import { a } from "./a.ts";\nexport { b } from "./b.ts";\nconst c = import("./c.ts");\nexport const d = 1, e = 2;\nexport function f() {}\nexport interface G {}`;
  expect(linksOf("core/x.ts", source)).toEqual({ used: new Set(["core/a.ts a", "core/b.ts b", "core/c.ts *"]), exported: ["d", "e", "f"] });
});
