// `File.url`: an address for whoever may read the file now.

import { type AnswerValue, type ComputedField, type Parent, QuernError, type Snapshot, type Stored } from "../../../core/plugin.ts";
import type { FilesSettings } from "../ground/options.ts";
import { sharpLibrary } from "../images/resize.ts";
import { widthFor } from "../images/widths.ts";
import { keyField } from "../records/layout.ts";
import { readSecret } from "../records/secret.ts";
import { type FileSchema, storedOf } from "../schema/read-files.ts";
import { expiryOf, signedToken } from "./signed-url.ts";

type UrlSettings = Pick<FilesSettings, "baseUrl" | "urlsLastMs" | "imageWidths" | "maxImagePixels">;

export function urlField({ type }: FileSchema, settings: UrlSettings): readonly ComputedField[] {
  const field = type.fields.get("url");
  if (field === undefined) return [];
  return [
    {
      field,
      needs: [keyField(type), ...["name", "type", "bytes", "width", "height"].map((name) => storedOf(type, name))],
      compute: (parents, { width }, _request, { snapshot }) => urlsOf(parents, { wanted: wantedWidth(width), snapshot, settings }),
    },
  ];
}

/** @throws `OUT_OF_RANGE` */
function wantedWidth(given: unknown): number | undefined {
  if (given === undefined || given === null) return undefined;
  if (Number(given) >= 1) return Number(given);
  throw new QuernError("OUT_OF_RANGE", "The width of an image is at least 1 pixel.", { rule: { name: "file", min: 1 } });
}

interface Asked {
  readonly wanted: number | undefined;
  readonly snapshot: Snapshot;
  readonly settings: UrlSettings;
}

async function urlsOf(parents: readonly Parent[], { wanted, snapshot, settings }: Asked): Promise<readonly AnswerValue[]> {
  const secret = await readSecret(snapshot);
  const expires = expiryOf(Date.now(), settings.urlsLastMs);
  const files = parents.map((parent) => ({ ...parent, width: wanted === undefined ? "whole" : widthOf(parent, wanted, settings) }) as const);
  if (files.some(({ width }) => typeof width === "number")) await sharpLibrary();
  return files.map(({ uid, values: [key, name], width }) => {
    if (secret === undefined || typeof key !== "string" || width === "none") return null;
    const token = signedToken({ uid, expires, width: width === "whole" ? undefined : width }, { secret, key });
    return `${settings.baseUrl.replace(/\/$/u, "")}/files/${token}${typeof name === "string" ? `/${encodeURIComponent(name)}` : ""}`;
  });
}

function widthOf({ values: [, , type, bytes, width, height] }: Parent, wanted: number, settings: UrlSettings): number | "whole" | "none" {
  return widthFor({ type: String(type), bytes: Number(bytes), width: pixels(width), height: pixels(height) }, wanted, settings);
}

function pixels(value: Stored | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
