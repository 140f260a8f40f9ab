// How long the message of a call was on the wire: its memory is counted while the call runs.

import type { ServiceDefinition } from "@grpc/proto-loader";

export interface MeasuredService {
  readonly service: ServiceDefinition;
  /** Bytes of each message that was read. */
  readonly sizes: WeakMap<object, number>;
}

export function measured(service: ServiceDefinition): MeasuredService {
  const sizes = new WeakMap<object, number>();
  const methods = Object.entries(service).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer) => {
      const message = method.requestDeserialize(bytes);
      sizes.set(message, bytes.byteLength);
      return message;
    };
    return [name, { ...method, requestDeserialize }];
  });
  return { service: Object.fromEntries(methods), sizes };
}
