// CodeMirror as a component.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";

export interface EditorProps {
  /** What it shows at first. Another `key` makes an editor with another text. */
  readonly text: string;
  readonly onText?: (text: string) => void;
  /** Language, completion and checks. A new value replaces the old one. */
  readonly extensions: readonly Extension[];
  readonly label: string;
  /** Called by Ctrl-Enter. */
  readonly onRun?: () => void;
  readonly view?: (view: EditorView) => void;
}

export function Editor({ text, onText, extensions, label, onRun, view: onView }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changeable = useRef(new Compartment());
  const calls = useRef({ onText, onRun });
  calls.current = { onText, onRun };
  // The editor is made once; the other effect keeps it up to date.
  useEffect(() => {
    if (!place.current) return;
    const run = () => {
      calls.current.onRun?.();
      return calls.current.onRun !== undefined;
    };
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          keymap.of([{ key: "Mod-Enter", run }]),
          basics,
          EditorState.readOnly.of(onText === undefined),
          EditorView.contentAttributes.of({ "aria-label": label, "aria-description": leaving, tabindex: "0" }),
          EditorView.updateListener.of(({ docChanged, state }) => docChanged && calls.current.onText?.(state.doc.toString())),
          changeable.current.of([...extensions]),
        ],
      }),
    });
    view.current = made;
    onView?.(made);
    return () => made.destroy();
  }, []);
  useEffect(() => view.current?.dispatch({ effects: changeable.current.reconfigure([...extensions]) }), [extensions]);
  return <div class="editor" ref={place} />;
}

/** Tab indents, so there is another way out (CodeMirror's own). */
const leaving = "Press Escape, then Tab to leave the editor.";

/** Colours are variables of the style sheet, so that both colour schemes have their own. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword], color: "var(--code-keyword)" },
  { tag: [tags.typeName, tags.atom, tags.bool], color: "var(--code-type)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.integer, tags.float], color: "var(--code-number)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--code-comment)" },
  { tag: [tags.modifier, tags.meta], color: "var(--code-directive)" },
  { tag: [tags.propertyName, tags.attributeName, tags.variableName], color: "var(--code-name)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "transparent", color: "var(--text)" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "13px", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection) !important" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "6px", overflow: "hidden" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)" },
  "&.cm-merge-b .cm-changedLine, .cm-insertedLine": { backgroundColor: "color-mix(in srgb, var(--good) 14%, transparent)" },
  "&.cm-merge-b .cm-changedText": { background: "color-mix(in srgb, var(--good) 26%, transparent)" },
  ".cm-deletedChunk": { backgroundColor: "color-mix(in srgb, var(--bad) 12%, transparent)" },
  ".cm-deletedChunk .cm-deletedText": { background: "color-mix(in srgb, var(--bad) 24%, transparent)" },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: "'⋯'" },
  ".cm-collapsedLines": { background: "var(--hover)", color: "var(--muted)" },
  ".cm-diagnostic": { padding: "6px 10px", whiteSpace: "pre-wrap", fontFamily: "var(--sans)" },
});

const basics: Extension = [
  lineNumbers(),
  history(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  lintGutter(),
  syntaxHighlighting(colours),
  theme,
  EditorView.lineWrapping,
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
];
