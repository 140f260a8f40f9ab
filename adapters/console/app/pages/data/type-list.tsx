// The types with their counts.

import { at } from "../../api/json.ts";
import type { ApiModel } from "../../model/api-model.ts";
import { countsQuery } from "../../model/nodes.ts";
import { useConsole } from "../../parts/console-context.ts";
import { number } from "../../parts/pieces.tsx";
import { addressOf, go } from "../../parts/router.ts";
import { useRequest } from "../../parts/use-request.ts";

export interface TypeListProps {
  readonly model: ApiModel;
  readonly chosen: string;
  /** Counts again when it changes. */
  readonly version: number;
}

export function TypeList({ model, chosen, version }: TypeListProps) {
  const { server, identity } = useConsole();
  const counts = useRequest(() => server.ask({ query: countsQuery(model.types), as: identity }), [server, identity, model], [version]);
  const countOf = (name: string) => {
    const count = at(counts.value?.data, name, "count");
    return typeof count === "number" ? number(count) : "";
  };
  return (
    <nav class="types" aria-label="Types">
      <label class="narrow-only">
        <span class="hidden">Type</span>
        <select value={chosen} onChange={(event) => go("data", [event.currentTarget.value])}>
          {model.types.map(({ name }) => (
            <option key={name} value={name}>
              {name} {countOf(name)}
            </option>
          ))}
        </select>
      </label>
      <ul class="wide-only">
        {model.types.map(({ name, isInterface }) => (
          <li key={name}>
            <a href={addressOf("data", [name])} aria-current={name === chosen ? "page" : undefined}>
              <span class={isInterface ? "interface" : ""} title={isInterface ? "interface" : undefined}>
                {name}
              </span>
              <span class="count">{countOf(name)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
