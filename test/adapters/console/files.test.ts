// Files in the console: what is shown of them, and how a node gets one, by drop and by picker.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileAddress, fileProblem, isPicture, sizeText } from "../../../adapters/console/app/model/files.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { folderFiles } from "../../../plugins/files/index.ts";
import { pluginsWith } from "../../plugins/files/served.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { pixel } from "../../support/pixel.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

const here = "https://a.example/quern/";

describe("a file that the console shows", () => {
  it("has its address below that of the server, by HTTP alone", () => {
    expect(fileAddress({ url: "/files/x/a.png" }, here)?.href).toBe("https://a.example/quern/files/x/a.png");
    expect(fileAddress({ url: "https://files.example/x" }, here)?.href).toBe("https://files.example/x");
    for (const url of [null, "", "javascript:alert(1)", "data:text/html,x"]) expect(fileAddress({ url }, here)).toBeUndefined();
  });

  it("is drawn if it is an image of pixels, of the server itself, and not too large", () => {
    const drawn = (facts: object, url = `${here}files/x`) =>
      isPicture({ type: "image/png", bytes: 10, width: 1, height: 1, ...facts }, new URL(url), here);
    expect(drawn({})).toBe(true);
    expect(drawn({}, "https://files.example/x")).toBe(false);
    for (const facts of [{ type: "image/svg+xml" }, { type: "text/html" }, { bytes: 30_000_000 }, { width: 10_000, height: 10_000 }])
      expect(drawn(facts)).toBe(false);
  });

  it("is refused by the bounds of its field as the server would", () => {
    const bounds = { maxBytes: 1_500, types: ["image/*", "application/pdf"] };
    expect(fileProblem({ type: "image/png", bytes: 1_500 }, bounds)).toBe("");
    expect(fileProblem({ type: "application/pdf", bytes: 1 }, bounds)).toBe("");
    expect(fileProblem({ type: "image/png", bytes: 1_501 }, bounds)).toBe("The file has 1.5 kB, and may have 1.5 kB.");
    expect(fileProblem({ type: "image/svg+xml", bytes: 1 }, bounds)).toBe("The file is image/svg+xml, and may be image/*, application/pdf.");
    expect(fileProblem({ type: "image/svg+xml", bytes: 1 }, { types: ["image/svg+xml"] })).toBe("");
    expect(fileProblem({ type: "anything/else", bytes: 1e9 }, {})).toBe("");
    expect([999, 1_000, 2_345_678].map(sizeText)).toEqual(["999 bytes", "1 kB", "2.3 MB"]);
  });
});

// Clients without a token are refused; an administrator is none of them.
const schema = `type Photo @auth(query: { rule: "{$ROLE: {eq: \\"STAFF\\"}}" }) {
  id: ID!
  title: String! @id
  image: File @file(maxBytes: 100000, types: ["image/*"])
  paper: File @file
}
# Service.Authorization {"Header":"Authorization","Namespace":"https://a.example/claims","VerificationKey":"a secret of the specs","Algo":"HS256","ClosedByDefault":true}`;

const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "run"</script></svg>';

describe.runIf(chromiumPath !== undefined)("files in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  let folder: string;
  const stored = async (title: string) => {
    const query = `{ getPhoto(title: "${title}") { image { name type bytes } paper { name type bytes } } }`;
    return JSON.parse((await stack.kernel.execute({ query, as: "system" })).body).data.getPhoto;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "quern-console-files-"));
    const store = folderFiles({ path: folder });
    stack = await temporaryKernel({ admin: { token: "desk" }, plugins: pluginsWith({ store, maxBytes: 200_000 }) });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await stack.kernel.deploy(schema);
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const { visit } = consoleBrowser(() => server.url);

  async function addForm(page: Page, title: string): Promise<Locator> {
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const form = page.getByRole("dialog", { name: "Add Photo" });
    await form.getByLabel("title").fill(title);
    return form;
  }

  /** As somebody drops it from a folder. */
  async function drop(page: Page, place: string, { name, type, text }: { readonly name: string; readonly type: string; readonly text: string }) {
    const transfer = await page.evaluateHandle(
      ([given, media, body]) => {
        const files = new DataTransfer();
        files.items.add(new File([Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0))], given, { type: media }));
        return files;
      },
      [name, type, Buffer.from(text, "latin1").toString("base64")] as const,
    );
    await page.locator(`[data-drop="${place}"]`).dispatchEvent("drop", { dataTransfer: transfer });
  }

  const gull = { name: "gull.png", mimeType: "image/png", buffer: pixel };
  const naturalWidth = (image: Locator) => image.evaluate((element: HTMLImageElement) => element.naturalWidth);

  it.each(screens)("are sent by picker and by drop, an image is drawn, another file is saved, at $width px", async (screen) => {
    const title = `gull ${screen.width}`;
    const page = await visit("data/Photo", screen);
    const form = await addForm(page, title);
    await form.getByLabel("image", { exact: true }).setInputFiles(gull);
    await form.getByText("image/png, 70 bytes").waitFor();
    await drop(page, "paper", { name: "notes.svg", type: "image/svg+xml", text: script });
    await form.getByText("image/svg+xml").waitFor();
    await assertFits(page);
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.waitFor({ state: "detached" });
    expect(await stored(title)).toEqual({
      image: { name: "gull.png", type: "image/png", bytes: 70 },
      paper: { name: "notes.svg", type: "image/svg+xml", bytes: script.length },
    });

    await page.goto(`${server.url}/console#/data/Photo/${encodeURIComponent(title)}`);
    const panel = page.locator(".panel");
    const picture = panel.getByRole("img", { name: "gull.png" });
    await expect.poll(() => naturalWidth(picture)).toBe(1);
    expect(await panel.getByRole("img").count()).toBe(1);
    await panel.getByText("1 × 1 pixels").waitFor();
    const saved = page.waitForEvent("download");
    await panel.getByRole("link", { name: "Download notes.svg" }).click();
    expect((await saved).suggestedFilename()).toBe("notes.svg");
    expect(await page.title()).not.toBe("run");
    await assertFits(page);
  });

  it("are refused at their field: by its bounds before they are sent, by what the server reads in them, by the server", async () => {
    const page = await visit("data/Photo", { expected: /status of 413/ });
    const form = await addForm(page, "refused");
    const problemOf = (name: string) => form.locator(".form-field", { has: page.locator(`[data-drop="${name}"]`) }).getByRole("alert");
    const sent: string[] = [];
    page.on("request", (request) => request.url().includes("/files") && sent.push(request.url()));
    await drop(page, "image", { name: "notes.txt", type: "text/plain", text: "no picture" });
    await problemOf("image").getByText("The file is text/plain, and may be image/*.").waitFor();
    expect(sent).toEqual([]);
    await drop(page, "image", { name: "notes.png", type: "image/png", text: "no picture" });
    await problemOf("image").getByText("The file is application/octet-stream, and may be image/*.").waitFor();
    await form.getByLabel("paper", { exact: true }).setInputFiles({ ...gull, buffer: Buffer.alloc(200_001) });
    await problemOf("paper").getByText("The file has more than 200000 bytes").waitFor();
    await assertFits(page);
    await drop(page, "image", { name: "gull.png", type: "image/png", text: pixel.toString("latin1") });
    await form.getByText("image/png, 70 bytes").waitFor();
    expect(await problemOf("image").count()).toBe(0);
  });

  it("whose ticket is over are refused at their field when the node is added, and the form stays", async () => {
    const page = await visit("data/Photo");
    const form = await addForm(page, "late");
    await page.route("**/files/admin?*", (route) =>
      route.fulfill({ status: 201, contentType: "application/json", body: '{"upload":"over","name":"a.png","type":"image/png","bytes":3}' }),
    );
    await form.getByLabel("image", { exact: true }).setInputFiles(gull);
    await form.getByText("image/png, 3 bytes").waitFor();
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form
      .locator(".form-field", { has: page.locator('[data-drop="image"]') })
      .getByText("There is no such upload")
      .waitFor();
  });

  it("take the place of others, and go, in the panel of their node", async () => {
    await stack.kernel.execute({ query: 'mutation { addPhoto(input: [{ title: "plain" }]) { numUids } }', as: "system" });
    const page = await visit("data/Photo/plain");
    const panel = page.locator(".panel");
    const edit = panel.getByRole("button", { name: "Edit image" });
    await edit.click();
    await panel.getByLabel("image", { exact: true }).setInputFiles(gull);
    await panel.getByText("image/png, 70 bytes").waitFor();
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByRole("img", { name: "gull.png" }).waitFor();
    expect(await stored("plain")).toEqual({ image: { name: "gull.png", type: "image/png", bytes: 70 }, paper: null });
    await edit.click();
    await assertFits(page);
    await panel.getByRole("button", { name: "Remove the file" }).click();
    await panel.getByRole("img").waitFor({ state: "detached" });
    // The picture goes before the answer comes.
    await expect.poll(() => stored("plain")).toEqual({ image: null, paper: null });
  });

  it("do not come back by Undo, have no common value for many nodes, and are no column of an import", async () => {
    const page = await visit("data/Photo");
    const form = await addForm(page, "brief");
    await form.getByLabel("image", { exact: true }).setInputFiles(gull);
    await form.getByText("image/png, 70 bytes").waitFor();
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.waitFor({ state: "detached" });
    await page.getByLabel("Select brief").check();
    await page.getByRole("button", { name: "Delete 1" }).click();
    // No other field could have a common value.
    expect(await page.getByRole("button", { name: "Edit 1" }).count()).toBe(0);
    await page.getByText("the ids, which are new, the file of image, the file of paper").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Taken back").waitFor();
    expect(await stored("brief")).toEqual({ image: null, paper: null });

    await page.locator("summary", { hasText: "File" }).click();
    await page.getByRole("button", { name: "Import…" }).click();
    const csv = { name: "photos.csv", mimeType: "text/csv", buffer: Buffer.from("title,image\nrow,gull.png\n") };
    await page.getByRole("dialog").locator("input[type=file]").setInputFiles(csv);
    const field = page.getByLabel("Field of image");
    await field.waitFor();
    expect(await field.locator("option").allTextContents()).toEqual(["left out", "title"]);
  });

  it("are shown and taken as the chosen client: one whom the API refuses sees none and sends none", async () => {
    const page = await visit("data/Photo", { expected: /status of 401/ });
    await page.getByRole("button", { name: "As: Administrator" }).click();
    await page.getByLabel("Token").fill("nonsense");
    await page.getByRole("button", { name: "Use this token" }).click();
    const form = await addForm(page, "as a client");
    const asked = page.waitForRequest((request) => request.url().includes("/files"));
    await form.getByLabel("paper", { exact: true }).setInputFiles(gull);
    const { url, headers } = await asked.then((request) => ({ url: new URL(request.url()).pathname, headers: request.headers() }));
    expect([url, headers.authorization, headers["x-service-authtoken"]]).toEqual(["/files", "nonsense", undefined]);
    await form
      .locator(".form-field", { has: page.locator('[data-drop="paper"]') })
      .getByRole("alert")
      .waitFor();
  });
});
