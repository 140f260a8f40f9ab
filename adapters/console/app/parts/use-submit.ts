// What a form or a button does: once at a time, however often somebody presses it, with the reason when it fails.

import { useRef, useState } from "preact/hooks";
import { messageOf } from "../api/server.ts";

export interface Action {
  /** Never rejects. */
  readonly run: (action: () => Promise<void>) => Promise<void>;
  readonly isBusy: boolean;
  /** Empty: there is none. */
  readonly problem: string;
}

export interface Submit extends Omit<Action, "run"> {
  readonly submit: (event: Event) => void;
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const isRunning = useRef(false);
  const run = async (action: () => Promise<void>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setProblem("");
    try {
      await action();
    } catch (thrown) {
      setProblem(messageOf(thrown));
    }
    isRunning.current = false;
    setBusy(false);
  };
  return { run, isBusy, problem };
}

/** @param action rejects with what is wrong */
export function useSubmit(action: () => Promise<void>): Submit {
  const { run, isBusy, problem } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(action);
  };
  return { submit, isBusy, problem };
}
