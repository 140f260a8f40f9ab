// What an input writes whatever the data are, and the keys by which it asks. Permissions are asked about these before anything is looked up: that a key
// is taken, or that an object lacks a value, must not be told to who may not do it anyway.

import type { Permissions } from "../../contracts/plugin/permissions.ts";
import type { EndName, FieldName, TypeName } from "../../ground/values/value.ts";
import type { Mutation } from "../context/mutation.ts";
import type { InputNode, InputTree } from "../input/input-tree.ts";
import type { Contents } from "../input/input-values.ts";
import { namesOfPatch, newFields } from "../input/patch-fields.ts";
import { namesOfKey } from "../keys/scoped-keys.ts";
import { addLink, checkNames } from "./written-names.ts";

export interface GivenInput {
  readonly tree: InputTree;
  readonly contents: Contents;
  readonly upsert: boolean;
}

/** Refuses what the caller may not do, whatever is stored. */
export function checkGivenPermissions(mutation: Mutation, { tree, contents, upsert }: GivenInput): void {
  const { permissions } = mutation.context;
  if (!permissions) return;
  const given = new GivenNames(mutation, permissions, contents);
  for (const root of tree.roots) given.root(root, { upsert });
  checkNames(mutation, given.types, given.names);
}

class GivenNames {
  readonly types = new Set<TypeName>();
  readonly names = new Set<FieldName | EndName>();
  readonly #mutation: Mutation;
  readonly #permissions: Permissions;
  readonly #contents: Contents;

  constructor(mutation: Mutation, permissions: Permissions, contents: Contents) {
    this.#mutation = mutation;
    this.#permissions = permissions;
    this.#contents = contents;
  }

  /** An upsert by a key may find its object: then no node is made. */
  root(root: InputNode, { upsert }: { readonly upsert: boolean }): void {
    if (root.role === "add") this.#made(root, { isNew: !upsert || root.keys.length === 0 });
    else this.#patch(root);
  }

  #patch(root: InputNode): void {
    const content = this.#contents(root);
    const patch = root.role === "set" ? { set: content, remove: undefined } : { set: undefined, remove: content };
    for (const name of namesOfPatch({ type: root.type, ...patch })) this.names.add(name);
    this.#links(root);
  }

  #made(node: InputNode, { isNew }: { readonly isNew: boolean }): void {
    if (isNew) this.types.add(node.type.stored);
    for (const name of Object.keys(newFields(node.type, this.#contents(node)))) this.names.add(name);
    this.#links(node);
  }

  #links(owner: InputNode): void {
    for (const { field, targets, cleared } of owner.links) {
      if (cleared && owner.role === "remove") addLink(this.names, this.#mutation, { field, owner: owner.type, target: undefined });
      for (const target of targets) {
        // Which names the other side has depends on the type of the object that is found.
        if (target.type.kind === "object") addLink(this.names, this.#mutation, { field, owner: owner.type, target: target.type });
        else if (!field.stored.startsWith("~")) this.names.add(field.stored);
        this.#below(target);
      }
    }
  }

  /** An object below the top is named by an ID, or by keys that the caller may read; otherwise it is as good as new. */
  #below(node: InputNode): void {
    if (node.reference) return;
    const unread = node.keys.flatMap(namesOfKey).filter((name) => !this.#permissions.mayRead(name));
    if (node.removes || node.type.kind === "interface") for (const name of unread) this.names.add(name);
    else if (unread.length > 0 || node.keys.length === 0) this.#made(node, { isNew: true });
  }
}
