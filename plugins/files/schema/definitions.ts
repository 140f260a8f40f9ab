// What a schema with `@file` gets: the directive, the scalar of uploads, and the type of files.

import { type DocumentNode, Kind, visit } from "graphql";

export const directiveName = "file";
export const fileTypeName = "File";
export const uploadScalar = "Upload";

const directive = `
  "The field holds a file."
  directive @file(
    "The most bytes that it may have. Default: as many as the server takes."
    maxBytes: Int64
    "Media types that it may have, such as image/png or image/*. Default: all."
    types: [String!]
  ) on FIELD_DEFINITION
`;

const scalar = `
  "What names an upload: the ticket that POST /files gave, or a file of a multipart request."
  scalar ${uploadScalar}
`;

export const allDefinitions = directive + scalar;

const fileType = `
  "A file. It belongs to the object that shows it: it is replaced and deleted with it."
  type ${fileTypeName} {
    "Where its bytes are, for a few minutes. A path of this server, unless it has a base URL."
    url(
      "Of an image: one of about this width in pixels, never wider than it is. Null for what is no image, or too large a one."
      width: Int
    ): String
    "As its sender has named it."
    name: String
    "Its media type."
    type: String!
    "Its length."
    bytes: Int64!
    "Of an image, in pixels."
    width: Int
    "Of an image, in pixels."
    height: Int
    "Of its bytes, in hexadecimal digits."
    sha256: String!
  }
`;

/** A schema without the directive stays as it is. */
export function definitionsFor(schema: DocumentNode): string {
  return usesFiles(schema) ? allDefinitions : "";
}

export function typesFor(schema: DocumentNode): string {
  return usesFiles(schema) && !definesFile(schema) ? fileType : "";
}

/** A directive of this name that the schema defines itself is another one. */
function usesFiles(schema: DocumentNode): boolean {
  if (schema.definitions.some((each) => each.kind === Kind.DIRECTIVE_DEFINITION && each.name.value === directiveName)) return false;
  let isUsed = false;
  visit(schema, {
    Directive: ({ name }) => {
      isUsed ||= name.value === directiveName;
    },
  });
  return isUsed;
}

export function definesFile({ definitions }: DocumentNode): boolean {
  return definitions.some((each) => "name" in each && each.name?.value === fileTypeName);
}
