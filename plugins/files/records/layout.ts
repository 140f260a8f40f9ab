// What the plugin keeps in the database beside the objects of the schema: uploads that no object has yet, and bytes that are to be removed.

import type { LayoutAdditions, NodeType } from "../../../core/plugin.ts";

/** An upload: under way, or waiting for the add or update that takes it. */
export const uploadType = "files.Upload";
/** Bytes that nothing refers to any more. */
export const goneType = "files.Gone";
/** A piece of a resumable upload. */
export const pieceType = "files.Piece";
/** An image in a size that somebody has asked for. */
export const sizeType = "files.Size";

const ofUpload = (name: string) => `${uploadType}.${name}`;
const ofGone = (name: string) => `${goneType}.${name}`;
const ofPiece = (name: string) => `${pieceType}.${name}`;
const ofSize = (name: string) => `${sizeType}.${name}`;

export const uploadFields = {
  /** Where its bytes are in the store. */
  key: ofUpload("key"),
  /** SHA-256 of the ticket: who reads the database, or a backup of it, has no tickets. */
  ticket: ofUpload("ticket"),
  /** True: all of it has arrived. */
  whole: ofUpload("whole"),
  /** When it is removed unless something takes it, in milliseconds since 1970. */
  ends: ofUpload("ends"),
  /** For whom it counts. */
  caller: ofUpload("caller"),
  /** Of a resumable one: how many of its bytes are there. */
  received: ofUpload("received"),
  /** Of a resumable one: when it is removed at the latest, in milliseconds since 1970. */
  latest: ofUpload("latest"),
  name: ofUpload("name"),
  type: ofUpload("type"),
  bytes: ofUpload("bytes"),
  width: ofUpload("width"),
  height: ofUpload("height"),
  sha256: ofUpload("sha256"),
} as const;

export const goneFields = {
  key: ofGone("key"),
  /** When to remove it, in milliseconds since 1970. */
  due: ofGone("due"),
  /** How often that has failed. */
  tries: ofGone("tries"),
} as const;

export const pieceFields = {
  /** The key of the upload, while it is under way. */
  of: ofPiece("of"),
  /** Of its first byte. */
  offset: ofPiece("offset"),
  bytes: ofPiece("bytes"),
  /** Where its bytes are. */
  key: ofPiece("key"),
} as const;

export const sizeFields = {
  /** The key of the image as it was sent. */
  of: ofSize("of"),
  /** In pixels. */
  width: ofSize("width"),
  /** Where its own bytes are. */
  key: ofSize("key"),
} as const;

/** The stored field of a `File` that counts its sizes: who adds one and who deletes the file write the same node, so that one of them sees the other. */
export function sizesField({ stored }: NodeType): string {
  return `${stored}.files.sizes`;
}

/** The stored field of a `File` that says where its bytes are. The API does not show it. */
export function keyField({ stored }: NodeType): string {
  return `${stored}.files.key`;
}

export function filesLayout(file: NodeType): LayoutAdditions {
  const { key, ticket, whole, ends, caller, received, latest, name, type, bytes, width, height, sha256 } = uploadFields;
  const texts = [
    key,
    ticket,
    caller,
    name,
    type,
    sha256,
    goneFields.key,
    pieceFields.of,
    pieceFields.key,
    sizeFields.of,
    sizeFields.key,
    keyField(file),
  ];
  return {
    types: [
      { name: uploadType, fields: Object.values(uploadFields) },
      { name: goneType, fields: Object.values(goneFields) },
      { name: pieceType, fields: Object.values(pieceFields) },
      { name: sizeType, fields: Object.values(sizeFields) },
      { name: file.stored, fields: [keyField(file), sizesField(file)] },
    ],
    fields: [
      ...texts.map((each) => ({ name: each, kind: "string", list: false }) as const),
      { name: whole, kind: "boolean", list: false },
      { name: ends, kind: "float", list: false },
      { name: bytes, kind: "int64", list: false },
      { name: width, kind: "int", list: false },
      { name: height, kind: "int", list: false },
      { name: received, kind: "float", list: false },
      { name: latest, kind: "float", list: false },
      { name: pieceFields.offset, kind: "float", list: false },
      { name: pieceFields.bytes, kind: "float", list: false },
      { name: sizeFields.width, kind: "int", list: false },
      { name: sizesField(file), kind: "int", list: false },
      { name: goneFields.due, kind: "float", list: false },
      { name: goneFields.tries, kind: "int", list: false },
    ],
    indexes: [
      ...[key, goneFields.key, pieceFields.of, pieceFields.key, sizeFields.of, sizeFields.key, keyField(file)].map(
        (each) => ({ name: `${each}/hash`, field: each, by: "value", ordered: false }) as const,
      ),
      { name: `${ticket}/hash`, field: ticket, by: "value", ordered: false },
      { name: `${caller}/hash`, field: caller, by: "value", ordered: false },
      { name: `${ends}/ordered`, field: ends, by: "value", ordered: true },
      { name: `${goneFields.due}/ordered`, field: goneFields.due, by: "value", ordered: true },
    ],
  };
}
