// Validates a document in steps, so that the caller can let other work run between them. The rules are the same objects, and see the same nodes in the
// same order, as in `validate` of `graphql`, which takes a tenth of a second for the longest documents that the limits allow; but for the rule of
// overlapping fields, which takes as long at a single node.

import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getEnterLeaveForKind,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  type SelectionSetNode,
  TypeInfo,
  ValidationContext,
  type ValidationRule,
  visitInParallel,
  visitWithTypeInfo,
} from "graphql";
import type { Work } from "../../ground/work.ts";
import { OverlappingFields } from "./overlapping-fields.ts";

/** As `validate` has it. */
const maxErrors = 100;
/** Of a document with more lines fewer errors are told: to place each, `graphql` counts the lines before it. */
const manyLines = 5_000;
const maxErrorsOfManyLines = 10;
/** Nodes that one step visits: a fraction of a millisecond. */
const stepNodes = 256;
/** Errors that may suggest names. To find near ones, all names of the schema are compared: 20 ms for those of a thousand types. */
const maxSuggesting = 10;

/** The members of each kind of node, in the order in which `visit` of `graphql` walks them. Other kinds are no part of a request. */
const children: Readonly<Record<string, readonly string[]>> = {
  Document: ["definitions"],
  OperationDefinition: ["name", "variableDefinitions", "directives", "selectionSet"],
  VariableDefinition: ["variable", "type", "defaultValue", "directives"],
  Variable: ["name"],
  SelectionSet: ["selections"],
  Field: ["alias", "name", "arguments", "directives", "selectionSet"],
  Argument: ["name", "value"],
  FragmentSpread: ["name", "directives"],
  InlineFragment: ["typeCondition", "directives", "selectionSet"],
  FragmentDefinition: ["name", "variableDefinitions", "typeCondition", "directives", "selectionSet"],
  ListValue: ["values"],
  ObjectValue: ["fields"],
  ObjectField: ["name", "value"],
  Directive: ["name", "arguments"],
  NamedType: ["name"],
  ListType: ["type"],
  NonNullType: ["type"],
};

/** The same errors as those of `validate`, for documents of operations and fragments; only the first of them suggest names, and long documents have fewer. */
export function* validateDocument(schema: GraphQLSchema, document: DocumentNode, rules: readonly ValidationRule[]): Work<readonly GraphQLError[]> {
  const errors: GraphQLError[] = [];
  const types = new TypeInfo(schema);
  const most = (document.loc?.endToken.line ?? 1) > manyLines ? maxErrorsOfManyLines : maxErrors;
  const tooMany = new GraphQLError("Too many validation errors, error limit reached. Validation aborted.");
  const variables = new VariableUses(schema);
  if (mayUseVariables(document)) yield* walk(document, { visitor: variables.visitor });
  const context = new PreparedContext(schema, { document, types, variables }, (error) => {
    if (errors.length >= most) throw tooMany;
    errors.push(error);
    if (errors.length === maxSuggesting) context.hideSuggestions = true;
  });
  const visited = rules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);
  const visitor = visitWithTypeInfo(types, visitInParallel(visited.map((rule) => rule(context))));
  const overlapping = visited.length < rules.length ? new OverlappingFields(context) : undefined;
  const selected = function* (node: SelectionSetNode, parent: Container | undefined) {
    if (overlapping && !isInlineFragment(parent)) yield* overlapping.check(types.getParentType() ?? undefined, node);
  };
  try {
    yield* walk(document, { visitor, selected, found: () => errors.length });
  } catch (thrown) {
    // A rule that has compared too much aborts with an error of its own.
    if (!(thrown instanceof GraphQLError)) throw thrown;
    errors.push(thrown);
  }
  return errors;
}

function isInlineFragment(parent: Container | undefined): boolean {
  return parent !== undefined && isNode(parent) && parent.kind === Kind.INLINE_FRAGMENT;
}

type Uses = ReturnType<ValidationContext["getVariableUsages"]>;
type Definition = Parameters<ValidationContext["getVariableUsages"]>[0];

/** The variables that each operation and each fragment uses, as `getVariableUsages` of `graphql` finds them, which visits all of a definition at once. */
class VariableUses {
  readonly #of = new Map<Definition, Uses[number][]>();
  readonly visitor: ASTVisitor;

  constructor(schema: GraphQLSchema) {
    const types = new TypeInfo(schema);
    let uses: Uses[number][] = [];
    const begin = (definition: Definition) => {
      uses = [];
      this.#of.set(definition, uses);
    };
    this.visitor = visitWithTypeInfo(types, {
      OperationDefinition: begin,
      FragmentDefinition: begin,
      Variable: (node, _key, parent) => {
        if (parent !== undefined && "kind" in parent && parent.kind === Kind.VARIABLE_DEFINITION) return;
        uses.push({ node, type: types.getInputType(), defaultValue: types.getDefaultValue(), parentType: types.getParentInputType() });
      },
    });
  }

  of(definition: Definition): Uses {
    return this.#of.get(definition) ?? [];
  }
}

function mayUseVariables({ loc }: DocumentNode): boolean {
  return loc?.source.body.includes("$") ?? true;
}

interface Prepared {
  readonly document: DocumentNode;
  readonly types: TypeInfo;
  readonly variables: VariableUses;
}

class PreparedContext extends ValidationContext {
  readonly #variables: VariableUses;
  #hidesSuggestions = false;

  constructor(schema: GraphQLSchema, { document, types, variables }: Prepared, report: (error: GraphQLError) => void) {
    super(schema, document, types, report);
    this.#variables = variables;
  }

  override get hideSuggestions(): boolean {
    return this.#hidesSuggestions;
  }

  override set hideSuggestions(hides: boolean) {
    this.#hidesSuggestions = hides;
  }

  override getVariableUsages(definition: Definition): Uses {
    return this.#variables.of(definition);
  }
}

type Container = ASTNode | readonly ASTNode[];

/** A node whose members are visited, or a list of nodes. */
interface Visited {
  readonly it: Container;
  readonly key: string | number | undefined;
  readonly parent: Container | undefined;
  readonly members: readonly (readonly [key: string | number, member: Container])[];
  next: number;
}

interface Walking {
  readonly visitor: ASTVisitor;
  /** Steps after a selection set is entered. */
  readonly selected?: (node: SelectionSetNode, parent: Container | undefined) => Work<void>;
  /** The number of errors so far: a step ends with each, because it may have taken long to word it. */
  readonly found?: () => number;
}

/** Calls the visitor as `visit` does. On a stack of its own: documents may be deep. */
function* walk(document: DocumentNode, { visitor, selected, found = () => 0 }: Walking): Work<void> {
  const path: (string | number)[] = [];
  const ancestors: Container[] = [];
  const stack: Visited[] = [];
  let visited = 0;
  const byKind = new Map<string, ReturnType<typeof getEnterLeaveForKind>>();
  const visits = (kind: ASTNode["kind"]) => {
    const known = byKind.get(kind) ?? getEnterLeaveForKind(visitor, kind);
    byKind.set(kind, known);
    return known;
  };
  const enter = (it: Container, key: string | number | undefined, parent: Container | undefined) => {
    if (key !== undefined) path.push(key);
    if (isNode(it)) visits(it.kind).enter?.call(visitor, it, key, parent, path, ancestors);
    stack.push({ it, key, parent, members: membersOf(it), next: 0 });
    if (parent !== undefined) ancestors.push(parent);
  };
  enter(document, undefined, undefined);
  let known = 0;
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (++visited % stepNodes === 0 || found() > known) yield;
    known = found();
    const member = top.members[top.next++];
    if (member !== undefined) {
      const [key, it] = member;
      enter(it, key, top.it);
      if (selected && isNode(it) && it.kind === Kind.SELECTION_SET) yield* selected(it, top.it);
      continue;
    }
    stack.pop();
    if (top.parent !== undefined) ancestors.pop();
    if (isNode(top.it)) visits(top.it.kind).leave?.call(visitor, top.it, top.key, top.parent, path, ancestors);
    path.pop();
  }
}

function membersOf(it: Container): Visited["members"] {
  if (!isNode(it)) return [...it.entries()];
  return (children[it.kind] ?? []).flatMap((name) => {
    const member: unknown = Reflect.get(it, name);
    return isContainer(member) ? [[name, member] as const] : [];
  });
}

function isContainer(member: unknown): member is Container {
  return typeof member === "object" && member !== null;
}

function isNode(it: Container): it is ASTNode {
  return "kind" in it;
}
