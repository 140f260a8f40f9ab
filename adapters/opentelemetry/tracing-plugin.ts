// OpenTelemetry spans for every operation, as an envelop plugin: operation, duration of each stage, failure. Spans hold no variables,
// headers, literals of the document, or error messages, which may quote them.

import type { Plugin } from "@envelop/core";
import { type Attributes, context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { type DocumentNode, type ExecutionArgs, Kind, type OperationDefinitionNode } from "graphql";
import { maskLiterals } from "../../core/index.ts";

/** Who makes the spans, and what they hold. */
export interface TracingOptions {
  /** Makes the spans. Default: the tracer `quern` of the provider that the application registered. */
  readonly tracer?: Tracer;
  /** Whether the parse span holds the document, with strings and numbers masked. Default: false. */
  readonly document?: boolean;
}

/** For `envelop` of the configuration. */
export function tracingPlugin({ tracer = trace.getTracer("quern"), document = false }: TracingOptions = {}): Plugin {
  return {
    onParse: ({ params }) => {
      const span = tracer.startSpan("graphql.parse");
      return ({ result }) => {
        if (result instanceof Error || result === null) failed(span, "the document is no GraphQL");
        else if (document && typeof params.source === "string") span.setAttribute("graphql.document", maskLiterals(params.source.slice(0, maxShown)));
        span.end();
      };
    },
    onValidate: () => {
      const span = tracer.startSpan("graphql.validate");
      return ({ valid, result }) => {
        if (!valid) failed(span, `the document has ${result.length === 1 ? "one mistake" : `${result.length} mistakes`}`);
        span.end();
      };
    },
    onExecute: ({ args, executeFn, setExecuteFn }) => {
      const span = tracer.startSpan(...nameOf(args));
      const inside = trace.setSpan(context.active(), span);
      // Makes it the parent of spans below, such as those of remote calls.
      setExecuteFn((given: ExecutionArgs) => context.with(inside, () => executeFn(given)));
      return {
        onExecuteDone: ({ result }) => {
          const { errors = [] } = "errors" in result ? result : {};
          if (errors.length > 0) failed(span, `${errors.length === 1 ? "one error" : `${errors.length} errors`}`);
          span.setAttribute("graphql.errors", errors.length);
          span.end();
        },
      };
    },
  };
}

const maxShown = 2_000;

function nameOf({
  document,
  operationName,
}: Pick<ExecutionArgs, "document" | "operationName">): [string, { kind: SpanKind; attributes: Attributes }] {
  const operation = operationOf(document, operationName);
  const name = operation?.name?.value;
  return [
    "graphql.execute",
    {
      kind: SpanKind.INTERNAL,
      attributes: {
        "graphql.operation.type": operation?.operation ?? "unknown",
        ...(name !== undefined && { "graphql.operation.name": name }),
      },
    },
  ];
}

function operationOf({ definitions }: DocumentNode, name: string | null | undefined): OperationDefinitionNode | undefined {
  const operations = definitions.filter((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION);
  return name ? operations.find((each) => each.name?.value === name) : operations[0];
}

function failed(span: Span, message: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
