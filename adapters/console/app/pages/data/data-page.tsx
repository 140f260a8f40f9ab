// Data: the types, the nodes of one of them, one node.

import { useEffect, useState } from "preact/hooks";
import { textOf } from "../../api/json.ts";
import { FilterBar } from "../../filters/filter-bar.tsx";
import type { NodeType } from "../../model/api-model.ts";
import { addNodes } from "../../model/changes.ts";
import { everything } from "../../model/filter-tree.ts";
import type { NodeKey } from "../../model/nodes.ts";
import { type Deployed, useConsole } from "../../parts/console-context.ts";
import { Empty, Failure, number, plural } from "../../parts/pieces.tsx";
import { addressOf, go, type Route } from "../../parts/router.ts";
import { useChanges } from "../../parts/use-changes.ts";
import type { Found } from "../../scan/scan.ts";
import { ScanNote } from "../../scan/scan-note.tsx";
import { ExportDialog } from "../../transfer/export-dialog.tsx";
import { ImportDialog } from "../../transfer/import-dialog.tsx";
import { bulkFields } from "../../undo/bulk-edit.ts";
import { AddForm } from "./add-form.tsx";
import { BulkEditDialog } from "./bulk-edit-dialog.tsx";
import { ColumnsMenu } from "./columns-menu.tsx";
import { DeleteDialog, type ToDelete } from "./delete-dialog.tsx";
import { FileMenu, type Transfer } from "./file-menu.tsx";
import { NodePanel, type NodeView } from "./node-panel.tsx";
import { pagesOf } from "./row-source.ts";
import { maxRows } from "./rows.ts";
import { Table } from "./table.tsx";
import { TypeList } from "./type-list.tsx";
import { unindexedFields, writeIndex } from "./unindexed.ts";
import { useTableRows } from "./use-table-rows.ts";
import { changeView, useView } from "./view.ts";

export function DataPage({ route }: { readonly route: Route }) {
  const { deployed } = useConsole();
  if (deployed === undefined) {
    return (
      <Empty title="No schema is deployed yet">
        <p>A schema describes types; the API and this page follow from it.</p>
        <a class="button primary" href={addressOf("schema")}>
          Write a schema
        </a>
      </Empty>
    );
  }
  const { types } = deployed.model;
  const [name = types[0]?.name, node] = route.path;
  const type = types.find((each) => each.name === name);
  if (types.length === 0) return <Empty title="The schema has no types with queries" />;
  if (type === undefined) return <Empty title={`There is no type ${name}`}>It may have been renamed or removed by a later schema.</Empty>;
  return <TypePage key={type.name} deployed={deployed} type={type} node={node} route={route} />;
}

interface TypePageProps {
  readonly deployed: Deployed;
  readonly type: NodeType;
  readonly node: string | undefined;
  readonly route: Route;
}

function TypePage({ deployed: { model, text }, type, node, route }: TypePageProps) {
  const state = useConsole();
  const { filter, orders, columns, row } = useView(model, type, route);
  const [selected, setSelected] = useState<ReadonlyMap<string, NodeKey>>(new Map());
  const [deleting, setDeleting] = useState<ToDelete>();
  const [isEditing, setEditing] = useState(false);
  const [transfer, openTransfer] = useState<Transfer>();
  const [isAdding, setAdding] = useState(false);
  const [version, setVersion] = useState(0);
  const [view, setView] = useState<NodeView>("Values");
  const { rows, scan, isOld, noteChanges } = useTableRows({ model, type, filter, orders });
  const changed = () => {
    rows.again();
    setVersion((before) => before + 1);
  };
  useChanges((commits) => {
    noteChanges(commits);
    changed();
  });
  // What is selected belongs to one filter.
  useEffect(() => setSelected(new Map()), [filter]);
  return (
    <div class={`data${node === undefined ? "" : " with-panel"}`}>
      <TypeList model={model} chosen={type.name} version={version} />
      <section class="rows" aria-label={`${type.name} nodes`}>
        <div class="toolbar">
          <h1>{type.name}</h1>
          <FilterBar model={model} type={type} filter={filter} onChange={(next) => changeView({ filter: next })} />
          <span class="spring" />
          <FileMenu type={type} onChoose={openTransfer} />
          <ColumnsMenu type={type} columns={columns} onHide={(hidden) => changeView({ hidden })} />
          {selected.size > 0 && bulkFields(model, type).length > 0 && (
            <button type="button" onClick={() => setEditing(true)}>
              Edit {number(selected.size)}
            </button>
          )}
          {selected.size > 0 && type.remove !== undefined && (
            <button type="button" class="danger" onClick={() => setDeleting({ keys: [...selected.values()], label: plural(selected.size, "node") })}>
              Delete {number(selected.size)}
            </button>
          )}
          {type.add && (
            <button type="button" class="primary" onClick={() => setAdding(true)}>
              Add
            </button>
          )}
        </div>
        <Failure of={rows.failure} again={rows.again} />
        {scan && (
          <ScanNote
            type={type}
            scan={scan}
            isOld={isOld}
            unindexed={unindexedFields(text, type, { filter, orders })}
            onIndex={(field) => writeIndex(text, type, field)}
          />
        )}
        {rows.total === 0 ? (
          <Empty title={filter.of.length > 0 ? "Nothing matches these filters" : `There are no ${type.name} nodes`}>
            {filter.of.length > 0 ? (
              <button type="button" onClick={() => changeView({ filter: everything })}>
                Remove the filters
              </button>
            ) : (
              <p>Nodes appear here as soon as somebody adds them.</p>
            )}
          </Empty>
        ) : (
          <Table
            type={type}
            columns={columns}
            rows={rows}
            orders={orders}
            onOrder={(next) => changeView({ orders: next })}
            selected={selected}
            onSelect={setSelected}
            open={node}
            firstRow={row}
          />
        )}
        <footer class="status">
          <span>
            <span>{rows.total !== undefined && plural(rows.total, "node")}</span>
            {rows.total !== undefined && rows.total > maxRows && `; the table shows the first ${number(maxRows)}. Filter to see others.`}
            {type.keys.length === 0 && " · nodes of this type have no ID and no @id field, so they cannot be changed here"}
          </span>
          <span class="spring" />
          <span class="wide-only">↑↓←→ move · Ctrl-End last · Enter open · F2 edit · Space select</span>
        </footer>
      </section>
      {node !== undefined && (
        <NodePanel
          key={node}
          view={view}
          onView={setView}
          model={model}
          type={type}
          name={node}
          version={version}
          onChanged={changed}
          onDelete={(key, label) => setDeleting({ keys: [key], label })}
        />
      )}
      {isAdding && (
        <AddForm
          model={model}
          type={type}
          // `input`, the place in its list.
          inputDepth={2}
          onAdd={(input) => addNodes(state, type, [input]).then(changed)}
          onClose={() => setAdding(false)}
        />
      )}
      {transfer === "import" && <ImportDialog model={model} type={type} onAdded={changed} onClose={() => openTransfer(undefined)} />}
      {transfer === "export" && (
        <ExportDialog
          model={model}
          type={type}
          fields={columns}
          total={rows.total}
          chosen={selected.size}
          pages={(which, selection) => (which === "all" ? rows.all(selection) : pagesOf({ ...state, model, type }, chosenNodes(selected), selection))}
          onClose={() => openTransfer(undefined)}
        />
      )}
      {isEditing && <BulkEditDialog model={model} type={type} keys={[...selected.values()]} onChanged={changed} onClose={() => setEditing(false)} />}
      {deleting && (
        <DeleteDialog
          model={model}
          type={type}
          deleting={deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => {
            setSelected(new Map());
            if (deleting.keys.some(({ value }) => textOf(value) === node)) go("data", [type.name]);
            changed();
          }}
        />
      )}
    </div>
  );
}

function chosenNodes(selected: ReadonlyMap<string, NodeKey>): readonly Found[] {
  return [...selected.values()].map((key) => ({ key }));
}
