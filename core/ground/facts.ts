// What is found once in something that does not change, and kept as long as that.

/** Something that does not change, such as a deployment. It keeps what is found in it. */
export interface FactOwner {
  readonly facts: Facts;
}

/**
 * A fact about each owner, found at its first use. It ends with the owner. Any module may have facts of its own:
 *
 *     const objectTypes = new Fact(({ model }: Pick<Deployment, "model" | "facts">) =>
 *       [...model.nodeTypes.values()].filter(({ kind }) => kind === "object"),
 *     );
 *
 *     const types = objectTypes.of(deployment);
 */
export class Fact<Owner extends FactOwner, T> {
  readonly #find: (owner: Owner) => T;

  constructor(find: (owner: Owner) => T) {
    this.#find = find;
  }

  of(owner: Owner): T {
    const known = owner.facts.get(this);
    if (known !== undefined && this.#isOwn(known)) return known.value;
    const value = this.#find(owner);
    owner.facts.set(this, { fact: this, value });
    return value;
  }

  #isOwn(found: Found): found is Found & { readonly value: T } {
    return found.fact === this;
  }
}

interface Found {
  readonly fact: object;
  readonly value: unknown;
}

/** The facts that were found in one owner, by `Fact`. */
export class Facts extends Map<object, Found> {}
