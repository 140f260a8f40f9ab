// Schemas over teams and players that differ in what they ask of writes: versions, increments, unique combinations, deletes that take others along,
// rules about values, and rules about who may.

import type { Random } from "../model/random.ts";

export type TypeName = "Team" | "Player";
export type Operation = "query" | "update" | "delete";
export type OnDelete = "UNLINK" | "DELETE" | "RESTRICT";

/** `Type.link`. */
export const links = ["Team.players", "Team.lead", "Player.team", "Player.rival"] as const;
export type LinkName = (typeof links)[number];

export interface LinkEnd {
  readonly name: string;
  readonly target: TypeName;
  readonly many: boolean;
}

export const linksOf: Readonly<Record<TypeName, readonly LinkEnd[]>> = {
  Team: [
    { name: "players", target: "Player", many: true },
    { name: "lead", target: "Player", many: false },
  ],
  Player: [
    { name: "team", target: "Team", many: false },
    { name: "rival", target: "Player", many: false },
  ],
};

/** A rule about values: what the schema says, and which values pass. */
export interface ValueRule<Value> {
  readonly text: string;
  readonly passes: (value: Value) => boolean;
}

export const ranges: readonly ValueRule<number>[] = [
  { text: "@range(min: 0)", passes: (n) => n >= 0 },
  { text: "@range(min: -2, max: 6)", passes: (n) => n >= -2 && n <= 6 },
];

export const tagRules: readonly ValueRule<string>[] = [
  { text: "@length(min: 1, max: 2)", passes: (text) => [...text].length >= 1 && [...text].length <= 2 },
  { text: '@pattern(regexp: "^[a-c]*$")', passes: (text) => /^[a-c]*$/.test(text) },
  { text: "@format(type: SLUG)", passes: (text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) },
];

/** Fields of a player that no two players share together. */
export const combinations = [[], ["team", "tag"], ["n", "tag"], ["rival", "n"], ["tag"]] as const;
export type Combination = (typeof combinations)[number];

export interface Choice {
  readonly counted: Readonly<Record<TypeName, boolean>>;
  readonly range: ValueRule<number> | undefined;
  readonly tags: ValueRule<string> | undefined;
  readonly unique: Combination;
  readonly onDelete: Readonly<Record<LinkName, OnDelete>>;
  /** Operations that guests have on open objects only. */
  readonly ruled: Readonly<Record<TypeName, readonly Operation[]>>;
}

const operations: readonly Operation[] = ["query", "update", "delete"];

export function randomChoice(random: Random): Choice {
  const action = (): OnDelete => random.pick(["UNLINK", "UNLINK", "DELETE", "DELETE", "RESTRICT"] as const);
  return {
    counted: { Team: random.chance(70), Player: random.chance(70) },
    range: random.chance(60) ? random.pick(ranges) : undefined,
    tags: random.chance(60) ? random.pick(tagRules) : undefined,
    unique: random.chance(60) ? random.pick(combinations) : [],
    onDelete: { "Team.players": action(), "Team.lead": action(), "Player.team": action(), "Player.rival": action() },
    ruled: { Team: random.some(operations, 50), Player: random.some(operations, 50) },
  };
}

export function schemaText({ counted, range, tags, unique, onDelete, ruled }: Choice, line: string): string {
  const common = (type: TypeName) =>
    `code: String! @id  n: Int @search @increment ${range?.text ?? ""}  open: Boolean @search ${counted[type] ? " rev: Int @version" : ""}`;
  const link = (name: LinkName) => `@search @onDelete(linked: ${onDelete[name]})`;
  const combination = unique.length > 0 ? `@unique(fields: [${unique.map((field) => JSON.stringify(field)).join(", ")}])` : "";
  return `
    type Team @nested @paged @groupBy(fields: ["n"]) ${authText("Team", ruled.Team)} {
      ${common("Team")}
      players: [Player] @hasInverse(field: team) ${link("Team.players")}
      lead: Player ${link("Team.lead")}
    }
    type Player @nested @paged @groupBy(fields: ["team", "tag"]) ${combination} ${authText("Player", ruled.Player)} {
      ${common("Player")}
      tag: String @search(by: [exact]) ${tags?.text ?? ""}
      team: Team ${link("Player.team")}
      rival: Player ${link("Player.rival")}
    }
    ${line}
  `;
}

function authText(type: TypeName, ruled: readonly Operation[]): string {
  if (ruled.length === 0) return "";
  const rule = `{ or: [ { rule: "query { query${type}(filter: {open: true}) { code } }" }, { rule: "{$ROLE: {eq: \\"ADMIN\\"}}" } ] }`;
  return `@auth(${ruled.map((operation) => `${operation}: ${rule}`).join(" ")})`;
}
