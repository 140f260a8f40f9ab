// `File.url`: an address for whoever may read the file now.

import type { AnswerValue, ComputedField, Parent, Snapshot } from "../../../core/plugin.ts";
import type { FilesSettings } from "../ground/options.ts";
import { keyField } from "../records/layout.ts";
import { readSecret } from "../records/secret.ts";
import { type FileSchema, storedOf } from "../schema/read-files.ts";
import { expiryOf, signedToken } from "./signed-url.ts";

export function urlField({ type }: FileSchema, { baseUrl, urlsLastMs }: Pick<FilesSettings, "baseUrl" | "urlsLastMs">): readonly ComputedField[] {
  const field = type.fields.get("url");
  if (field === undefined) return [];
  const compute = async (parents: readonly Parent[], snapshot: Snapshot): Promise<readonly AnswerValue[]> => {
    const secret = await readSecret(snapshot);
    const expires = expiryOf(Date.now(), urlsLastMs);
    return parents.map(({ uid, values: [key, name] }) => {
      if (secret === undefined || typeof key !== "string") return null;
      const token = signedToken({ uid, expires }, { secret, key });
      return `${baseUrl.replace(/\/$/u, "")}/files/${token}${typeof name === "string" ? `/${encodeURIComponent(name)}` : ""}`;
    });
  };
  return [
    {
      field,
      needs: [keyField(type), storedOf(type, "name")],
      compute: (parents, _args, _request, { snapshot }) => compute(parents, snapshot),
    },
  ];
}
