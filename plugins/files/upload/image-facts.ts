// What the first bytes of a file say: whether it is an image, of which type and size.

/** As many of the first bytes are looked at. The size of a photo stands behind its previews. */
export const headBytes = 512 * 1024;

export interface ImageFacts {
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

/** By the names of the library. Others are not looked for: those of texts would need the whole text. */
const mediaTypes: Readonly<Record<string, string>> = {
  bmp: "image/bmp",
  gif: "image/gif",
  heif: "image/heif",
  ico: "image/x-icon",
  jpg: "image/jpeg",
  jxl: "image/jxl",
  png: "image/png",
  tiff: "image/tiff",
  webp: "image/webp",
};

/** ISO brands that the library counts as `heif`. */
const brands: Readonly<Record<string, string>> = { avif: "image/avif", avis: "image/avif", heic: "image/heic", heix: "image/heic" };

/** Loaded with the first upload: most servers take none. */
async function library(): Promise<typeof import("image-size")> {
  const loaded = await import("image-size");
  loaded.disableTypes(loaded.types.filter((each) => !Object.hasOwn(mediaTypes, each)));
  return loaded;
}

/** Undefined: no image that is known, or its size stands too far behind. */
export async function imageFacts(head: Uint8Array): Promise<ImageFacts | undefined> {
  const { imageSize } = await library();
  try {
    const { type = "", width, height, orientation = 1 } = imageSize(head);
    const media = brands[brandOf(head)] ?? mediaTypes[type];
    if (media === undefined || !isLength(width) || !isLength(height)) return undefined;
    // From 5 on a viewer turns the image by a quarter.
    return orientation >= 5 ? { type: media, width: height, height: width } : { type: media, width, height };
  } catch {
    return undefined;
  }
}

function isLength(pixels: number): boolean {
  return Number.isSafeInteger(pixels) && pixels > 0 && pixels < 2 ** 31;
}

/** Empty: the file has none. */
function brandOf(head: Uint8Array): string {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(12, head.byteLength)).toString("latin1");
  return text.slice(4, 8) === "ftyp" ? text.slice(8, 12) : "";
}
