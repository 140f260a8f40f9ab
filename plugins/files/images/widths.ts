// In which width an image is given: one of a few, so that nobody fills the store with all of them.

import type { FilesSettings } from "../ground/options.ts";

/** What is known of a file. */
export interface SourceImage {
  readonly type: string;
  readonly bytes: number;
  /** Undefined: it is no image, or one of which nobody knows the size. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** The most bytes of an image that is shown in other widths: it is held in memory. */
export const maxSourceBytes = 32 * 1024 * 1024;

/** Images that are shown in other widths: their formats as the library names them, and what they become. SVG is none of them: it can name other files. */
export const imageFormats: Readonly<Record<string, { readonly format: string; readonly becomes: "jpeg" | "webp" }>> = {
  "image/jpeg": { format: "jpeg", becomes: "jpeg" },
  "image/png": { format: "png", becomes: "webp" },
  "image/webp": { format: "webp", becomes: "webp" },
  "image/avif": { format: "heif", becomes: "webp" },
  "image/gif": { format: "gif", becomes: "webp" },
  "image/tiff": { format: "tiff", becomes: "webp" },
};

/** `whole`: the image as it was sent is not wider. `none`: it is not shown in other widths. */
export function widthFor(
  image: SourceImage,
  wanted: number,
  settings: Pick<FilesSettings, "imageWidths" | "maxImagePixels">,
): number | "whole" | "none" {
  const { type, bytes, width, height } = image;
  if (!Object.hasOwn(imageFormats, type) || width === undefined || height === undefined) return "none";
  const chosen = settings.imageWidths.find((each) => each >= wanted) ?? settings.imageWidths.at(-1) ?? width;
  if (chosen >= width) return "whole";
  return width * height > settings.maxImagePixels || bytes > maxSourceBytes ? "none" : chosen;
}
