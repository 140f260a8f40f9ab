// Starts GraphiQL in the page. It runs in the browser, after React and GraphiQL.

(() => {
  const { React, ReactDOM, GraphiQL } = window;
  // The page's own address: it holds behind a proxy that serves this under another path.
  const endpoint = window.location.pathname;
  const shared = new URLSearchParams(window.location.search);

  /** Headers of the editor go with every request, subscriptions included: these are server-sent events of an ordinary POST. */
  function fetcher(params, { headers = {}, documentAST } = {}) {
    return isSubscription(documentAST, params.operationName) ? eventsOf(params, headers) : answerOf(params, headers);
  }

  function isSubscription(document, operationName) {
    const operations = document?.definitions.filter(({ kind }) => kind === "OperationDefinition") ?? [];
    const chosen = operationName ? operations.find(({ name }) => name?.value === operationName) : operations[0];
    return chosen?.operation === "subscription";
  }

  function post(params, headers, more) {
    return fetch(endpoint, {
      method: "POST",
      credentials: "same-origin",
      body: JSON.stringify(params),
      ...more,
      headers: { "content-type": "application/json", accept: more.accept, ...headers },
    });
  }

  async function answerOf(params, headers) {
    const response = await post(params, headers, { accept: "application/json" });
    return parsed(response, await response.text());
  }

  function parsed({ status, statusText }, text) {
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`The server answered with HTTP ${status} ${statusText}: ${text.slice(0, 1000)}`);
    }
  }

  /** An observable of results. Its end closes the request. */
  function eventsOf(params, headers) {
    return {
      subscribe(observer) {
        const stop = new AbortController();
        readEvents(params, headers, { observer, signal: stop.signal }).catch((error) => {
          if (!stop.signal.aborted) observer.error(error);
        });
        return { unsubscribe: () => stop.abort() };
      },
    };
  }

  async function readEvents(params, headers, { observer, signal }) {
    const response = await post(params, headers, { accept: "text/event-stream", signal });
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      observer.next(parsed(response, await response.text()));
      return observer.complete();
    }
    let unread = "";
    for await (const piece of textOf(response.body)) {
      const events = (unread + piece).split("\n\n");
      unread = events.pop() ?? "";
      for (const event of events) {
        const { name, data } = fieldsOf(event);
        if (name === "next") observer.next(JSON.parse(data));
        if (name === "complete") return observer.complete();
      }
    }
    observer.error(new Error("The connection ended before the subscription did."));
  }

  async function* textOf(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  }

  function fieldsOf(event) {
    const values = (field) => event.split("\n").flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).trimStart()] : []));
    return { name: values("event")[0], data: values("data").join("\n") };
  }

  /** The address holds the operation, so that it can be shared. It never holds headers: they may be secrets. */
  function share(name, value) {
    if (value) shared.set(name, value);
    else shared.delete(name);
    const search = shared.toString();
    window.history.replaceState(null, "", search === "" ? endpoint : `${endpoint}?${search}`);
  }

  const defaultQuery = `# Press Ctrl-Space to complete and Ctrl-Enter to run. The book icon at the left opens the documentation of the schema.
{
  __schema { queryType { fields { name } } }
}
`;

  const queryWithoutIntrospection = `# Introspection is switched off on this server (introspection: false): there is no documentation and no completion.
# To get both, add the admin token in the Headers pane below, { "X-Service-AuthToken": "..." }, and fetch the schema again.
{
  __typename
}
`;

  const root = document.getElementById("graphiql");
  const page = React.createElement(GraphiQL, {
    fetcher,
    defaultQuery: root?.dataset.introspection === "off" ? queryWithoutIntrospection : defaultQuery,
    query: shared.get("query") ?? undefined,
    variables: shared.get("variables") ?? undefined,
    operationName: shared.get("operationName") ?? undefined,
    onEditQuery: (query) => share("query", query),
    onEditVariables: (variables) => share("variables", variables),
    onEditOperationName: (name) => share("operationName", name),
  });
  ReactDOM.createRoot(root).render(page);
})();
