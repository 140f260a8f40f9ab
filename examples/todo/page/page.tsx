// The page: asks for a name, then shows the tasks of that person. Every open tab shows the same.

import { ApolloProvider } from "@apollo/client/react";
import { useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { clientFor } from "./client.ts";
import "./page.css";
import { type Session, SignIn } from "./sign-in.tsx";
import { Tasks } from "./tasks.tsx";

/** Tabs share it. A real page would let the library of its sign-in service keep the token. */
const stored = "todo";

function Page() {
  const [session, setSession] = useState<Session | undefined>(() => JSON.parse(localStorage.getItem(stored) ?? "null") ?? undefined);
  const client = useMemo(() => session && clientFor(session.token), [session]);
  const change = (next: Session | undefined) => {
    if (next) localStorage.setItem(stored, JSON.stringify(next));
    else localStorage.removeItem(stored);
    setSession(next);
  };
  if (!session || !client) return <SignIn onSession={change} />;
  return (
    <ApolloProvider client={client}>
      <header>
        <h1>Tasks of {session.name}</h1>
        <button type="button" onClick={() => change(undefined)}>
          Sign out
        </button>
      </header>
      <Tasks owner={session.name} />
    </ApolloProvider>
  );
}

const place = document.getElementById("page");
if (place) createRoot(place).render(<Page />);
