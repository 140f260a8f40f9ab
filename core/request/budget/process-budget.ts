// What requests may take of a process together, where several kernels share it.

import type { Limits } from "../../ground/limits.ts";
import { RunningRequests } from "./admission.ts";
import { AllLongWork, longWorkWithin } from "./long-work.ts";
import { UnsentAnswers } from "./unsent-answers.ts";

/** What kernels of one process share: the requests that run, long work, and answers that are not sent. */
export interface ProcessBudget {
  readonly requests: RunningRequests;
  readonly longWork: AllLongWork;
  readonly unsent: UnsentAnswers;
}

/** A budget for `KernelConfig.budget`. @param limits those of every kernel that shares it */
export function processBudget(limits: Limits): ProcessBudget {
  const longWork = new AllLongWork();
  const waker = longWorkWithin(limits, longWork);
  return {
    requests: new RunningRequests(),
    longWork,
    unsent: new UnsentAnswers({ maxBytes: limits.maxUnsentBytes, changed: (bytes) => waker.unsent(bytes) }),
  };
}
