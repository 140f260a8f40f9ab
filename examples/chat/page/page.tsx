// The page: who writes, in which room, and how live messages arrive.

import { useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { Provider } from "urql";
import { clientBy, type Transport, transports } from "./client.ts";
import "./page.css";
import { Room } from "./room.tsx";

function Page() {
  const [author, setAuthor] = useState("");
  const [room, setRoom] = useState("lobby");
  const [transport, setTransport] = useState<Transport>("WebSocket");
  const client = useMemo(() => clientBy(transport), [transport]);
  return (
    <Provider value={client}>
      <header>
        <label>
          Name <input value={author} onChange={({ target }) => setAuthor(target.value)} />
        </label>
        <label>
          Room <input value={room} onChange={({ target }) => setRoom(target.value)} />
        </label>
        <fieldset>
          <legend>Live by</legend>
          {transports.map((each) => (
            <label key={each}>
              <input type="radio" name="transport" checked={each === transport} onChange={() => setTransport(each)} /> {each}
            </label>
          ))}
        </fieldset>
      </header>
      <Room key={`${transport} ${room}`} room={room} author={author} />
    </Provider>
  );
}

const place = document.getElementById("page");
if (place) createRoot(place).render(<Page />);
