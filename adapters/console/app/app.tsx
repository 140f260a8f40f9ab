// The frame of the console: pages, identity, and the question for the admin token.

import { useMemo, useState } from "preact/hooks";
import { at, textOf } from "./api/json.ts";
import { administrator, type Identity, Server, TokenRefused } from "./api/server.ts";
import { apiModel } from "./model/api-model.ts";
import { pages } from "./pages/pages.ts";
import { ConsoleContext, type Deployed } from "./parts/console-context.ts";
import { IdentityChoice } from "./parts/identity-choice.tsx";
import { Empty, Failure } from "./parts/pieces.tsx";
import { addressOf, useRoute } from "./parts/router.ts";
import { keepToken, takeToken } from "./parts/session.ts";
import { TokenForm } from "./parts/token-form.tsx";
import { useRequest } from "./parts/use-request.ts";

const initialToken = takeToken();

export function App() {
  const [token, setToken] = useState(initialToken);
  const server = useMemo(() => new Server(token), [token]);
  const [identity, setIdentity] = useState<Identity>(administrator);
  const route = useRoute();
  const schema = useRequest(() => readSchema(server), [server]);
  const page = pages.find(({ name }) => name === route.page);
  if (schema.failure instanceof TokenRefused) {
    return (
      <TokenForm
        isWrong={token !== ""}
        onToken={(next) => {
          keepToken(next);
          setToken(next);
          schema.again();
        }}
      />
    );
  }
  return (
    <div class="frame">
      <header class="bar">
        <a class="brand" href={addressOf("data")}>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <circle cx="16" cy="16" r="12" />
            <circle cx="16" cy="16" r="3" />
          </svg>
          Quern
        </a>
        <nav aria-label="Pages">
          {pages.map(({ name, title }) => (
            <a key={name} href={addressOf(name)} aria-current={name === route.page ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <IdentityChoice identity={identity} schemaText={schema.value?.deployed?.text ?? ""} onChange={setIdentity} />
      </header>
      <main>
        <Failure of={schema.failure} again={schema.again} />
        {schema.value && (
          <ConsoleContext.Provider value={{ server, identity, become: setIdentity, deployed: schema.value.deployed, refresh: schema.again }}>
            {page ? <page.Page route={route} /> : <Empty title="There is no such page" />}
          </ConsoleContext.Provider>
        )}
      </main>
    </div>
  );
}

async function readSchema(server: Server): Promise<{ readonly deployed: Deployed | undefined }> {
  const data = await server.admin("{ getGQLSchema { schema generatedSchema } }");
  const text = textOf(at(data, "getGQLSchema", "schema"));
  const sdl = textOf(at(data, "getGQLSchema", "generatedSchema"));
  return { deployed: sdl === "" ? undefined : { text, sdl, model: apiModel(sdl) } };
}
