// What every page of the console knows: the server, as whom it reads data, and the deployed schema.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Identity, Server } from "../api/server.ts";
import type { ApiModel } from "../model/api-model.ts";
import type { Undo } from "../undo/use-undo.ts";
import type { Changes } from "./change-stream.ts";

export interface Deployed {
  /** As it was deployed. */
  readonly text: string;
  /** The whole API. */
  readonly sdl: string;
  readonly model: ApiModel;
}

export interface ConsoleState {
  readonly server: Server;
  readonly changes: Changes;
  readonly identity: Identity;
  /** Reads and writes data as somebody else from now on. */
  readonly become: (identity: Identity) => void;
  /** Undefined: no schema is deployed. */
  readonly deployed: Deployed | undefined;
  readonly undo: Undo;
  /** Reads the deployed schema again. */
  readonly refresh: () => void;
}

export const ConsoleContext = createContext<ConsoleState | undefined>(undefined);

export function useConsole(): ConsoleState {
  const state = useContext(ConsoleContext);
  if (state === undefined) throw new Error("A page was drawn outside of the console.");
  return state;
}
