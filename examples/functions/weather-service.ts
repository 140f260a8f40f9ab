// A small REST service: answers with the weather, and prints the changes that a webhook posts.

import { createServer } from "node:http";

const port = 8399;
export const weatherUrl = `http://127.0.0.1:${port}`;

export function startWeatherService(): void {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.method === "POST") console.error("changed:", Buffer.concat(parts).toString("utf8"));
      response.end(request.url?.startsWith("/weather/") ? "sunny" : "");
    });
  });
  // A second server of this example shares the service of the first one.
  server.on("error", () => console.error(`port ${port} is taken: another process serves the weather`));
  server.listen(port, "127.0.0.1").unref();
}
