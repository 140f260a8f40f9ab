// Makes an image smaller, by sharp. It is a peer that few servers need, so it is loaded with the first image.

import { QuernError } from "../../../core/plugin.ts";
import { imageFormats } from "./widths.ts";

export interface Resizing {
  /** The media type of the image. */
  readonly type: string;
  readonly width: number;
  readonly maxPixels: number;
}

/** WebP has no more. */
const maxHeight = 16_383;
const seconds = 10;

/** @throws `VALUE_INVALID` for what cannot be read, has more pixels than it may, or takes too long */
export async function resized(source: Uint8Array, { type, width, maxPixels }: Resizing): Promise<Uint8Array> {
  const sharp = await sharpLibrary();
  const { format, becomes } = imageFormats[type] ?? {};
  try {
    const image = sharp(source, { limitInputPixels: maxPixels, failOn: "error", sequentialRead: true });
    const found = (await image.metadata()).format;
    if (found !== format || becomes === undefined) throw new Error(`it is ${found}`);
    // What a camera has written beside the picture, such as the place, is left out.
    const smaller = image.autoOrient().resize({ width, height: maxHeight, fit: "inside", withoutEnlargement: true });
    return await smaller.toFormat(becomes, { quality: 80 }).timeout({ seconds }).toBuffer();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new QuernError("VALUE_INVALID", `The image cannot be shown in another size: ${reason}.`, {
      cause,
      hint: "Ask for its url without a width.",
    });
  }
}

/** @throws `CONFIG_INVALID` where it is not installed */
export async function sharpLibrary(): Promise<typeof import("sharp")["default"]> {
  const { default: sharp } = await import("sharp").catch((cause: unknown) => {
    throw new QuernError("CONFIG_INVALID", "Images in other sizes need the package sharp, which this server does not have.", {
      cause,
      hint: "Operators: npm install sharp",
    });
  });
  return sharp;
}
