// Logs facts about trusted documents: their number, ids that do not match their text, and documents that the active schema refuses.

import type { Kernel } from "../../../core/index.ts";
import { brokenText, findBrokenDocuments } from "../../../core/server.ts";
import type { TrustedDocuments } from "./trusted-documents.ts";

const shownAtMost = 20;

export class TrustedDocumentsLog {
  readonly #kernel: Kernel;
  readonly #trusted: TrustedDocuments;

  constructor(kernel: Kernel, trusted: TrustedDocuments) {
    this.#kernel = kernel;
    this.#trusted = trusted;
  }

  /** Reads the file. Error: `CONFIG_INVALID`. */
  async load(): Promise<void> {
    const { log } = this.#kernel;
    const trusted = this.#trusted;
    await trusted.load();
    log.info("trusted-documents", `${trusted.size} trusted documents are known`, { count: trusted.size, only: trusted.only });
    const others = trusted.otherHashes();
    if (others.length === 0) return;
    const what = `${others.length} trusted documents have an id that looks like the SHA-256 of a text, and is not that of theirs`;
    log.warn("trusted-documents", `${what}: ${listed(others)}`, { count: others.length });
  }

  /** Warns of documents that the active schema refuses. */
  warnOfBroken(): void {
    void this.#warnOfBroken().catch((thrown) => this.#kernel.log.fault(thrown));
  }

  async #warnOfBroken(): Promise<void> {
    const { deployment, limits, log } = this.#kernel;
    if (deployment === undefined) return;
    const broken = await findBrokenDocuments(this.#trusted.all(), { api: deployment.api, limits });
    if (broken.length === 0 || deployment !== this.#kernel.deployment) return;
    const what = `${broken.length} of ${this.#trusted.size} trusted documents do not fit the schema`;
    const ids = broken.slice(0, shownAtMost).map(({ id }) => id);
    log.warn("trusted-documents", `${what}: ${listed(broken.map(brokenText))}`, { count: broken.length, ids });
  }
}

function listed(all: readonly string[]): string {
  const shown = all.slice(0, shownAtMost).join("; ");
  return all.length > shownAtMost ? `${shown}; and ${all.length - shownAtMost} more` : shown;
}
