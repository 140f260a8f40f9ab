// biome-ignore-all lint/a11y: a virtual grid of 500,000 rows cannot be a table element; its roles are those of the ARIA grid pattern.
// The rows of a type as a grid: virtual rows, columns that order, cells that are edited in place. Arrow keys move, Enter edits or opens, Space selects.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { at, isObject, type JsonObject, objectsIn, textOf } from "../../api/json.ts";
import { messageOf } from "../../api/server.ts";
import type { Field, NodeType } from "../../model/api-model.ts";
import { isEditable } from "../../model/changes.ts";
import { keyOf, labelOf, type NodeKey, type Order } from "../../model/nodes.ts";
import { editable, isNumeric, localTime, parseValue, shown } from "../../model/values.ts";
import { useConsole } from "../../parts/console-context.ts";
import { number } from "../../parts/pieces.tsx";
import { addressOf, currentParameters, go } from "../../parts/router.ts";
import { ValueEditor } from "../../parts/value-editor.tsx";
import { useVirtualRows } from "../../parts/virtual-rows.ts";
import { editValue } from "../../undo/edits.ts";
import { useRowInAddress } from "./row-in-address.ts";
import { mostChosen } from "./row-source.ts";
import { maxRows, type Rows } from "./rows.ts";

const rowHeight = 34;

export interface TableProps {
  readonly type: NodeType;
  readonly columns: readonly Field[];
  readonly rows: Rows;
  readonly orders: readonly Order[];
  readonly onOrder: (orders: readonly Order[]) => void;
  readonly selected: ReadonlyMap<string, NodeKey>;
  readonly onSelect: (selected: ReadonlyMap<string, NodeKey>) => void;
  /** The key of the node that is open beside the table. */
  readonly open: string | undefined;
  /** At the top when the table is opened. */
  readonly firstRow: number;
}

interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The cell that is edited, and the node that it showed when that began. */
interface Editing extends Cell {
  readonly node: JsonObject;
  readonly key: NodeKey;
}

export function Table({ type, columns, rows, orders, onOrder, selected, onSelect, open, firstRow }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  /** Whether the keyboard moved to the active cell, and the cell has not the focus yet. */
  const awaitsFocus = useRef(false);
  /** The cell that the first click of two met. */
  const clicked = useRef<Cell>(undefined);
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const [editing, setEditing] = useState<Editing>();
  const count = Math.min(rows.total ?? 0, maxRows);
  const {
    items,
    height,
    scrollTo,
    seen: [first, last],
  } = useVirtualRows({ count, rowHeight, scroller, kept: editing?.row ?? active.row });
  const { show, hold, release } = rows;
  // `show` is new with each drawing; what it reads depends on these.
  useEffect(() => show(first, last), [first, last, rows.total]);
  useRowInAddress({ scrollTo, firstRow, top: first, of: rows.of, count });
  // A commit of somebody else must not put another node under the text that is written.
  useLayoutEffect(() => (editing === undefined ? release() : hold()), [editing]);
  useLayoutEffect(() => setEditing(undefined), [rows.of]);
  // A phone has a width of its own for the first column, which stays while the others scroll.
  const template = ["36px", ...columns.map((field, place) => (place === 0 ? `var(--first-column, ${widthOf(field)})` : widthOf(field)))].join(" ");

  const toggle = (node: JsonObject) => {
    const key = keyOf(type, node);
    if (key === undefined) return;
    const next = new Map(selected);
    const name = textOf(key.value);
    if (!next.delete(name)) next.set(name, key);
    onSelect(next);
  };
  const isAllSelected = count > 0 && selected.size >= count;
  const toggleAll = async () => {
    if (isAllSelected) return onSelect(new Map());
    if (count > mostChosen) return;
    const keys = await rows.keys();
    onSelect(new Map(keys.map((key) => [textOf(key.value), key])));
  };
  const move = (cell: Cell) => {
    const row = Math.max(0, Math.min(count - 1, cell.row));
    const column = Math.max(0, Math.min(columns.length - 1, cell.column));
    setActive({ row, column });
    scrollTo(row);
    awaitsFocus.current = true;
  };
  // Runs with each drawing, before the next key: a row that was out of sight is drawn only after the grid has scrolled to it.
  useLayoutEffect(() => {
    if (!awaitsFocus.current) return;
    const cell = grid.current?.querySelector<HTMLElement>(`[data-cell="${active.row}.${active.column}"]`);
    if (!cell) return;
    awaitsFocus.current = false;
    cell.focus();
  });
  const edit = (cell: Cell) => {
    const node = rows.row(cell.row);
    const field = columns[cell.column];
    const key = node && keyOf(type, node);
    if (node && key && field && isEditable(type, field) && isInPlace(field)) setEditing({ ...cell, node, key });
  };
  // The first of two clicks opens the node beside the table, which moves the cells: the second may meet another one, or none.
  useLayoutEffect(() => {
    const first = ({ detail, target }: MouseEvent) => {
      if (detail === 1) clicked.current = cellAt(grid.current, target);
    };
    const second = () => {
      const cell = clicked.current;
      if (cell === undefined) return;
      setActive(cell);
      if (editing === undefined) edit(cell);
    };
    document.addEventListener("click", first, true);
    document.addEventListener("dblclick", second);
    return () => {
      document.removeEventListener("click", first, true);
      document.removeEventListener("dblclick", second);
    };
  });
  const stopEditing = ({ hasFocus }: EndOfEditing) => {
    setEditing(undefined);
    if (hasFocus) move(active);
  };
  const pressed = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.cell === undefined) return;
    const node = rows.row(active.row);
    const moved = moves[event.key];
    if (isCommand(event) && (event.key === "Home" || event.key === "End")) move({ ...active, row: event.key === "Home" ? 0 : count - 1 });
    else if (moved) move({ row: active.row + moved[0], column: active.column + moved[1] });
    else if (event.key === " " && node) toggle(node);
    else if (event.key.toLowerCase() === "a" && isCommand(event)) void toggleAll();
    else if (event.key === "F2" && editing === undefined) edit(active);
    else if (event.key === "Enter" && node) openNode(type, node);
    else return;
    event.preventDefault();
  };

  return (
    <div class="table" ref={scroller}>
      <div
        class="grid"
        role="grid"
        tabIndex={-1}
        aria-label={type.name}
        aria-rowcount={count + 1}
        ref={grid}
        style={{ gridTemplateColumns: template }}
        onKeyDown={pressed}
      >
        <div class="row head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          <div role="columnheader" class="cell check">
            {type.keys.length === 0 ? (
              <span class="hidden">Selected</span>
            ) : (
              <input
                type="checkbox"
                aria-label={`Select all ${type.name} nodes`}
                title={count > mostChosen ? `At most ${number(mostChosen)} nodes can be selected. Filter first.` : undefined}
                disabled={count === 0 || count > mostChosen}
                checked={isAllSelected}
                onChange={toggleAll}
              />
            )}
          </div>
          {columns.map((field) => (
            <Header key={field.name} isFirst={field === columns[0]} field={field} type={type} orders={orders} onOrder={onOrder} />
          ))}
        </div>
        <div class="body" role="rowgroup" style={{ height: `${height}px` }}>
          {items.map(({ index, start }) => {
            const node = rows.row(index);
            const key = node && keyOf(type, node);
            const name = key && textOf(key.value);
            const isSelected = name !== undefined && selected.has(name);
            return (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={isSelected}
                class={`row${name !== undefined && name === open ? " open" : ""}`}
                style={{ transform: `translateY(${start}px)`, gridTemplateColumns: template }}
              >
                <div role="gridcell" class="cell check">
                  {node && key && (
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={`Select ${labelOf(type, node)}`}
                      checked={isSelected}
                      onChange={() => toggle(node)}
                    />
                  )}
                </div>
                {columns.map((field, column) => {
                  const isActive = active.row === index && active.column === column;
                  const isEdited = editing?.row === index && editing.column === column;
                  return (
                    <div
                      key={field.name}
                      role="gridcell"
                      class={`cell ${field.kind}${isNumeric(field) ? " number" : ""}${column === 0 ? " first" : ""}`}
                      tabIndex={isActive ? 0 : -1}
                      data-cell={`${index}.${column}`}
                      data-field={field.name}
                      onFocus={() => setActive({ row: index, column })}
                      onClick={(event) =>
                        node && !editing && !(event.target instanceof HTMLAnchorElement) && event.detail === 1 && openNode(type, node)
                      }
                    >
                      {isEdited ? (
                        <CellEditor type={type} field={field} node={editing.node} nodeKey={editing.key} onDone={stopEditing} onSaved={rows.again} />
                      ) : node === undefined ? (
                        <span class="loading" />
                      ) : (
                        <CellText field={field} node={node} />
                      )}
                    </div>
                  );
                })}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

const moves: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-20, 0],
  PageDown: [20, 0],
  Home: [0, -1_000],
  End: [0, 1_000],
};

function isCommand({ ctrlKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey;
}

function openNode(type: NodeType, node: JsonObject): void {
  const key = keyOf(type, node);
  if (key !== undefined) go("data", [type.name, textOf(key.value)], currentParameters());
}

function cellAt(grid: HTMLElement | null, target: EventTarget | null): Cell | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-cell]") : null;
  if (!cell || !grid?.contains(cell)) return undefined;
  const [row = 0, column = 0] = (cell.dataset.cell ?? "").split(".").map(Number);
  return { row, column };
}

/** Links and files are edited beside the table. */
function isInPlace({ kind }: Field): boolean {
  return kind !== "link" && kind !== "file";
}

function widthOf(field: Field): string {
  if (field.kind === "id") return "100px";
  if (field.named === "Int64") return "180px";
  if (field.named === "Boolean") return "90px";
  if (isNumeric(field)) return "130px";
  if (field.kind === "enum") return "130px";
  if (field.named === "DateTime") return "230px";
  if (field.kind === "link") return field.isList ? "130px" : "minmax(150px, 1fr)";
  return "minmax(170px, 1.4fr)";
}

interface HeaderProps extends Pick<TableProps, "type" | "orders" | "onOrder"> {
  readonly field: Field;
  readonly isFirst: boolean;
}

function Header({ field, isFirst, type, orders, onOrder }: HeaderProps) {
  const order = orders.find((each) => each.field === field.name);
  const sort = order === undefined ? "none" : order.direction === "asc" ? "ascending" : "descending";
  const isIndexed = type.orderable.has(field.name);
  const next = (others: readonly Order[]): readonly Order[] => {
    if (order?.direction === "desc") return others;
    return [...others, { field: field.name, direction: order ? "desc" : "asc" }];
  };
  return (
    <div
      role="columnheader"
      class={`cell${isNumeric(field) ? " number" : ""}${isFirst ? " first" : ""}`}
      aria-sort={sort}
      title={[field.typeText, field.description, isIndexed ? "" : "No index orders it: all nodes are read."].filter(Boolean).join("\n")}
    >
      {field.kind === "geo" || field.kind === "file" ? (
        <span>{field.name}</span>
      ) : (
        <button type="button" onClick={(event) => onOrder(next(event.shiftKey ? orders.filter((each) => each !== order) : []))}>
          {field.name}
          <span aria-hidden="true">{order === undefined ? "" : order.direction === "asc" ? " ↑" : " ↓"}</span>
        </button>
      )}
      <small>{field.typeText}</small>
    </div>
  );
}

function CellText({ field, node }: { readonly field: Field; readonly node: JsonObject }) {
  const { deployed } = useConsole();
  const value = node[field.name];
  if (field.kind === "link" && field.isList) {
    const count = field.aggregate === undefined ? objectsIn(value).length : Number(at(node[field.aggregate], "count") ?? 0);
    return count === 0 ? <Nothing /> : <span class="count">{number(count)}</span>;
  }
  if (value === null || value === undefined) return <Nothing />;
  if (field.kind === "link" && isObject(value)) {
    const target = deployed?.model.type(textOf(value.__typename)) ?? deployed?.model.type(field.named);
    const key = keyOf(target, value);
    const label = labelOf(target, value);
    return key && target ? (
      <a tabIndex={-1} href={addressOf("data", [target.name, textOf(key.value)])}>
        {label}
      </a>
    ) : (
      <span>{label}</span>
    );
  }
  const text = shown(field, value);
  if (text === "") return <span class="nothing">{Array.isArray(value) ? "[]" : '""'}</span>;
  return (
    <span dir="auto" title={field.named === "DateTime" ? localTime(text) : text.length > 20 ? text : undefined}>
      {text}
    </span>
  );
}

function Nothing() {
  return <span class="nothing">–</span>;
}

interface EndOfEditing {
  /** The editor still has the focus: who has gone on to something else stays there. */
  readonly hasFocus: boolean;
}

interface CellEditorProps {
  readonly type: NodeType;
  readonly field: Field;
  readonly node: JsonObject;
  readonly nodeKey: NodeKey;
  readonly onDone: (end: EndOfEditing) => void;
  readonly onSaved: () => void;
}

function CellEditor({ type, field, node, nodeKey, onDone, onSaved }: CellEditorProps) {
  const { server, identity, undo, deployed } = useConsole();
  const before = editable(field, node[field.name]);
  const [text, setText] = useState(before);
  const [problem, setProblem] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const isOver = useRef(false);
  const done = () => onDone({ hasFocus: form.current?.contains(document.activeElement) ?? false });
  const save = async () => {
    if (isOver.current) return;
    isOver.current = true;
    if (text === before || deployed === undefined) return done();
    try {
      const place = { writing: { server, identity }, model: deployed.model, type, key: nodeKey, label: labelOf(type, node), field };
      undo.note(await editValue(place, node[field.name], parseValue(field, text)));
      onSaved();
      done();
    } catch (thrown) {
      isOver.current = false;
      setProblem(messageOf(thrown));
    }
  };
  return (
    <form
      class="edit"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        isOver.current = true;
        done();
      }}
      onFocusOut={(event) => {
        if (problem === "" && !event.currentTarget.contains(event.relatedTarget instanceof Node ? event.relatedTarget : null)) void save();
      }}
    >
      <ValueEditor
        field={field}
        text={text}
        onText={(next) => {
          setText(next);
          setProblem("");
        }}
        label={field.name}
        focused
      />
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
