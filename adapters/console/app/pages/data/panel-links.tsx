// The nodes that a list of a node links to: page by page, with a way to link more and to remove links.

import { useState } from "preact/hooks";
import { at, type JsonObject, objectsIn, textOf } from "../../api/json.ts";
import { LinkPicker } from "../../links/link-picker.tsx";
import type { NodeType } from "../../model/api-model.ts";
import { isEditable, updateNode } from "../../model/changes.ts";
import { linkOf, makeableTargets, newReference, targetsOf } from "../../model/links.ts";
import { filterOf, linksQuery } from "../../model/nodes.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Failure, number } from "../../parts/pieces.tsx";
import { useRequest } from "../../parts/use-request.ts";
import { useAction } from "../../parts/use-submit.ts";
import { link, type Place, unlink } from "../../undo/edits.ts";
import type { Change } from "../../undo/use-undo.ts";
import { AddForm } from "./add-form.tsx";
import { LinkTo } from "./link-to.tsx";

const linksPerPage = 10;

export interface LinkListProps {
  readonly place: Place;
  readonly node: JsonObject;
  /** Reads again when it changes. */
  readonly version: number;
  readonly onChanged: () => void;
}

export function LinkList({ place, node, version, onChanged }: LinkListProps) {
  const { undo } = useConsole();
  const { model, type, key, field } = place;
  const { server, identity } = place.writing;
  const [page, setPage] = useState(0);
  const { run, isBusy, problem } = useAction();
  const links = useRequest(
    async () => {
      const variables = { filter: filterOf(type, [key]), first: linksPerPage, offset: page * linksPerPage };
      const data = await server.data({ query: linksQuery(model, type, field), variables, as: identity });
      return objectsIn(at(data, "rows", 0, field.name));
    },
    [server, identity, field, textOf(key.value), page],
    [version],
  );
  const total = field.aggregate === undefined ? undefined : Number(at(node[field.aggregate], "count") ?? 0);
  const shownAgain = () => {
    onChanged();
    links.again();
  };
  const change = (work: () => Promise<Change>) =>
    run(async () => {
      undo.note(await work());
      shownAgain();
    });
  const mayEdit = isEditable(type, field);
  return (
    <div class="links">
      <Failure of={links.failure} />
      <ul>
        {links.value?.map((each) => {
          const linked = linkOf(model, field, each);
          return (
            <li key={textOf(linked?.key.value)}>
              <LinkTo model={model} field={field} node={each} />
              {mayEdit && linked && (
                <button
                  type="button"
                  class="plain"
                  disabled={isBusy}
                  aria-label={`Unlink ${linked.label}`}
                  title="Remove the link; the node stays"
                  onClick={() => change(() => unlink(place, linked))}
                >
                  ✕
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {links.value?.length === 0 && page === 0 && <span class="nothing">none</span>}
      {total !== undefined && total > linksPerPage && <Pages name={field.name} page={page} total={total} onPage={setPage} />}
      {mayEdit && <NewLink place={place} onChange={change} onAdded={shownAgain} />}
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface PagesProps {
  readonly name: string;
  readonly page: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

function Pages({ name, page, total, onPage }: PagesProps) {
  return (
    <div class="pages">
      <button type="button" class="plain" disabled={page === 0} onClick={() => onPage(page - 1)} aria-label={`Previous ${name}`}>
        ‹
      </button>
      {number(page * linksPerPage + 1)}–{number(Math.min(total, (page + 1) * linksPerPage))} of {number(total)}
      <button type="button" class="plain" disabled={(page + 1) * linksPerPage >= total} onClick={() => onPage(page + 1)} aria-label={`Next ${name}`}>
        ›
      </button>
    </div>
  );
}

interface NewLinkProps {
  readonly place: Place;
  readonly onChange: (work: () => Promise<Change>) => void;
  readonly onAdded: () => void;
}

function NewLink({ place, onChange, onAdded }: NewLinkProps) {
  const { writing, model, type, key, field } = place;
  const [making, make] = useState<NodeType>();
  const add = async (made: NodeType, input: JsonObject) => {
    await updateNode(writing, type, key, { set: { [field.name]: [newReference(place, made, input)] } });
    onAdded();
  };
  return (
    <>
      <LinkPicker
        types={targetsOf(model, field)}
        label={`Link ${field.name}`}
        makeable={makeableTargets(model, field)}
        onMake={make}
        onPick={(node) => onChange(() => link(place, node))}
      />
      {making && (
        <AddForm
          model={model}
          type={making}
          by={field}
          // `input`, `set`, the field, the place in its list.
          inputDepth={4}
          onAdd={(input) => add(making, input)}
          onClose={() => make(undefined)}
        />
      )}
    </>
  );
}
