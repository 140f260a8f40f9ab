// Reads `@file`: which fields hold files, of which sizes and types; and makes `File` a type that clients read and never write by itself.

import type { DirectiveUse, LinkField, ModelContext, NodeType, ValueField } from "../../../core/plugin.ts";
import { definesFile, directiveName, fileTypeName, uploadScalar } from "./definitions.ts";
import { isMediaPattern } from "./media-types.ts";

/** A field that holds a file. */
export interface FileField {
  readonly field: LinkField;
  /** Undefined: as many as the server takes. */
  readonly maxBytes: number | undefined;
  /** Undefined: any. */
  readonly types: readonly string[] | undefined;
}

/** The type of files, and the fields that hold them. */
export interface FileSchema {
  readonly type: NodeType;
  readonly fields: readonly FileField[];
}

/** Undefined: the schema has none, or is wrong; then it is reported. */
export function readFiles(context: ModelContext): FileSchema | undefined {
  const uses = context.uses(directiveName);
  if (uses.length === 0) return undefined;
  const type = context.model.nodeTypes.get(fileTypeName);
  if (!isOurs(type, uses, context)) return undefined;
  const fields = uses.flatMap((use) => fileField(use, context) ?? []);
  refuseOtherFields(type, fields, context);
  recordFile(type, context);
  for (const { field } of fields) context.record.exposure(field, { arguments: false });
  return { type, fields };
}

function isOurs(type: NodeType | undefined, [use]: readonly DirectiveUse[], { document, report }: ModelContext): type is NodeType {
  if (type !== undefined && !definesFile(document)) return true;
  report(
    `A schema with @${directiveName} gets the type ${fileTypeName} from it, and this one defines another.`,
    use?.node,
    "Rename the type; @was keeps its data.",
  );
  return false;
}

function fileField({ field, node, type, args, inherited }: DirectiveUse, { report }: ModelContext): FileField | undefined {
  const problem = problemOf(field?.type, args);
  if (problem !== undefined && !inherited) report(`Type ${type?.name}; Field ${field?.name}: ${problem}`, node);
  if (problem !== undefined || field?.role !== "link") return undefined;
  return { field, maxBytes: args.maxBytes === undefined ? undefined : Number(args.maxBytes), types: typesOf(args) };
}

function problemOf(type: LinkField["type"] | undefined, args: DirectiveUse["args"]): string | undefined {
  if (type?.name !== fileTypeName) return `@${directiveName} is for fields of the type ${fileTypeName}.`;
  if (type.list) return `@${directiveName} is for one file. For several, make a type with a ${fileTypeName} and link to it.`;
  if (args.maxBytes !== undefined && Number(args.maxBytes) < 1) return `@${directiveName}(maxBytes:) must be at least 1.`;
  const wrong = typesOf(args)?.find((each) => !isMediaPattern(each));
  return wrong === undefined ? undefined : `@${directiveName}(types:) has "${wrong}", which is no media type; write image/png or image/*.`;
}

function typesOf({ types }: DirectiveUse["args"]): readonly string[] | undefined {
  return Array.isArray(types) ? types.map((each) => String(each).toLowerCase()) : undefined;
}

/** A file has one owner: no other field leads to it. */
function refuseOtherFields({ name: file }: NodeType, fields: readonly FileField[], { model, report }: ModelContext): void {
  const known = new Set(fields.map(({ field }) => field));
  for (const { name, fields: all } of model.nodeTypes.values()) {
    for (const field of all.values()) {
      const isFile = field.type.name === file && !(field.role === "link" && known.has(field));
      if (isFile && !field.definition.directives?.some((each) => each.name.value === directiveName))
        report(`Type ${name}; Field ${field.name}: a field of the type ${file} needs @${directiveName}.`, field.definition);
    }
  }
}

const operations = ["get", "query", "aggregate", "add", "update", "delete"];

function recordFile(type: NodeType, { record }: ModelContext): void {
  for (const operation of operations) record.disableOperation(type, operation);
  for (const field of type.fields.values()) {
    record.exposure(field, { input: false, has: false, order: false, aggregate: "none" });
    if (field.role === "value" && field.type.nonNull) record.optionalOnAdd(field);
  }
  const url = type.fields.get("url");
  if (url) record.computed(url);
  record.inputField(type, { name: "upload", kind: "string", nonNull: false, type: uploadScalar });
}

/** A stored field of `File`. */
export function storedOf({ fields }: NodeType, name: string): ValueField["stored"] {
  const field = fields.get(name);
  return field?.role === "value" ? field.stored : "";
}
