// What a form does when it is sent: once at a time, however often somebody presses the button, with the reason when it fails.

import { useRef, useState } from "preact/hooks";
import { messageOf } from "../api/server.ts";

export interface Submit {
  readonly submit: (event: Event) => void;
  readonly isBusy: boolean;
  /** Empty: there is none. */
  readonly problem: string;
}

/** @param action rejects with what is wrong */
export function useSubmit(action: () => Promise<void>): Submit {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const isRunning = useRef(false);
  const run = async () => {
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
  const submit = (event: Event) => {
    event.preventDefault();
    void run();
  };
  return { submit, isBusy, problem };
}
