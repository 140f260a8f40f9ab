// The geometry of links: which single ends a link takes, and which field shows it from the other side. From the layout alone,
// so that inverses declared on types, on interfaces and on several fields of one side are one case.

import type { EdgeLayout, End, Layout, Side } from "../contracts/layout.ts";
import type { LinkField, NodeType } from "../contracts/model.ts";
import type { EdgeName, EndName, TypeName } from "../ground/values/value.ts";

/** The single ends that one link fills: of the node it starts from, and of the node it leads to. */
export interface SingleEnds {
  readonly from: readonly EndName[];
  readonly to: readonly EndName[];
}

/** How an end sees its edge: from its first side, from its second, or both are one. */
export interface Direction {
  readonly edge: EdgeName;
  readonly reads: "forwards" | "backwards" | "both";
}

interface Place extends Direction {
  readonly own: Side;
  readonly other: Side;
}

export class Ends {
  readonly #places = new Map<EndName, Place>();
  readonly #single = new Map<string, SingleEnds>();
  readonly #many = new Map<EndName, boolean>();

  constructor(layout: Layout) {
    for (const edge of layout.edges) this.#add(edge);
  }

  #add(edge: EdgeLayout): void {
    const [first, second] = edge.sides;
    if (second) {
      this.#addSide({ edge: edge.name, reads: "forwards", own: first, other: second });
      this.#addSide({ edge: edge.name, reads: "backwards", own: second, other: first });
    } else {
      this.#addSide({ edge: edge.name, reads: "both", own: first, other: first });
    }
  }

  #addSide(place: Place): void {
    for (const end of place.own.ends) {
      this.#places.set(end.name, place);
      this.#many.set(end.name, end.many);
    }
  }

  direction(end: EndName): Direction {
    return this.#places.get(end) ?? { edge: end, reads: "forwards" };
  }

  isSingle(end: EndName): boolean {
    return this.#many.get(end) === false;
  }

  /** What a link by `end` from a node of `fromType` to one of `toType` fills. */
  singleEnds(end: EndName, fromType: TypeName, toType: TypeName): SingleEnds {
    const name = `${end}|${fromType}|${toType}`;
    const known = this.#single.get(name);
    if (known) return known;
    const place = this.#places.get(end);
    const found = { from: singles(place?.own, fromType, toType), to: singles(place?.other, toType, fromType) };
    this.#single.set(name, found);
    return found;
  }

  /** Whether some field of the node at the other side shows the link. */
  isShown(end: EndName, fromType: TypeName, toType: TypeName): boolean {
    const ends = this.#places.get(end)?.other.ends ?? [];
    return ends.some((each) => !each.name.startsWith("~") && each.types.includes(toType) && each.partners.includes(fromType));
  }

  /** The field of `child` that shows the links of `field`, of a `parent`, from the other side. */
  inverseField(field: LinkField, parent: NodeType, child: NodeType): LinkField | undefined {
    const place = this.#places.get(field.stored);
    if (!place) return undefined;
    const fits = (end: End) => touches(end.types, child) && touches(end.partners, parent);
    const names = new Set(place.other.ends.filter(fits).map((end) => end.name));
    if (names.size === 0) return undefined;
    for (const each of child.fields.values()) {
      if (each.role === "link" && each.reverseOf === undefined && names.has(each.stored)) return each;
    }
    return undefined;
  }
}

function singles(side: Side | undefined, type: TypeName, partner: TypeName): readonly EndName[] {
  const taken = side?.ends.filter((end) => !end.many && end.types.includes(type) && end.partners.includes(partner)) ?? [];
  return taken.map((end) => end.name);
}

function touches(names: readonly TypeName[], type: NodeType): boolean {
  return type.members.some((member) => names.includes(member.stored));
}
