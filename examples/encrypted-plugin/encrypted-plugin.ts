// `@encrypted`: a text that is stored encrypted (AES-256-GCM), and shown to those who may read it. Each stored text names its key, so that keys can change.

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Change, DirectivePlugin, FieldName, LayoutAdditions, Predicate, Value, ValueField } from "quern/plugin";

export interface EncryptionKey {
  /** Stored with each text: letters, digits and `-`. Never another key under a name that was used. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

export interface EncryptedOptions {
  /** Encrypts what is written from now on. */
  readonly current: EncryptionKey;
  /** Earlier keys. When the texts with such a key are encrypted anew, it is no longer needed. */
  readonly former?: readonly EncryptionKey[];
}

export function encryptedPlugin({ current, former = [] }: EncryptedOptions): DirectivePlugin {
  const keys = new Map([current, ...former].map(({ id, bytes }) => [id, bytes]));
  return {
    name: "encrypted",
    // These judge plain texts.
    follows: ["validation"],
    definitions: "directive @encrypted on FIELD_DEFINITION",
    model({ uses, report }) {
      const fields = uses("encrypted").flatMap(({ field, node, type }) => {
        if (field?.role === "value" && field.kind === "string" && !field.type.list && field.enum === undefined) return [field];
        report(`Type ${type?.name}; Field ${field?.name}: @encrypted is for String fields.`, node);
        return [];
      });
      if (fields.length === 0) return undefined;
      const places = new Set(fields.flatMap(({ owner, stored }) => owner.members.map((type) => `${type.stored} ${stored}`)));
      return {
        layout: () => keyIndexes(fields),
        changes: ({ changes }) => changes.map((each) => encrypted(each, places, current)),
        shown: fields.map((field) => ({ field, show: (stored) => decrypt(String(stored), field.stored, keys) })),
        background: [
          {
            name: "rotation",
            runs: "once",
            async run({ rewrite, log }) {
              for (const field of fields) {
                const value = (stored: unknown) => encrypt(decrypt(String(stored), field.stored, keys), field.stored, current);
                const { rewritten } = await rewrite({ field, where: withKeys(field, former), value });
                if (rewritten > 0) log("info", `${rewritten} texts of ${field.stored} have the key ${current.id} now`);
              }
            },
          },
        ],
      };
    },
  };
}

/** In the transaction, so that values count which other plugins have added. */
function encrypted(change: Change, places: ReadonlySet<string>, key: EncryptionKey): Change {
  if (change.kind !== "create" && change.kind !== "set") return change;
  const { type, fields } = change;
  const texts = Object.entries(fields).filter(([field, value]) => typeof value === "string" && places.has(`${type} ${field}`));
  const stored = texts.map(([field, value]) => [field, encrypt(String(value), field, key)]);
  return texts.length === 0 ? change : { ...change, fields: { ...fields, ...Object.fromEntries(stored) } };
}

// `encrypted:<key>:<base64url of nonce, tag and text>`. The name of the field is authenticated: a stored text means nothing in another one.

const form = /^encrypted:([\w-]+):([\w-]+)$/;
const [nonceBytes, tagBytes] = [12, 16];

export function encrypt(text: string, field: FieldName, { id, bytes }: EncryptionKey): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce).setAAD(Buffer.from(`${id} ${field}`));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `encrypted:${id}:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
}

/** A text that was stored before the field had the directive is itself. */
export function decrypt(stored: string, field: FieldName, keys: ReadonlyMap<string, Uint8Array>): string {
  const [, id = "", encoded = ""] = form.exec(stored) ?? [];
  if (id === "") return stored;
  const key = keys.get(id);
  if (!key) throw new Error(`there is no key ${id}`);
  const bytes = Buffer.from(encoded, "base64url");
  const [nonce, tag, body] = [
    bytes.subarray(0, nonceBytes),
    bytes.subarray(nonceBytes, nonceBytes + tagBytes),
    bytes.subarray(nonceBytes + tagBytes),
  ];
  const cipher = createDecipheriv("aes-256-gcm", key, nonce)
    .setAAD(Buffer.from(`${id} ${field}`))
    .setAuthTag(tag);
  return cipher.update(body, undefined, "utf8") + cipher.final("utf8");
}

// Which key each stored text has, so that a change of keys finds those that are left.

const indexOf = (field: ValueField) => `${field.stored}/key`;
const plain = "";

function keyIndexes(fields: readonly ValueField[]): LayoutAdditions {
  const tokens = (value: Value) => [form.exec(String(value))?.[1] ?? plain];
  return { indexes: fields.map((field) => ({ name: indexOf(field), field: field.stored, by: "tokens", id: "encrypted-key/1", tokens })) };
}

function withKeys(field: ValueField, former: readonly EncryptionKey[]): Predicate {
  return { kind: "lookup", index: indexOf(field), match: "any", tokens: [plain, ...former.map(({ id }) => id)] };
}
