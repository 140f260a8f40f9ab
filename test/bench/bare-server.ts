// The ceiling: node:http that reads a JSON body and answers a fixed one, ten rows with a nested object.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const rows = Array.from({ length: 10 }, (_, index) => ({
  name: `package-${index}`,
  version: "1.0-1",
  maintainer: { email: `maintainer-${index}@example.org`, name: `Maintainer ${index}` },
}));
const fixed = JSON.stringify({ data: { queryPackage: rows } });

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    JSON.parse(body);
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(fixed) });
    response.end(fixed);
  });
});
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`));
