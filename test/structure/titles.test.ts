// A spec's title is a sentence: it has a finite verb, and its subject is its own or the title of the `describe` around it.
//
// The rule is simple. A word of the lists below is a verb, unless an article, a preposition or a modal stands before it. A word that opens a clause
// ("when", "that", "whose") takes the next verb for its clause. What remains is a verb of the sentence: one must remain. A title outside of every
// `describe` begins neither with a verb of state nor with what belongs to a subject ("is", "of", "whose"): it would have none.
//
// What the rule cannot see: a noun that is also a verb ("slow reads"), a sentence that states no behaviour, what a variable puts into a title.
// Words from a table are read only where the title is nothing but "%s" or "$name" and the table is an array in the same file.
// Titles that are expressions are not judged: those of the kits are read where the checks are, those of golden cases are names of recorded data.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "vite";
import { describe, expect, it } from "vitest";
import { allSpecs, sharedModules } from "../support/specs.ts";

const root = join(import.meta.dirname, "../..");

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** A verb wherever they stand. */
const auxiliaries = words("is are was were has have does do did can cannot could may might must need needs should will would");

const thirdPersons = words(`
  aborts accepts accesses acts adapts adds admits agrees allows announces answers appears appends applies arrives asks averages backs balances becomes begins
  belongs blames blocks breaks brings builds caches calls changes checks chooses claims clears closes coalesces collapses collects combines comes commits
  compares compiles completes compresses computes concatenates concerns conflicts contains continues converts copies costs counts covers creates cuts decides
  declares defaults defers defines delays deletes delivers demands denies depends deploys deprecates derives describes detects differs disables disappears
  disconnects displaces distinguishes documents draws drops duplicates edits empties enables ends enters escapes estimates evaluates evicts exceeds excepts excludes
  executes exists exits expects expires explains exports exposes fails falls fetches fills filters finds finishes fits flags flips floats follows forbids forgets
  formats forms frees gathers generates gets gives goes grants groups grows guesses handles happens hears hides holds identifies ignores implements imports includes
  increments indexes inflates inherits installs interrupts intersects joins judges keeps kills knows lacks lasts leads leaks leaves lets lies limits links lists
  listens lives loads locks logs looks loses loosens maintains makes maps marks masks matches means measures meets mends mentions merges mounts moves names narrows
  negates nests notes notifies numbers obeys observes occurs offers omits opens orders overrides overwrites packs parses passes pays plans posts precedes prefers
  prevents prints produces propagates proposes protects proves provides publishes puts raises ranks reaches reads receives reconnects records redirects refers
  reflects refuses rejects releases relates remains remembers removes renames reopens repairs repeats replaces replies reports requests requires reserves resets
  resolves responds restores results resumes retries returns reveals reverts revokes rewrites rolls rounds runs satisfies saves says searches sees selects sells
  sends separates serves sets settles shares shows signs skips sorts sounds speaks spends splits squares stands starts states stays stems stops stores streams
  subscribes subtracts succeeds suffices suggests sums supplies supports survives swaps syncs takes tells terminates tests throws tokenizes touches transfers
  treats tries turns undoes unites unlinks unpacks unsubscribes updates uses validates verifies violates visits vouches waits wakes walks wants warns weighs wins
  works writes`);

/** Verbs as the first word alone, because their nouns are in so many titles. */
const firstWords = words("bounds configures points types");

const others = words(`
  aborted accept add agree allow answer appear apply arrive arrived ask asked become began begin behave belong block break bring build carry cause change check choose
  close combine come commit compare compile complete concern conflict contain continue convert copy cost count cover create cut decide define delay delete deliver
  depend deploy deprecate describe determine died differ disappear drop enable end ended escape exceed exclude exist expect explain fail fall fill filter find
  finish fit follow form get give go group had happen hide hold identify ignore include inherit interrupt join keep know lack last lead leave let lie limit link list live
  load log look lose make match mean measure meet merge miss move name obey occur omit open order part pass pay place precede produce propagate prove put reach reached read
  receive reconnect refer refuse reject relate release remain remove repeat replace report require reserve resolve restore resume return roll rotate run satisfy say
  see select send separate serve set share show sign sort spend split stand start state stay step stop store succeed suffice sum support survive swap switch take
  throw touch turn understand unite unlink update upsert use verify wait wake want win work write`);

const openers = words(
  "that which who whom whose when whenever where wherever while until unless because if whether although though how however what whatever whichever why",
);

/** Before a noun, or before an infinitive. */
const beforeNouns =
  words(`a an the of to for by in on at with without from into over under between beyond per no any every its their others' another this
  these those two three four first last next`);

/** First words of a title that has its subject elsewhere. */
const withoutSubject = words("is are has have was were of whose that which so and but");

interface Title {
  readonly place: string;
  readonly text: string;
  /** A `describe` around it names the subject. */
  readonly hasSubject: boolean;
}

/** Whether a verb remains for the sentence itself. */
function isSentence({ text, hasSubject }: Pick<Title, "text" | "hasSubject">): boolean {
  const found = text.toLowerCase().match(/%\w|\$\{[^}]*\}|\$[\w.]+|[\p{L}\p{N}'’_@`.-]+/gu) ?? [];
  if (!hasSubject && withoutSubject.has(found[0] ?? "")) return false;
  let opened = 0;
  for (const [at, word] of found.entries()) {
    const before = found[at - 1];
    if (openers.has(word) && found[at + 1] !== "of") opened += 1;
    else if (before !== undefined && openers.has(before) && /^[%$]/.test(word)) opened -= 1;
    else if (isVerb(word, before, hasSubject)) {
      if (opened === 0) return true;
      opened -= 1;
    }
  }
  return false;
}

function isVerb(word: string, before: string | undefined, hasSubject: boolean): boolean {
  if (auxiliaries.has(word)) return true;
  if (before === undefined) return thirdPersons.has(word) || firstWords.has(word) || (hasSubject && others.has(word));
  return !beforeNouns.has(before) && !auxiliaries.has(before) && (thirdPersons.has(word) || others.has(word));
}

type Visited = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]["CallExpression"]>>[0];
type Expression = Visited["callee"];
type Argument = Visited["arguments"][number];
type Visit<Name extends "Property"> = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0][Name]>>[0];
type Node = Argument | Visit<"Property">["value"];

/** The name that a call begins with, `it` of `it.each(rows)(title, run)`. */
function nameOf(callee: Expression): string {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression") return nameOf(callee.object);
  return callee.type === "CallExpression" ? nameOf(callee.callee) : "";
}

/** The text of a literal, with `${...}` as written; undefined for other expressions. */
function textOf(node: Node | null | undefined, source: string): string | undefined {
  if (node?.type === "Literal") return String(node.value);
  return node?.type === "TemplateLiteral" ? source.slice(node.start + 1, node.end - 1) : undefined;
}

/** The part of a row that `%s` or `$name` shows. */
function cellOf(row: Argument | null, placeholder: string): Node | null | undefined {
  if (row?.type === "ArrayExpression") return row.elements[0];
  if (row?.type !== "ObjectExpression") return row;
  const named = row.properties.find((each) => each.type === "Property" && each.key.type === "Identifier" && `$${each.key.name}` === placeholder);
  return named?.type === "Property" ? named.value : undefined;
}

interface Calls {
  readonly calls: readonly { readonly call: Visited; readonly name: string }[];
  /** Arrays by the name of their constant. */
  readonly tables: ReadonlyMap<string, Argument>;
  /** Titles of checks: `title` of objects. */
  readonly checks: readonly Node[];
}

/** Calls that are no part of a longer one: of `it.each(rows)(title, run)` the whole. */
function callsOf(file: string, source: string): Calls {
  const calls: { call: Visited; name: string }[] = [];
  const tables = new Map<string, Argument>();
  const checks: Node[] = [];
  const parts = new Set<Expression>();
  const visitor = new Visitor({
    CallExpression(call) {
      parts.add(call.callee);
      if (!parts.has(call)) calls.push({ call, name: nameOf(call.callee) });
    },
    VariableDeclarator({ id, init }) {
      const value = init?.type === "TSAsExpression" ? init.expression : init;
      if (id.type === "Identifier" && value) tables.set(id.name, value);
    },
    Property({ key, value }) {
      if (key.type === "Identifier" && key.name === "title") checks.push(value);
    },
  });
  visitor.visit(parseSync(file, source).program);
  return { calls, tables, checks };
}

/** The texts of a title: more than one where a table supplies all of it, none where it is no text. */
function textsOf(call: Visited, tables: Calls["tables"], source: string): readonly string[] {
  const text = textOf(call.arguments[0], source);
  if (text === undefined) return [];
  const rows = call.callee.type === "CallExpression" && /^(?:%s|\$\w+)$/.test(text) ? call.callee.arguments[0] : undefined;
  const table = rows?.type === "Identifier" ? tables.get(rows.name) : rows;
  return table?.type === "ArrayExpression" ? table.elements.map((row) => textOf(cellOf(row, text), source) ?? text) : [text];
}

/** The titles of a spec; those of golden cases without the names of recorded cases. */
function titlesOf(file: string): readonly Title[] {
  const source = readFileSync(join(root, file), "utf8");
  const { calls, tables } = callsOf(file, source);
  const subjects = calls.filter(({ name }) => name === "describe").map(({ call }) => call);
  const own = calls.filter(({ name, call }) => (name === "it" || name === "test") && call.arguments.length > 1);
  const all = own.flatMap(({ call }) => {
    const hasSubject = subjects.some(({ start, end }) => start < call.start && call.end < end);
    const place = placeOf(file, source, call.start);
    return textsOf(call, tables, source).map((text) => ({ place, text, hasSubject }));
  });
  return file.startsWith("test/golden/") ? all.filter(({ text }) => /[a-z]{2}/.test(text.replaceAll(/%\w|\$\{[^}]*\}/g, ""))) : all;
}

/** The titles of a kit's checks. The name of the storage, transport or plugin is before them. */
function checkTitlesOf(file: string): readonly Title[] {
  const source = readFileSync(join(root, file), "utf8");
  return callsOf(file, source).checks.flatMap((node) => {
    const text = textOf(node, source);
    return text === undefined ? [] : [{ place: placeOf(file, source, node.start), text, hasSubject: true }];
  });
}

const placeOf = (file: string, source: string, start: number) => `${file}:${source.slice(0, start).split("\n").length}`;

const titles = [
  ...allSpecs().flatMap(titlesOf),
  ...sharedModules()
    .filter((file) => file.startsWith("test/conformance/"))
    .flatMap(checkTitlesOf),
];

describe("the rule of titles", () => {
  it.each([
    ["returns null when the key is null", true],
    ["that the database interrupts is retried", true],
    ["a plugin that %s fails its check", true],
    ["when the key is null", false],
    ["by key, by null", false],
    ["nothing in data that fit", false],
    ["of the read", false],
  ])("judges %j rightly", (text, expected) => {
    expect(isSentence({ text, hasSubject: true })).toBe(expected);
  });

  it("asks for a subject outside of a describe", () => {
    const told = ["is empty without a head", "a list without a head is empty"].map((text) => isSentence({ text, hasSubject: false }));
    expect(told).toEqual([false, true]);
  });
});

it("finds the titles of specs and of the kits' checks", () => {
  expect(titles.length).toBeGreaterThan(2_500);
  expect(titles.filter(({ place }) => place.startsWith("test/conformance/")).length).toBeGreaterThan(150);
});

it("leaves no title without a finite verb", () => {
  expect(titles.filter((title) => !isSentence(title)).map(({ place, text }) => `${place} ${text}`)).toEqual([]);
});
