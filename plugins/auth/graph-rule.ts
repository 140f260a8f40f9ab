// `query($USER: String!) { queryPost(filter: {author: {eq: $USER}}) { id } }`: a rule that selects nodes by a query.

import {
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  typeFromAST,
  validate,
  visit,
} from "graphql";
import type { CompileContext, Json, MaybePromise, NodeType, Pattern, Predicate, RequestView } from "../../core/plugin.ts";
import { cascadeFieldsRule, QuernError, rescued } from "../../core/plugin.ts";
import { widened } from "./any-of-list.ts";
import { isEmptyObject, isListOfNothing, readClaim, unreadable } from "./claim-value.ts";
import type { Claims } from "./parse-token.ts";
import { invalidReasons, syntaxReason } from "./rule-messages.ts";

export interface GraphRule {
  /** Binds the variables; undefined when a claim is missing or does not fit its variable: the rule denies. */
  bind(claims: Claims): BoundGraphRule | undefined;
  /** The names of the claims that its variables read. */
  readonly reads: readonly string[];
  /** True: the condition depends on the claims alone, and not on other data of the request. */
  readonly isFixed: boolean;
}
/** The condition. Undefined when an operand cannot be compared: the rule denies. */
export type BoundGraphRule = (request: RequestView) => MaybePromise<Predicate | undefined>;

/** Undefined when an error was reported. */
export function compileGraphRule(
  rule: string,
  type: NodeType,
  context: Omit<CompileContext, "report">,
  report: (message: string) => void,
): GraphRule | undefined {
  const document = parsed(rule, report);
  if (!document) return undefined;
  const problems = problemsOf(document, type, context);
  for (const problem of problems) report(problem);
  return problems.length === 0 ? new CompiledGraphRule(document, context) : undefined;
}

/** A text of blanks and comments is a document without operations, not a syntax error. */
function parsed(rule: string, report: (message: string) => void): DocumentNode | undefined {
  try {
    return parse(rule);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const reason = syntaxReason(error);
    if (reason === "Unexpected <EOF>" && /^(?:[\s,\uFEFF]|#.*)*$/u.test(rule)) report(countProblem(0));
    else report(`failed to parse GraphQL rule [reason : ${reason}]`);
    return undefined;
  }
}

function problemsOf(document: DocumentNode, type: NodeType, { schema }: Pick<CompileContext, "schema">): readonly string[] {
  const operations = operationsOf(document);
  const [operation] = operations;
  if (!operation || operations.length > 1) return [countProblem(operations.length)];
  if (operation.operation !== "query") return [`a rule should be exactly one query, found an ${operation.name?.value ?? ""}`];
  const invalid = validate(schema, document, [...specifiedRules, cascadeFieldsRule]);
  if (invalid.length > 0) return invalid.flatMap(invalidReasons).map((reason) => `failed to validate GraphQL rule [reason : ${reason}]`);
  const [root, ...others] = operation.selectionSet.selections;
  if (!root || others.length > 0) return [`a rule should be exactly one query, found ${operation.selectionSet.selections.length} queries`];
  const found = root.kind === Kind.FIELD ? root.name.value : "a fragment";
  return found === `query${type.name}` ? [] : [`expected only query${type.name} rules,but found ${found}`];
}

const countProblem = (count: number) => `a rule should be exactly one query, found ${count} GraphQL operations`;

function operationsOf(document: DocumentNode): readonly OperationDefinitionNode[] {
  return document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
}

interface Slot {
  readonly name: string;
  readonly type: GraphQLInputType;
}

/** Filter members for which an empty list is no condition, so that everything would match. For others it matches nothing. */
const openWhenEmpty: ReadonlySet<string> = new Set(["has", "and", "or"]);

/** The variables in these members, and those that are any other part of a filter: an empty object there would be no condition. */
function variablesThatOpen(document: DocumentNode): { readonly lists: ReadonlySet<string>; readonly parts: ReadonlySet<string> } {
  const lists = new Set<string>();
  const parts = new Set<string>();
  visit(document, {
    ObjectField: ({ name, value }) => {
      if (value.kind === Kind.VARIABLE && openWhenEmpty.has(name.value)) lists.add(value.name.value);
      visit(value, { Variable: (variable) => void parts.add(variable.name.value) });
    },
  });
  return { lists, parts };
}

interface CompiledPattern {
  readonly pattern: Pattern;
  readonly slots: readonly Slot[];
}

class CompiledGraphRule implements GraphRule {
  readonly #document: DocumentNode;
  readonly #context: Omit<CompileContext, "report">;
  readonly #plain: CompiledPattern;
  readonly #opens: ReturnType<typeof variablesThatOpen>;
  /** By the names of the variables whose claims are lists where the query expects one value. */
  readonly #widened = new Map<string, CompiledPattern | undefined>();

  constructor(document: DocumentNode, context: Omit<CompileContext, "report">) {
    this.#document = document;
    this.#context = context;
    this.#plain = this.#compile(document);
    this.#opens = variablesThatOpen(document);
  }

  get reads(): readonly string[] {
    return this.#plain.slots.map(({ name }) => name);
  }

  get isFixed(): boolean {
    return this.#plain.pattern.fixed;
  }

  bind(claims: Claims): BoundGraphRule | undefined {
    const { pattern, slots } = this.#patternFor(claims) ?? {};
    if (!pattern || !slots) return undefined;
    const values: Record<string, unknown> = {};
    for (const { name, type } of slots) {
      const claim = claimOf(claims, name);
      const value = this.#asksNothing(name, claim) ? unreadable : readClaim(claim, type);
      if (value === unreadable) return undefined;
      values[name] = value;
    }
    return (request) => comparable(() => pattern.where(values, request));
  }

  /** Whether the claim is missing, or would make its filter match everything. */
  #asksNothing(name: string, claim: Json): boolean {
    const { lists, parts } = this.#opens;
    return claim === null || (lists.has(name) && isListOfNothing(claim)) || (parts.has(name) && isEmptyObject(claim));
  }

  /** `eq` with a list of values matches any of them. */
  #patternFor(claims: Claims): CompiledPattern | undefined {
    const lists = this.#plain.slots.filter(({ name, type }) => Array.isArray(claimOf(claims, name)) && !String(type).startsWith("["));
    if (lists.length === 0) return this.#plain;
    const names = lists.map(({ name }) => name);
    const key = names.join(" ");
    if (!this.#widened.has(key)) {
      const document = widened(this.#document, new Set(names), this.#context.schema);
      this.#widened.set(key, document && this.#compile(document));
    }
    return this.#widened.get(key);
  }

  #compile(document: DocumentNode): CompiledPattern {
    const [operation] = operationsOf(document);
    const slots = (operation?.variableDefinitions ?? []).flatMap(({ variable, type: node }) => {
      const type = typeFromAST(this.#context.schema, node);
      return isInputType(type) ? [{ name: variable.name.value, type }] : [];
    });
    return { pattern: this.#context.pattern(document), slots };
  }
}

function claimOf(claims: Claims, name: string): Json {
  return Object.hasOwn(claims, name) ? (claims[name] ?? null) : null;
}

function comparable(work: () => MaybePromise<Predicate>): MaybePromise<Predicate | undefined> {
  return rescued<Predicate | undefined>(work, (thrown) => {
    if (thrown instanceof QuernError && thrown.code === "VALUE_INVALID") return undefined;
    throw thrown;
  });
}
