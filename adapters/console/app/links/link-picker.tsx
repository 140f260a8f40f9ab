// Chooses a node for a link: a text field with a list below it, as the ARIA pattern of a combobox has it.

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../api/server.ts";
import type { NodeType } from "../model/api-model.ts";
import { type LinkedNode, reachOf } from "../model/links.ts";
import { withArticle } from "../parts/pieces.tsx";
import { noteLink } from "./recent-links.ts";
import { type Suggestions, useSuggestions } from "./use-suggestions.ts";

export interface LinkPickerProps {
  readonly types: readonly NodeType[];
  readonly label: string;
  readonly onPick: (node: LinkedNode) => void;
  /** The types of which a new node can be made here. */
  readonly makeable: readonly NodeType[];
  readonly onMake: (type: NodeType) => void;
  /** Called by Escape while the list is closed. */
  readonly onClose?: () => void;
  readonly focused?: boolean;
  readonly id?: string;
}

type Option = { readonly kind: "node"; readonly node: LinkedNode } | { readonly kind: "make"; readonly type: NodeType };

export function LinkPicker({ types, label, onPick, makeable, onMake, onClose, focused = false, id }: LinkPickerProps) {
  const [text, setText] = useState("");
  const [isOpen, open] = useState(false);
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  /** Enter was pressed for this text while it was searched for. */
  const entered = useRef<string | undefined>(undefined);
  const list = useId();
  const suggestions = useSuggestions(types, isOpen ? text : undefined);
  const options: readonly Option[] = [
    ...suggestions.nodes.map((node) => ({ kind: "node", node }) as const),
    ...makeable.map((type) => ({ kind: "make", type }) as const),
  ];
  const chosen = Math.min(active, options.length - 1);
  useLayoutEffect(() => {
    if (focused) input.current?.focus();
  }, [focused]);
  useLayoutEffect(() => {
    if (isOpen) document.getElementById(`${list}-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [isOpen, chosen]);
  const choose = (option: Option) => {
    entered.current = undefined;
    setText("");
    setActive(0);
    open(false);
    if (option.kind === "make") return onMake(option.type);
    noteLink(option.node);
    onPick(option.node);
  };
  const chooseActive = () => {
    const option = options[chosen];
    if (isStale(suggestions, text)) entered.current = text;
    else if (option) choose(option);
  };
  useLayoutEffect(() => {
    if (isOpen && entered.current === text && !isStale(suggestions, text)) chooseActive();
  }, [isOpen, text, suggestions]);
  const pressed = (event: KeyboardEvent) => {
    entered.current = undefined;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      open(true);
      if (isOpen) setActive((chosen + step + options.length) % Math.max(1, options.length));
    } else if (event.key === "Enter" && isOpen) {
      chooseActive();
    } else if (event.key === "Escape" && isOpen) {
      open(false);
    } else if (event.key === "Escape" && onClose) {
      onClose();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="picker" onFocusOut={(event) => !isWithin(event.currentTarget, event.relatedTarget) && open(false)}>
      <input
        ref={input}
        {...(id !== undefined && { id })}
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && options.length > 0 ? `${list}-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={`Search ${withArticle(types.map(({ name }) => name).join(" or "))}`}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          open(true);
        }}
        onClick={() => open(true)}
        onKeyDown={pressed}
      />
      {isOpen && (
        <div class="picker-list">
          <div class="options" id={list} role="listbox" aria-label={label}>
            {options.map((option, place) => (
              <OptionItem
                key={keyOfOption(option)}
                id={`${list}-${place}`}
                option={option}
                isActive={place === chosen}
                onChoose={() => choose(option)}
              />
            ))}
          </div>
          <p class="hint" role="status">
            {hintOf(suggestions, types, text)}
          </p>
        </div>
      )}
    </div>
  );
}

interface OptionItemProps {
  readonly id: string;
  readonly option: Option;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

function OptionItem({ id, option, isActive, onChoose }: OptionItemProps) {
  const props = { id, role: "option", "aria-selected": isActive, onClick: onChoose, onMouseDown: keepFocus } as const;
  if (option.kind === "make") {
    return (
      <div {...props} class="make">
        Add {withArticle(option.type.name)} and link it…
      </div>
    );
  }
  const { label, key, type } = option.node;
  return (
    <div {...props}>
      <span>{label}</span> <small>{label === String(key.value) ? type.name : String(key.value)}</small>
    </div>
  );
}

/** The list closes when the focus leaves. */
function keepFocus(event: Event): void {
  event.preventDefault();
}

function keyOfOption(option: Option): string {
  return option.kind === "make" ? `+${option.type.name}` : `${option.node.type.name} ${String(option.node.key.value)}`;
}

function isWithin(element: Element, target: EventTarget | null): boolean {
  return target instanceof Node && element.contains(target);
}

/** What is shown still belongs to a shorter text. */
function isStale({ isLoading, nodes }: Suggestions, text: string): boolean {
  return isLoading && text.trim() !== "" && nodes.length === 0;
}

const reaches: Readonly<Record<ReturnType<typeof reachOf>, string>> = {
  parts: "",
  words: "whole words",
  keys: "whole keys",
};

function hintOf({ isLoading, isPartial, nodes, failure }: Suggestions, types: readonly NodeType[], text: string): string {
  if (failure !== undefined) return messageOf(failure);
  if (isLoading) return "Searching…";
  const limits = [...new Set(types.map((type) => reaches[reachOf(type)]))].filter((each) => each !== "").join(" and ");
  if (text.trim() !== "" && nodes.length === 0) return limits !== "" && isPartial ? `Nothing found. The indexes find ${limits}.` : "Nothing found.";
  if (isPartial && text.trim() === "") return "Type to search the others.";
  return "";
}
