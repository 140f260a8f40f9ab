// The ends of a layout's edges by name: what is opposite an end, which single ends a link fills, which field shows a link from the
// other side. Works on the layout alone, so that inverses of types, of interfaces and of several fields of one side are one case.

import type { EdgeLayout, End, Layout, Side } from "../../contracts/layout.ts";
import type { LinkField, NodeType } from "../../contracts/model.ts";
import type { EdgeName, EndName, TypeName } from "../../ground/values/value.ts";

/** The single ends that one link fills: of the node it starts from, and of the node it leads to. */
export interface SingleEnds {
  readonly from: readonly EndName[];
  readonly to: readonly EndName[];
}

/** How an end reads its edge: from the first side, from the second side, or both sides are the same. */
export interface Direction {
  readonly edge: EdgeName;
  readonly reads: "forwards" | "backwards" | "both";
}

/** One end with the two sides of its edge. */
export interface EndSides extends Direction {
  readonly end: End;
  readonly own: Side;
  readonly other: Side;
}

type TwoSides = readonly [readonly End[], readonly End[]];

export class EdgeIndex {
  readonly #ends = new Map<EndName, EndSides>();
  readonly #sides = new Map<EdgeName, TwoSides>();
  readonly #single = new Map<string, SingleEnds>();

  constructor({ edges }: Pick<Layout, "edges">) {
    for (const edge of edges) this.#add(edge);
  }

  #add({ name, sides }: EdgeLayout): void {
    const [first, second] = sides;
    this.#sides.set(name, [first.ends, (second ?? first).ends]);
    if (second) {
      this.#addSide({ edge: name, reads: "forwards", own: first, other: second });
      this.#addSide({ edge: name, reads: "backwards", own: second, other: first });
    } else {
      this.#addSide({ edge: name, reads: "both", own: first, other: first });
    }
  }

  #addSide(sides: Omit<EndSides, "end">): void {
    for (const end of sides.own.ends) this.#ends.set(end.name, { ...sides, end });
  }

  end(name: EndName): End | undefined {
    return this.#ends.get(name)?.end;
  }

  /** The ends of the other side; of the same side where the edge has one side only. */
  opposite(name: EndName): readonly End[] {
    return this.#ends.get(name)?.other.ends ?? [];
  }

  /** The ends of an edge's first and second side. An edge with one side returns it twice. */
  sidesOf(edge: EdgeName): TwoSides {
    return this.#sides.get(edge) ?? [[], []];
  }

  direction(name: EndName): Direction {
    return this.#ends.get(name) ?? { edge: name, reads: "forwards" };
  }

  isSingle(name: EndName): boolean {
    return this.#ends.get(name)?.end.many === false;
  }

  /** The ends that a link by `end` from a node of `fromType` to a node of `toType` fills. */
  singleEnds(end: EndName, fromType: TypeName, toType: TypeName): SingleEnds {
    const name = `${end}|${fromType}|${toType}`;
    const known = this.#single.get(name);
    if (known) return known;
    const sides = this.#ends.get(end);
    const found = { from: singles(sides?.own, fromType, toType), to: singles(sides?.other, toType, fromType) };
    this.#single.set(name, found);
    return found;
  }

  /** Whether some field of the node at the other side shows the link. */
  isShown(end: EndName, fromType: TypeName, toType: TypeName): boolean {
    return this.opposite(end).some((each) => !each.name.startsWith("~") && each.types.includes(toType) && each.partners.includes(fromType));
  }

  /** The field of `child` that shows the links of `field`, of a `parent`, from the other side. */
  inverseField(field: LinkField, parent: NodeType, child: NodeType): LinkField | undefined {
    const fits = (end: End) => includesMember(end.types, child) && includesMember(end.partners, parent);
    const names = new Set(
      this.opposite(field.stored)
        .filter(fits)
        .map((end) => end.name),
    );
    if (names.size === 0) return undefined;
    for (const each of child.fields.values()) {
      if (each.role === "link" && each.reverseOf === undefined && names.has(each.stored)) return each;
    }
    return undefined;
  }

  /** The single end by which every node behind `end` knows the node that leads to it. Undefined where there is no such end for all of them. */
  wayBack(name: EndName): End | undefined {
    const end = this.end(name);
    const [back, ...more] = this.opposite(name);
    if (!end || !back || more.length > 0 || back.many) return undefined;
    return end.partners.every((type) => back.types.includes(type)) ? back : undefined;
  }
}

function singles(side: Side | undefined, type: TypeName, partner: TypeName): readonly EndName[] {
  const taken = side?.ends.filter((end) => !end.many && end.types.includes(type) && end.partners.includes(partner)) ?? [];
  return taken.map((end) => end.name);
}

function includesMember(names: readonly TypeName[], type: NodeType): boolean {
  return type.members.some((member) => names.includes(member.stored));
}
