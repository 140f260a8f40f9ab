// The document cache: parsed, validated and planned documents by their text, one cache for each deployed schema.

import {
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  type ValidationRule,
  validate,
} from "graphql";
import { LRUCache } from "lru-cache";
import type { Limits } from "../../ground/limits.ts";
import { runAtOnce, type Work } from "../../ground/work.ts";
import { cascadeFieldsRule } from "../../query/plan/cascade-fields-rule.ts";
import { planOperation } from "../../query/plan/plan-operation.ts";
import type { Api } from "../../schema/api/api.ts";
import { countingFieldsRule } from "./counting-fields-rule.ts";
import { introspectingField } from "./hidden-schema.ts";
import { type PreparedOperation, prepareOperation } from "./operation.ts";
import { assertFewRootFields, assertOperationWithinLimits } from "./operation-limits.ts";
import { parseDocument } from "./parse-document.ts";
import { singleSubscriptionRule } from "./single-subscription-rule.ts";
import { validateDocument } from "./validate-document.ts";

const rules = specifiedRules.map((rule) => (rule === SingleFieldSubscriptionsRule ? singleSubscriptionRule : rule)).concat(cascadeFieldsRule);

/** Plugins may have directives that fit some fields only. */
function rulesOf({ counting, mutations }: Api): readonly ValidationRule[] {
  return counting.size === 0 ? rules : [...rules, countingFieldsRule(counting, mutations)];
}

/** Memory that the documents of one cache take at most, about, whatever their number. */
const maxCachedBytes = 64 * 2 ** 20;
/** What documents take of it that were used only once: a client that always sends new ones takes no more, and displaces none that is used again. */
const maxBytesUsedOnce = 16 * 2 ** 20;
/** What the tree of a document and its plan take for each character of its text, measured: tokens and their places are half of it. */
const bytesOfCharacter = 150;
/** What a plan takes for each field, of which fragments may make many from a short text. */
const bytesOfField = 400;

interface Known {
  readonly document: DocumentNode;
  /** The request that parsed it, while it is alive. */
  readonly firstRequest: WeakRef<object> | undefined;
  /** Undefined where it came without one. */
  readonly text: string | undefined;
  /** Fields of its plans that are kept. */
  planned: number;
  /** Bytes that the cache takes it for. */
  weight: number;
  errors: readonly GraphQLError[] | undefined;
  /** Null: no field of it asks about the schema. Undefined: nobody has looked. */
  introspects: FieldNode | null | undefined;
  /** By `nameOf`. */
  readonly operations: Map<string, PreparedOperation>;
}

export class Documents {
  readonly #api: Api;
  readonly #limits: Limits;
  readonly #byText: LRUCache<string, Known>;
  /** Those of the cache that were used once, the oldest first. */
  readonly #usedOnce = new Map<string, Known>();
  #bytesUsedOnce = 0;
  readonly #byDocument = new WeakMap<DocumentNode, Known>();

  constructor(api: Api, limits: Limits) {
    this.#api = api;
    this.#limits = limits;
    this.#byText = new LRUCache({
      max: Math.max(1, limits.maxCachedDocuments),
      maxSize: maxCachedBytes,
      sizeCalculation: ({ weight }) => weight,
      dispose: (known, text, reason) => {
        if (reason === "evict") this.#useAgain(text, known);
      },
    });
  }

  /**
   * The document of `text`; throws the parser's GraphQLError.
   *
   * @param request who asks. A query on a WebSocket is looked up twice, to see that it is no subscription and to run: that is one use
   */
  parse(text: string, request?: object): DocumentNode {
    const known = this.#byText.get(text);
    if (known) {
      if (request === undefined || known.firstRequest?.deref() !== request) this.#useAgain(text, known);
      return known.document;
    }
    const document = parseDocument(text, this.#limits);
    this.#useOnce(text, this.#remember(document, text, request));
    return document;
  }

  #useOnce(text: string, known: Known): void {
    this.#byText.set(text, known);
    // Two requests with a document that others have displaced meanwhile parse it both.
    this.#useAgain(text, this.#usedOnce.get(text));
    this.#usedOnce.set(text, known);
    this.#bytesUsedOnce += known.weight;
    this.#dropUsedOnce();
  }

  /** It is no longer one that was used once; or it is gone. */
  #useAgain(text: string, known: Known | undefined): void {
    if (known === undefined || this.#usedOnce.get(text) !== known) return;
    this.#usedOnce.delete(text);
    this.#bytesUsedOnce -= known.weight;
  }

  /** The newest stays, whatever it takes: it is in use. */
  #dropUsedOnce(): void {
    for (const [text, known] of this.#usedOnce) {
      if (this.#bytesUsedOnce <= maxBytesUsedOnce || this.#usedOnce.size === 1) return;
      this.#useAgain(text, known);
      this.#byText.delete(text);
    }
  }

  /** Every error of the whole document, also of operations that are not asked for. Rules that envelop plugins add are run each time. */
  validate(document: DocumentNode, added: readonly ValidationRule[] = []): readonly GraphQLError[] {
    const errors = this.#known(document).errors ?? runAtOnce(this.errorsOf(document));
    return errors.length > 0 || added.length === 0 ? errors : validate(this.#api.schema, document, added);
  }

  isKnownValid(document: DocumentNode): boolean {
    return this.#known(document).errors?.length === 0;
  }

  *errorsOf(document: DocumentNode): Work<readonly GraphQLError[]> {
    const known = this.#known(document);
    if (known.errors !== undefined) return known.errors;
    assertFewRootFields(document, this.#limits);
    const errors = yield* validateDocument(this.#api.schema, document, rulesOf(this.#api));
    known.errors ??= errors;
    return known.errors;
  }

  /** The first field of the document that asks about the schema. */
  introspectingField(document: DocumentNode): FieldNode | undefined {
    const known = this.#known(document);
    if (known.introspects === undefined) known.introspects = introspectingField(document);
    return known.introspects ?? undefined;
  }

  /** Whether a document that is kept has been validated: then it is a matter of microseconds to prepare it again. */
  isValidated(text: string): boolean {
    return this.#byText.peek(text)?.errors !== undefined;
  }

  /** The operation's plan, if it was made before. */
  known(document: DocumentNode, definition: OperationDefinitionNode): PreparedOperation | undefined {
    return this.#known(document).operations.get(nameOf(definition));
  }

  /** The operation's plan, made at its first use. The document is valid. */
  *operation(document: DocumentNode, definition: OperationDefinitionNode): Work<PreparedOperation> {
    const { operations } = this.#known(document);
    const known = operations.get(nameOf(definition));
    if (known) return known;
    const prepared = yield* this.#prepare(document, definition);
    // Another request has prepared it meanwhile: its selections are those that count.
    const first = operations.get(nameOf(definition)) ?? prepared;
    operations.set(nameOf(definition), first);
    return first;
  }

  *#prepare(document: DocumentNode, definition: OperationDefinitionNode): Work<PreparedOperation> {
    const known = this.#known(document);
    const plan = yield* planOperation(this.#api, document, definition, {
      maxSelections: this.#limits.maxSelections,
      grown: (fields) => this.#grow(known, fields),
    });
    yield;
    const prepared = prepareOperation(this.#api, document, definition, plan);
    yield;
    assertOperationWithinLimits(prepared, document, this.#limits);
    return prepared;
  }

  /** Weighs the document again when its plans have made it half as large again. */
  #grow(known: Known, fields: number): void {
    known.planned += fields;
    const { text } = known;
    if (text === undefined) return;
    const weight = weightOf(text, known.planned);
    if (weight < 1.5 * known.weight) return;
    const isUsedOnce = this.#usedOnce.get(text) === known;
    if (isUsedOnce) this.#bytesUsedOnce += weight - known.weight;
    known.weight = weight;
    if (this.#byText.peek(text) !== known) return;
    // The cache weighs an entry when it is set, and never again.
    this.#byText.delete(text);
    this.#byText.set(text, known);
    if (isUsedOnce) this.#dropUsedOnce();
  }

  #known(document: DocumentNode): Known {
    return this.#byDocument.get(document) ?? this.#remember(document, undefined);
  }

  #remember(document: DocumentNode, text: string | undefined, request?: object): Known {
    const firstRequest = request && new WeakRef(request);
    const known: Known = {
      document,
      firstRequest,
      text,
      planned: 0,
      weight: weightOf(text ?? "", 0),
      errors: undefined,
      introspects: undefined,
      operations: new Map(),
    };
    this.#byDocument.set(document, known);
    return known;
  }
}

function weightOf(text: string, planned: number): number {
  return 1 + text.length * bytesOfCharacter + planned * bytesOfField;
}

/** "" is the anonymous one. */
function nameOf({ name }: OperationDefinitionNode): string {
  return name?.value ?? "";
}

/** The operations of a document, in its order. */
export function operationsOf(document: DocumentNode): readonly OperationDefinitionNode[] {
  return document.definitions.filter((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION);
}
