// The page: who has no session signs in, the others see their tasks. Every open tab shows the same.

import { ApolloProvider } from "@apollo/client/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { auth, home } from "./auth.ts";
import { clientFor } from "./client.ts";
import "./page.css";
import { SecondFactor } from "./second-factor.tsx";
import { NewPassword, SignIn } from "./sign-in.tsx";
import { Tasks } from "./tasks.tsx";

/** What a link has brought along. It leaves the address, so that nobody sends it on. */
function takeParameters(): { readonly token: string; readonly notice: string } {
  const given = new URLSearchParams(location.search);
  history.replaceState(null, "", home);
  const error = given.get("error");
  return { token: given.get("token") ?? "", notice: error === null ? "" : `That did not work: ${error.replaceAll("_", " ").toLowerCase()}.` };
}

const brought = takeParameters();

function Page() {
  const { data, isPending } = auth.useSession();
  // The client also looks after each sign-up and sign-in. The form stays meanwhile.
  const isKnown = useRef(false);
  isKnown.current ||= !isPending;
  const [token, setToken] = useState(brought.token);
  if (token) return <NewPassword token={token} onSet={() => setToken("")} />;
  if (!isKnown.current) return <p>Connecting</p>;
  if (!data) return <SignIn notice={brought.notice} />;
  return <Own key={data.session.id} user={data.user} />;
}

interface User {
  readonly email: string;
  readonly name: string;
  readonly twoFactorEnabled?: boolean | null | undefined;
}

function Own({ user }: { readonly user: User }) {
  const [page, setPage] = useState<"tasks" | "factor">("tasks");
  const client = useMemo(clientFor, []);
  useEffect(() => () => client.stop(), [client]);
  return (
    <ApolloProvider client={client}>
      <header>
        <h1>Tasks of {user.name || user.email}</h1>
        <button type="button" onClick={() => setPage(page === "tasks" ? "factor" : "tasks")}>
          {page === "tasks" ? "Second factor" : "Tasks"}
        </button>
        <button type="button" onClick={() => auth.signOut()}>
          Sign out
        </button>
      </header>
      {page === "tasks" ? <Tasks owner={user.email} /> : <SecondFactor isOn={user.twoFactorEnabled === true} />}
    </ApolloProvider>
  );
}

const place = document.getElementById("page");
if (place) createRoot(place).render(<Page />);
