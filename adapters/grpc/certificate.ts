// The certificate of the server, from files that are read again when they change.

import type { experimental } from "@grpc/grpc-js";
import type { KernelEndpoint } from "../../core/transport.ts";
import { readTlsFiles, type TlsFiles, type TlsOptions, watchTlsFiles } from "../node-http/index.ts";

export interface WatchedCertificate {
  readonly provider: experimental.CertificateProvider;
  stop(): void;
}

/** @throws QuernError `CONFIG_INVALID` when a file cannot be read, or they do not fit together */
export async function watchCertificate(tls: TlsOptions, endpoint: KernelEndpoint): Promise<WatchedCertificate> {
  let current = await readTlsFiles(tls);
  const listeners = new Set<experimental.IdentityCertificateUpdateListener>();
  const stop = await watchTlsFiles(tls, {
    changed: (files) => {
      current = files;
      for (const listener of listeners) listener(updateOf(files));
    },
    failed: (thrown) => endpoint.fault?.(thrown),
  });
  const provider: experimental.CertificateProvider = {
    // Clients show no certificate of their own.
    addCaCertificateListener: () => undefined,
    removeCaCertificateListener: () => undefined,
    addIdentityCertificateListener(listener) {
      listeners.add(listener);
      // A listener may be removed while it is added, so it hears of the certificate later.
      process.nextTick(() => listeners.has(listener) && listener(updateOf(current)));
    },
    removeIdentityCertificateListener: (listener) => void listeners.delete(listener),
  };
  return { provider, stop };
}

function updateOf({ cert, key }: TlsFiles): experimental.IdentityCertificateUpdate {
  return { certificate: cert, privateKey: key };
}
