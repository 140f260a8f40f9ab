// A server without the package `sharp`.

import { expect, it, vi } from "vitest";
import { addPhoto, pixel, served } from "./served.ts";

vi.mock("sharp", () => {
  throw new Error("Cannot find package 'sharp'");
});

/** A PNG of 400 by 1 pixels, as its beginning says. */
function wideImage(): Buffer {
  const bytes = Buffer.from(pixel);
  bytes.writeUInt32BE(400, 16);
  return bytes;
}

it("gives images as they were sent, and says what to install for other sizes", async () => {
  const at = await served();
  await at.ask(addPhoto, { variables: { upload: await at.ticket(wideImage()) } });
  const { codes, messages } = await at.ask("{ queryPhoto { image { url(width: 100) } } }");
  expect([codes, messages]).toEqual([["CONFIG_INVALID"], [expect.stringContaining("Images in other sizes need the package sharp")]]);
  const { data } = await at.ask("{ queryPhoto { image { url whole: url(width: 400) } } }");
  const { url, whole } = data.queryPhoto[0].image;
  expect([whole, (await at.get(url)).status]).toEqual([url, 200]);
});
