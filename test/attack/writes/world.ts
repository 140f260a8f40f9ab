// The naive world: objects in a map, and what each mutation does to them, step by step. A refusal throws; the caller then keeps the world of before.

import { type Choice, type LinkEnd, type LinkName, linksOf, type Operation, type TypeName } from "./schema.ts";

export interface Thing {
  readonly type: TypeName;
  readonly code: string;
  n: number | undefined;
  tag: string | undefined;
  open: boolean | undefined;
  rev: number | undefined;
  /** Codes, by link; of a list its inverse holds the link. */
  team: string | undefined;
  rival: string | undefined;
  lead: string | undefined;
}

/** Values as an input gives them; a link as the code of an object that is there, or of one that is made. */
export type Values = Readonly<Partial<Pick<Thing, "n" | "tag" | "open">>>;
export type Given = Values & { readonly code?: string; readonly links?: Readonly<Record<string, Made | undefined>> };
/** An object that is linked; `given` are the values of a new one. */
export type Made = { readonly code: string; readonly given?: Given };

export interface Filter {
  readonly text: string;
  readonly holds: (thing: Thing, seen: Seen) => boolean;
}

/** What a caller sees behind links. */
export interface Seen {
  readonly partners: (thing: Thing, link: string) => readonly Thing[];
}

export interface Patch {
  readonly set?: Given;
  /** Values that are removed. */
  readonly clear?: readonly ("n" | "tag")[];
  readonly increment?: number;
  readonly links?: Steps;
}

/** The steps through one link. */
export interface Steps {
  readonly link: LinkEnd;
  readonly remove?: Filter;
  readonly delete?: Filter;
  readonly update?: readonly { readonly filter: Filter; readonly patch: Patch }[];
  readonly add?: readonly Made[];
  readonly replace?: readonly Made[];
}

export type Mutation =
  | { readonly kind: "add"; readonly type: TypeName; readonly code: string; readonly given: Given }
  | { readonly kind: "update"; readonly type: TypeName; readonly filter: Filter; readonly patch: Patch }
  | { readonly kind: "delete"; readonly type: TypeName; readonly filter: Filter };

export class Refused extends Error {}

const int = 2 ** 31;

export class World {
  readonly things: Map<string, Thing>;
  readonly choice: Choice;
  readonly #isGuest: boolean;
  /** Partners, under RESTRICT, of what the current mutation deletes. */
  #restricting: string[] = [];

  constructor(things: ReadonlyMap<string, Thing>, choice: Choice, caller: { readonly isGuest: boolean }) {
    this.things = new Map([...things].map(([code, thing]) => [code, { ...thing }]));
    this.choice = choice;
    this.#isGuest = caller.isGuest;
  }

  of(type: TypeName): Thing[] {
    return [...this.things.values()].filter((thing) => thing.type === type);
  }

  partners(thing: Thing, link: string): Thing[] {
    if (link === "players") return this.of("Player").filter(({ team }) => team === thing.code);
    const code = link === "team" ? thing.team : link === "rival" ? thing.rival : thing.lead;
    const partner = code === undefined ? undefined : this.things.get(code);
    return partner ? [partner] : [];
  }

  may(operation: Operation, thing: Thing): boolean {
    return !this.#isGuest || thing.open === true || !this.choice.ruled[thing.type].includes(operation);
  }

  /** A guest changes what a query shows, and no rule keeps from the change. */
  reaches(operation: Operation, thing: Thing): boolean {
    return this.may("query", thing) && this.may(operation, thing);
  }

  readonly seen: Seen = { partners: (thing, link) => this.partners(thing, link).filter((each) => this.may("query", each)) };

  /** Whether the deploy of this choice over the data goes through. */
  get fits(): boolean {
    return !this.#hasTwins();
  }

  /** @returns numUids */
  run(mutation: Mutation): number {
    this.#restricting = [];
    const count = this.#carryOut(mutation);
    if (this.#restricting.some((code) => this.things.has(code))) throw new Refused();
    return count;
  }

  #carryOut(mutation: Mutation): number {
    const { type } = mutation;
    if (mutation.kind === "add") {
      if (this.things.has(mutation.code)) throw new Refused();
      const before = this.things.size;
      this.#step(() => this.#create(type, mutation.code, mutation.given));
      return this.things.size - before;
    }
    const chosen = this.of(type).filter((each) => mutation.filter.holds(each, this.seen) && this.reaches(mutation.kind, each));
    if (mutation.kind === "delete") this.#delete(chosen);
    else if (chosen.length > 0) this.#update(chosen, mutation.patch);
    return chosen.length;
  }

  // ---- steps ----------------------------------------------------------------------------------------------------------

  /** One write: whose values it changes counts one version more, and no two players share a combination afterwards. */
  #step(write: () => void): void {
    const before = new Map([...this.things].map(([code, { n, tag, open }]) => [code, JSON.stringify([n, tag, open])]));
    write();
    for (const thing of this.things.values()) {
      if (!this.choice.counted[thing.type]) continue;
      const was = before.get(thing.code);
      if (was === undefined) thing.rev = 1;
      else if (was !== JSON.stringify([thing.n, thing.tag, thing.open])) thing.rev = (thing.rev ?? 0) + 1;
    }
    if (this.#hasTwins()) throw new Refused();
  }

  #hasTwins(): boolean {
    const { unique } = this.choice;
    if (unique.length === 0) return false;
    const taken = new Set<string>();
    for (const player of this.of("Player")) {
      const values = unique.map((field) => player[field]);
      if (values.includes(undefined)) continue;
      const id = JSON.stringify(values);
      if (taken.has(id)) return true;
      taken.add(id);
    }
    return false;
  }

  #update(chosen: readonly Thing[], { set, clear, increment, links }: Patch): void {
    const linked = links ? new Set(chosen.flatMap((thing) => this.partners(thing, links.link.name))) : new Set<Thing>();
    this.#step(() => {
      for (const made of Object.values(set?.links ?? {})) if (made) this.#make(made);
      for (const thing of chosen) {
        if (set) this.#set(thing, set);
        for (const field of clear ?? []) thing[field] = undefined;
        if (increment !== undefined) this.#assignNumber(thing, (thing.n ?? 0) + increment);
        for (const [name, made] of Object.entries(set?.links ?? {})) if (made) this.#link(thing, name, made.code);
      }
    });
    if (links) this.#follow(chosen, linked, links);
  }

  #follow(chosen: readonly Thing[], before: ReadonlySet<Thing>, steps: Steps): void {
    const { link } = steps;
    const linked = (filter: Filter) => [...before].filter((each) => this.things.get(each.code) === each && filter.holds(each, this.seen));
    const unlink = (gone: readonly Thing[]) =>
      this.#step(() => {
        for (const thing of chosen) for (const each of gone) this.#unlink(thing, link.name, each);
      });
    if (steps.remove) unlink(linked(steps.remove).filter((each) => this.may("query", each)));
    if (steps.replace) unlink([...before]);
    if (steps.delete) this.#delete(linked(steps.delete).filter((each) => this.reaches("delete", each)));
    for (const { filter, patch } of steps.update ?? []) {
      const updated = linked(filter).filter((each) => this.reaches("update", each));
      if (updated.length > 0) this.#update(updated, patch);
    }
    const made = steps.add ?? steps.replace ?? [];
    // What a step deletes may take along what it was reached from.
    const owners = chosen.filter((each) => this.things.get(each.code) === each);
    if (made.length === 0 || owners.length === 0) return;
    this.#step(() => {
      for (const each of made) this.#make(each);
      for (const thing of owners) for (const each of made) this.#link(thing, link.name, each.code);
    });
  }

  #delete(roots: readonly Thing[]): void {
    const gone = new Set(roots);
    for (let level: readonly Thing[] = roots; level.length > 0; ) {
      const next: Thing[] = [];
      for (const thing of level) {
        for (const { name } of linksOf[thing.type]) {
          const action = this.choice.onDelete[`${thing.type}.${name}` as LinkName];
          for (const partner of action === "UNLINK" ? [] : this.partners(thing, name)) {
            if (action === "RESTRICT") this.#restricting.push(partner.code);
            else if (!gone.has(partner)) {
              if (!this.may("delete", partner)) throw new Refused();
              gone.add(partner);
              next.push(partner);
            }
          }
        }
      }
      level = next;
    }
    for (const { code } of gone) this.things.delete(code);
    for (const thing of this.things.values())
      for (const field of ["team", "rival", "lead"] as const)
        if (thing[field] !== undefined && !this.things.has(thing[field])) thing[field] = undefined;
  }

  // ---- values and links -----------------------------------------------------------------------------------------------

  #create(type: TypeName, code: string, given: Given): void {
    for (const made of Object.values(given.links ?? {})) if (made) this.#make(made);
    const thing: Thing = {
      ...{ type, code, n: undefined, tag: undefined, open: undefined, rev: undefined },
      ...{ team: undefined, rival: undefined, lead: undefined },
    };
    this.things.set(code, thing);
    this.#set(thing, given);
    for (const [name, made] of Object.entries(given.links ?? {})) if (made) this.#link(thing, name, made.code);
  }

  /** A code that nobody has is that of a new object. */
  #make({ code, given = {} }: Made): void {
    if (!this.things.has(code)) this.#create(typeOfCode(code), code, given);
  }

  #set(thing: Thing, { n, tag, open }: Values): void {
    if (n !== undefined) this.#assignNumber(thing, n);
    if (tag !== undefined) {
      if (this.choice.tags?.passes(tag) === false) throw new Refused();
      thing.tag = tag;
    }
    if (open !== undefined) thing.open = open;
  }

  #assignNumber(thing: Thing, n: number): void {
    if (n >= int || n < -int || this.choice.range?.passes(n) === false) throw new Refused();
    thing.n = n;
  }

  #link(thing: Thing, name: string, code: string): void {
    const partner = this.things.get(code);
    if (!partner) throw new Refused();
    if (name === "players") partner.team = thing.code;
    else thing[name as "team" | "rival" | "lead"] = code;
  }

  #unlink(thing: Thing, name: string, partner: Thing): void {
    if (name === "players") {
      if (partner.team === thing.code) partner.team = undefined;
    } else if (thing[name as "team" | "rival" | "lead"] === partner.code) thing[name as "team" | "rival" | "lead"] = undefined;
  }
}

/** `t3` is a team, `p3` a player. */
export function typeOfCode(code: string): TypeName {
  return code.startsWith("t") ? "Team" : "Player";
}
