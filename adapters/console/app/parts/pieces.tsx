// Small parts that every page uses.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { messageOf } from "../api/server.ts";
import { addressOf } from "./router.ts";

export function Failure({ of, again }: { readonly of: unknown; readonly again?: () => void }) {
  if (of === undefined) return null;
  return (
    <div class="failure" role="alert">
      <pre>{messageOf(of)}</pre>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <circle cx="16" cy="16" r="12" />
        <circle cx="16" cy="16" r="3" />
      </svg>
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  );
}

/** What pages about the API show before the first deploy. */
export function NoApi() {
  return (
    <Empty title="There is no API yet">
      <a class="button primary" href={addressOf("schema")}>
        Write a schema
      </a>
    </Empty>
  );
}

export interface FormEndProps {
  /** Empty: there is none. */
  readonly problem: string;
  readonly submit: string;
  readonly submitClass?: "primary" | "danger";
  /** What was sent has no answer yet. */
  readonly isBusy?: boolean;
  readonly onCancel: () => void;
}

/** What every form ends with: what is wrong, and its two buttons. */
export function FormEnd({ problem, submit, submitClass, isBusy = false, onCancel }: FormEndProps) {
  return (
    <>
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <footer>
        <button type="submit" class={submitClass} disabled={isBusy}>
          {submit}
        </button>
        <button type="button" class="plain" onClick={onCancel}>
          Cancel
        </button>
      </footer>
    </>
  );
}

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The browser's own modal dialog: it keeps the focus, gives it back when it closes, and Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  // Before the next key: what is typed at once belongs into the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>(firstControl)?.focus();
    return () => {
      isGone.current = true;
      element?.close();
    };
  }, []);
  return (
    <dialog ref={dialog} onClose={() => !isGone.current && onClose()} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** A dialog without a field or a choice leaves the focus on the button that closes it. */
const firstControl = ".form :is(input, select, textarea, button.choice)";

export interface TabsProps<Name extends string> {
  readonly names: readonly Name[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly label: string;
}

export function Tabs<Name extends string>({ names, chosen, onChoose, label }: TabsProps<Name>) {
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {names.map((name) => (
        <button type="button" role="tab" key={name} aria-selected={name === chosen} onClick={() => onChoose(name)}>
          {name}
        </button>
      ))}
    </div>
  );
}

/** As the browser writes numbers: `63,436` or `63.436`. */
export function number(value: number | bigint): string {
  return value.toLocaleString();
}

/** With so many digits after the point. */
export function decimal(value: number, digits: number): string {
  return value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** `an Order`, `a Line`. */
export function withArticle(name: string): string {
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
