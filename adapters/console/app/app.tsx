// The frame of the console: pages, identity, and the question for the admin token.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { at, textOf } from "./api/json.ts";
import { type Identity, Server } from "./api/server.ts";
import { apiModel } from "./model/api-model.ts";
import { pages } from "./pages/pages.ts";
import { ActingBar, keepActing, keptActing } from "./parts/acting-bar.tsx";
import { useChangeStream } from "./parts/change-stream.ts";
import { ConsoleContext, type Deployed } from "./parts/console-context.ts";
import { IdentityChoice } from "./parts/identity-choice.tsx";
import { Empty, Failure } from "./parts/pieces.tsx";
import { addressOf, useRoute } from "./parts/router.ts";
import { isTokenInAddress, keepToken, takeToken } from "./parts/session.ts";
import { TokenForm } from "./parts/token-form.tsx";
import { useRequest } from "./parts/use-request.ts";
import { UndoBar } from "./undo/undo-bar.tsx";
import { useUndo } from "./undo/use-undo.ts";

const initialToken = takeToken();

/** A token that somebody gave; the same one again is another try. */
interface Access {
  readonly token: string;
}

export function App() {
  const [access, setAccess] = useState<Access>({ token: initialToken });
  const [refused, setRefused] = useState<Access>();
  const server = useMemo(() => new Server(access.token, { onRefused: () => setRefused(access) }), [access]);
  const isRefused = refused === access;
  const [identity, setIdentity] = useState<Identity>(keptActing);
  const become = useCallback((next: Identity) => {
    keepActing(next);
    setIdentity(next);
  }, []);
  const open = (token: string) => {
    keepToken(token);
    setAccess({ token });
  };
  // Before the route is read: an address with a token may be opened in a tab that shows the console already.
  useEffect(() => {
    const changed = () => isTokenInAddress() && open(takeToken());
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  const route = useRoute();
  const schema = useRequest((before?: SchemaRead) => readSchema(server, before?.deployed), [server]);
  const page = pages.find(({ name }) => name === route.page);
  const changes = useChangeStream(server, { isOpen: schema.value !== undefined && !isRefused, onSchema: schema.again });
  const undo = useUndo();
  const title = page?.title;
  const shown = pages.filter(({ isFor, name }) => isFor === undefined || name === route.page || isFor(schema.value?.deployed?.text ?? ""));
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = title === undefined ? "Quern console" : `${title} · Quern console`;
    // On a narrow screen the links scroll.
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [title]);
  if (isRefused) return <TokenForm isWrong={access.token !== ""} onToken={open} />;
  return (
    <div class="frame">
      <div>
        <header class="bar">
          <a class="brand" href={addressOf("data")}>
            <svg viewBox="0 0 32 32" aria-hidden="true">
              <circle cx="16" cy="16" r="12" />
              <circle cx="16" cy="16" r="3" />
            </svg>
            Quern
          </a>
          <nav aria-label="Pages" ref={nav}>
            {shown.map(({ name, title }) => (
              <a key={name} href={addressOf(name)} aria-current={name === route.page ? "page" : undefined}>
                {title}
              </a>
            ))}
          </nav>
          <IdentityChoice identity={identity} schemaText={schema.value?.deployed?.text ?? ""} onChange={become} />
        </header>
        <ActingBar identity={identity} server={server} onChange={become} />
      </div>
      <main>
        <Failure of={schema.failure} again={schema.again} />
        {schema.value === undefined && schema.isLoading && <p class="hint waiting">Reading the schema…</p>}
        {schema.value && (
          <ConsoleContext.Provider value={{ server, changes, identity, undo, become, deployed: schema.value.deployed, refresh: schema.again }}>
            {page ? <page.Page route={route} /> : <Empty title="There is no such page" />}
          </ConsoleContext.Provider>
        )}
      </main>
      <UndoBar undo={undo} />
    </div>
  );
}

async function readSchema(server: Server, before: Deployed | undefined): Promise<SchemaRead> {
  const data = await server.admin("{ getGQLSchema { schema generatedSchema } }");
  const text = textOf(at(data, "getGQLSchema", "schema"));
  const sdl = textOf(at(data, "getGQLSchema", "generatedSchema"));
  if (before !== undefined && before.text === text && before.sdl === sdl) return { deployed: before };
  return { deployed: sdl === "" ? undefined : { text, sdl, model: apiModel(sdl) } };
}

interface SchemaRead {
  /** The same object as long as the schema is the same. */
  readonly deployed: Deployed | undefined;
}
