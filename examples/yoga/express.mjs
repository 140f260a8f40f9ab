// Quern below /api of an Express app, beside a route of the application.

import express from "express";
import { openApi, port } from "./api.mjs";

const { kernel, handler } = await openApi();
const app = express();
// Express strips /api. Body parsers come after: the handler reads the body itself.
app.use("/api", handler);
app.use(express.json());
app.get("/books/:isbn", async (request, response) => {
  const answer = await kernel.execute({
    query: "query ($isbn: String!) { getBook(isbn: $isbn) { title } }",
    variables: { isbn: request.params.isbn },
  });
  const book = JSON.parse(answer.body).data?.getBook;
  if (book) response.json(book);
  else response.status(404).json({ error: "There is no such book." });
});

const server = app.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/api/graphql`));
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    server.close(() => kernel.close());
    server.closeIdleConnections();
  });
