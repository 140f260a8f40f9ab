// A link to a node, as a link of the page.

import { type JsonObject, textOf } from "../../api/json.ts";
import type { ApiModel, Field } from "../../model/api-model.ts";
import { linkOf } from "../../model/links.ts";
import { labelOf } from "../../model/nodes.ts";
import { addressOf } from "../../parts/router.ts";

export interface LinkToProps {
  readonly model: ApiModel;
  readonly field: Pick<Field, "named">;
  readonly node: JsonObject;
}

export function LinkTo({ model, field, node }: LinkToProps) {
  const found = linkOf(model, field, node);
  if (found === undefined) return <span>{labelOf(undefined, node)}</span>;
  return (
    <a class="link" href={addressOf("data", [found.type.name, textOf(found.key.value)])}>
      {found.label} <small>{found.type.name}</small>
    </a>
  );
}
