// Quern below /api of a Fastify app, beside a route of the application.

import Fastify from "fastify";
import { openApi, port } from "./api.mjs";

const { kernel, handler } = await openApi({ basePath: "/api" });
const app = Fastify();
app.register(async (api) => {
  // The handler reads the body itself.
  api.removeAllContentTypeParsers();
  api.addContentTypeParser("*", (_request, _body, done) => done(null));
  api.all("/api/*", (request, reply) => {
    reply.hijack();
    handler(request.raw, reply.raw);
  });
});
app.get("/books/:isbn", async (request, reply) => {
  const answer = await kernel.execute({
    query: "query ($isbn: String!) { getBook(isbn: $isbn) { title } }",
    variables: { isbn: request.params.isbn },
  });
  return JSON.parse(answer.body).data?.getBook ?? reply.status(404).send({ error: "There is no such book." });
});
app.addHook("onClose", () => kernel.close());

const url = await app.listen({ port, host: "127.0.0.1" });
console.log(`${url}/api/graphql`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => app.close());
