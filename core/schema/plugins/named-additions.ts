// Names in additions to the API that must be there: a misspelled one would have no effect.

import { type DocumentNode, Kind, type TypeDefinitionNode } from "graphql";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import { QuernError } from "../../ground/errors.ts";
import { didYouMean } from "../../ground/near-name.ts";
import type { PluginAdditions } from "../api/additions.ts";
import { fieldsOf } from "../document/definitions.ts";
import { definitionsOf } from "../document/installed.ts";

export interface Named {
  readonly plugins: readonly DirectivePlugin[];
  readonly document: DocumentNode;
  readonly definitions: readonly TypeDefinitionNode[];
}

/** @throws QuernError `CONFIG_INVALID` for a name in `live` or `atomic` that nothing has */
export function assertNamedAdditions(additions: readonly PluginAdditions[], { plugins, document, definitions }: Named): void {
  const queries = definitions.filter(({ name }) => name.value === "Query").flatMap((query) => fieldsOf(query).map(({ name }) => name.value));
  for (const { plugin, live = [], atomic = [] } of additions) {
    assertAmong(live, queries, (name) => `Plugin "${plugin}", hook api: live names "${name}", which is no field of the schema's Query`);
    if (atomic.length === 0) continue;
    const own = plugins.find(({ name }) => name === plugin);
    const directives = own ? definitionsOf(own, document).flatMap((node) => (node.kind === Kind.DIRECTIVE_DEFINITION ? [node.name.value] : [])) : [];
    assertAmong(
      atomic,
      directives,
      (name) => `Plugin "${plugin}", hook api: atomic names the directive "${name}", which its definitions do not have`,
    );
  }
}

function assertAmong(names: readonly string[], known: readonly string[], problem: (name: string) => string): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new QuernError("CONFIG_INVALID", `${problem(unknown)}${didYouMean(unknown, known) || "."}`);
}
