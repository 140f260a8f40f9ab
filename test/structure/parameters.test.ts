// No function takes a boolean by its place: `read(rows, true)` says nothing at the place of the call. Options have names, or there are two functions.

import { parseSync, Visitor } from "vite";
import { expect, it } from "vitest";
import { sourcesOf } from "./documents.ts";

/** Of the public contract; a setter of graphql; what `core/query` hands on. `core/query` itself is left out. */
const allowed = ["setDraining", "hideSuggestions", "commits"];

type Handlers = ConstructorParameters<typeof Visitor>[0];
type Parameter = Parameters<NonNullable<Handlers["ArrowFunctionExpression"]>>[0]["params"][number];

/** `isOpen: boolean`, `isOpen?: boolean` and `isOpen = false`, alone or beside undefined. */
function isBoolean(parameter: Parameter): boolean {
  if (parameter.type === "AssignmentPattern") return parameter.right.type === "Literal" && typeof parameter.right.value === "boolean";
  if (!("typeAnnotation" in parameter)) return false;
  const type = parameter.typeAnnotation?.typeAnnotation;
  const types = type?.type === "TSUnionType" ? type.types : type ? [type] : [];
  return (
    types.some((each) => each.type === "TSBooleanKeyword") && types.every((each) => ["TSBooleanKeyword", "TSUndefinedKeyword"].includes(each.type))
  );
}

interface Found {
  readonly file: string;
  /** The name before the parameters, as far as their line shows it. */
  readonly name: string;
}

function booleansOf(file: string, source: string): readonly Found[] {
  const found: number[] = [];
  const look = ({ params }: { readonly params: readonly Parameter[] }) => {
    for (const each of params) if (isBoolean(each)) found.push(each.start);
  };
  new Visitor({
    FunctionDeclaration: look,
    FunctionExpression: look,
    ArrowFunctionExpression: look,
    TSMethodSignature: look,
    TSFunctionType: look,
    TSDeclareFunction: look,
  }).visit(parseSync(file, source).program);
  return found.map((start) => {
    const before = source.slice(source.lastIndexOf("\n", start) + 1, start).replace(/\(.*$/, "");
    return { file, name: /(\w+)\W*$/.exec(before)?.[1] ?? "" };
  });
}

it("leaves no function with a boolean parameter", () => {
  const sources = ["core", "plugins", "adapters", "examples"].flatMap((folder) => [...sourcesOf(folder)]);
  const found = sources.flatMap(([file, source]) => (file.startsWith("core/query/") ? [] : booleansOf(file, source)));
  expect(found.filter(({ name }) => !allowed.includes(name))).toEqual([]);
});

it("finds booleans in each form, and no others", () => {
  const source =
    "function f(a: string, b: boolean) {}\nconst g = (isOpen = true) => {};\nclass C { m(a?: boolean | undefined) {} n(a: string | boolean) {} }";
  expect(booleansOf("a.ts", source).map(({ name }) => name)).toEqual(["f", "g", "m"]);
});
