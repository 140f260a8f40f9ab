// Every command, flag, variable, limit, option and error code that a document names exists, and each one that exists is in a document.

import { dirname } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { quernProgram } from "../../adapters/cli/program.ts";
import { defaultLimits, errorCatalogue } from "../../core/index.ts";
import { documents, sourcesBeside, sourcesOf } from "./documents.ts";

const sources = new Map(["core", "plugins", "adapters"].flatMap((folder) => [...sourcesOf(folder)]));
const allText = documents.map(({ text }) => text).join("\n");

/** `place: name` for each name that `known` does not have. */
function unknown(namesIn: (code: string) => readonly string[], known: (name: string) => boolean): readonly string[] {
  return documents.flatMap(({ path, code }) =>
    code
      .flatMap(namesIn)
      .filter((name) => !known(name))
      .map((name) => `${path}: ${name}`),
  );
}

function matches(pattern: RegExp): (code: string) => readonly string[] {
  return (code) => [...code.matchAll(pattern)].map(([all, name]) => name ?? all);
}

describe("documents and the command line", () => {
  const program = quernProgram();
  const commands = allCommands(program);
  const flagsOf = (command: Command) => ["--help", "--version", ...command.options.flatMap(({ long }) => long ?? [])];
  const flags = new Set(commands.flatMap(flagsOf));

  /** The command that a line calls: `quern backup verify F --id X`. */
  function called(words: readonly string[], from: Command = program): Command {
    const next = from.commands.find((each) => each.name() === words[0]);
    return next === undefined ? from : called(words.slice(1), next);
  }

  /** `quern deploy --urn`: the calls in code with a command or a flag that does not exist. */
  function wrongCalls(code: string): readonly string[] {
    return [...code.matchAll(/(?:^|[$\s])(?<!install )quern ([a-z][^|;&>\n`]*)/g)].flatMap(([, rest = ""]) => {
      const words = rest.trim().split(/\s+/);
      const command = called(words);
      if (command === program) return [`quern ${words[0]}`];
      const given = words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word) ?? []);
      return given.filter((flag) => !flagsOf(command).includes(flag)).map((flag) => `quern ${command.name()} ${flag}`);
    });
  }

  it("agree on commands and their flags", () => {
    expect(wrongCalls("npx quern deploy tasks.graphql --urn http://127.0.0.1")).toEqual(["quern deploy --urn"]);
    expect(wrongCalls("quern backup verify b --id 1 | grep --text x")).toEqual([]);
    expect(documents.flatMap(({ path, code }) => code.flatMap(wrongCalls).map((call) => `${path}: ${call}`))).toEqual([]);
  });

  it("agree on flags that are named alone", () => {
    expect(flags).toContain("--admin-token-file");
    expect(unknown(matches(/^(--[a-z][a-z-]+)(?![\w-])/g), (flag) => flags.has(flag) || foreignFlags.has(flag))).toEqual([]);
  });

  it("name each command and each flag", () => {
    const called = (name: string) => new RegExp(`quern (?:\\w+ )?${name}\\b|\`${name}\\b`).test(allText);
    expect(commands.map((each) => each.name()).filter((name) => !called(name))).toEqual([]);
    expect([...flags].filter((flag) => !allText.includes(flag))).toEqual([]);
  });
});

/** Flags of Dgraph and of mongod. */
const foreignFlags: ReadonlySet<string> = new Set(["--security", "--acl", "--graphql", "--limit", "--oplog"]);

function allCommands(program: Command): readonly Command[] {
  return program.commands.flatMap((each) => [each, ...allCommands(each)]);
}

describe("documents and the environment", () => {
  const read = [...sources.values()].flatMap((text) => [...text.matchAll(/process\.env\.(QUERN_\w+)/g)].map(([, name = ""]) => name));
  const serving = quernProgram().commands.filter((command) => ["start", "dev"].includes(command.name()));
  const ofOptions = serving.flatMap(({ options }) => options.flatMap(({ envVar }) => envVar ?? []));

  it("agree on variables", () => {
    const known = new Set([...read, ...ofOptions]);
    expect(known).toContain("QUERN_PORT");
    expect(unknown(matches(/\bQUERN_[A-Z_]+/g), (name) => known.has(name) || ofSpecs.test(name))).toEqual([]);
  });

  it("name each variable that is not an option of `quern start`", () => {
    expect(read.filter((name) => !ofOptions.includes(name) && !ofSpecs.test(name) && !allText.includes(name))).toEqual([]);
  });
});

/** Variables of the project's own specs and examples. */
const ofSpecs = /^QUERN_(?:TEST|MODEL|CRASH|INPUT)_|^QUERN_GOLDEN$/;

describe("documents and errors", () => {
  it("agree on codes of two words and more", () => {
    const known = (name: string) => name in errorCatalogue || otherNames.has(name) || name.startsWith("QUERN_");
    expect(unknown(matches(/^([A-Z]+(?:_[A-Z]+)+)$/g), known)).toEqual([]);
  });
});

/** Names that look like codes: states of tasks, variables that have the names of providers, codes of gRPC. */
const otherNames: ReadonlySet<string> = new Set([
  "IN_PROGRESS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "GITHUB_CLIENT_ID",
  "GITHUB_CLIENT_SECRET",
]);

describe("documents and limits", () => {
  const limits = new Set<string>(Object.keys(defaultLimits));

  it("agree on limits, as do messages", () => {
    const named = matches(/\blimits\.(\w+)/g);
    expect(unknown(named, (name) => limits.has(name))).toEqual([]);
    const inSources = [...sources].flatMap(([file, text]) => [...text.matchAll(/[`"(]limits\.(\w+)[`")]/g)].map(([, name = ""]) => ({ file, name })));
    expect(inSources.length).toBeGreaterThan(10);
    expect(inSources.filter(({ name }) => !limits.has(name))).toEqual([]);
  });

  it("list each limit with its default in a table", () => {
    const rows = [...allText.matchAll(/^\| ((?:`\w+`,? ?)+)\| ([^|]+) \|/gm)].flatMap(([, names = "", value = ""]) =>
      [...names.matchAll(/\w+/g)].map(([name]) => [name, numberOf(value)] as const),
    );
    const { perCaller, persistedQueries, ...plain } = defaultLimits;
    const expected = { ...plain, ...persistedQueries };
    expect(Object.fromEntries(rows.filter(([name]) => name in expected))).toEqual(expected);
    expect(Object.keys(perCaller).filter((name) => !allText.includes(name))).toEqual([]);
  });
});

const units: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20 };

/** `64 MiB each` and `30,000` as numbers. */
function numberOf(text: string): number {
  const [, digits = "", unit] = /^([\d,]+|Infinity)(?: (KiB|MiB))?/.exec(text) ?? [];
  return Number(digits.replaceAll(",", "")) * (units[unit ?? ""] ?? 1);
}

describe("documents and options", () => {
  const factories = optionsByFactory();

  it("agree on the options in calls", () => {
    expect(factories.get("lambdaPlugin")).toContain("functions");
    expect(factories.get("defineConfig")).toEqual(expect.arrayContaining(["storage", "transports", "trustProxy"]));
    expect(keysOf('lambdaPlugin({ url: "x", retry: { times: 2 }, functions })', "lambdaPlugin")).toEqual([["url", "retry", "functions"]]);
    const wrong = documents.flatMap(({ path, code }) =>
      code.flatMap((each) =>
        [...factories].flatMap(([factory, options]) =>
          keysOf(each, factory)
            .flat()
            .filter((key) => !options.includes(key))
            .map((key) => `${path}: ${factory}({ ${key} })`),
        ),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("name each option of each part in its README or in a guide", () => {
    const missing = [...factories].flatMap(([factory, options]) =>
      options.filter((option) => !new RegExp(`[\`{,(. ]${option}\\b[\`:, }?]`).test(allText)).map((option) => `${factory}({ ${option} })`),
    );
    expect(missing).toEqual([]);
  });

  it("list in tables of options what the sources beside them have", () => {
    const wrong = documents.flatMap((document) => {
      const names = tablesOfOptions(document.text);
      if (names.length === 0 || dirname(document.path) === "docs") return [];
      const text = sourcesBeside(document);
      return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text)).map((name) => `${document.path}: ${name}`);
    });
    expect(documents.flatMap(({ text }) => tablesOfOptions(text)).length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});

/** The names of the options of each function that an entry exports and that takes an options object. */
function optionsByFactory(): ReadonlyMap<string, readonly string[]> {
  const interfaces = new Map(
    [...sources.values()].flatMap((text) =>
      [...text.matchAll(/^export interface (\w+(?:Options|Config))\b([^{]*)\{\n([\s\S]*?)^\}/gm)].map(
        ([, name = "", head = "", body = ""]) => [name, { head, body }] as const,
      ),
    ),
  );
  const optionsOf = (type: string): readonly string[] => {
    const found = interfaces.get(type);
    if (found === undefined) return [];
    const inherited = [...found.head.matchAll(/\b\w+(?:Options|Config)\b/g)].flatMap(([name]) => optionsOf(name));
    return [...inherited, ...[...found.body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, option = ""]) => option)];
  };
  const exported = new Set(
    [...sources].flatMap(([file, text]) => (/^(?:plugins|adapters)\/\w[^/]*\/index\.ts$/.test(file) ? [...text.matchAll(/\b\w+\b/g)].flat() : [])),
  );
  const declared = [...sources.values()].flatMap((text) => [
    ...text.matchAll(/^export function (\w+)\((?:\{[^}]*\}|\w+)(?:\?)?: (\w+(?:Options|Config))\b/gm),
  ]);
  return new Map(
    declared.flatMap(([, name = "", type = ""]) => (exported.has(name) && interfaces.has(type) ? [[name, optionsOf(type)] as const] : [])),
  );
}

/** The keys of the object in each call of `factory` in `code`. */
function keysOf(code: string, factory: string): readonly (readonly string[])[] {
  return [...code.matchAll(new RegExp(`\\b${factory}\\(\\{`, "g"))].map(({ 0: head, index }) => topLevelKeys(code.slice(index + head.length)));
}

/** `a, b` of ` a: { c: 1 }, b });` */
function topLevelKeys(text: string): readonly string[] {
  let depth = 0;
  let flat = "";
  for (const char of text.replace(/\/\/.*$|"[^"]*"|'[^']*'/gm, "")) {
    if (/[}\])]/.test(char) && depth-- === 0) break;
    if (depth === 0) flat += char;
    if (/[{[(]/.test(char)) depth++;
  }
  return flat.split(",").flatMap((part) => /^\s*(\w+)\s*(?::|$)/.exec(part)?.[1] ?? []);
}

/** The first column of tables whose first heading is `option`. */
function tablesOfOptions(markdown: string): readonly string[] {
  const tables = markdown.matchAll(/^\| option \|.*\n\|[-| :]+\n((?:\|.*\n)+)/gm);
  return [...tables].flatMap(([, rows = ""]) =>
    rows.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)),
  );
}
