// A server that speaks the wire protocol of MongoDB and answers what it is told, where no binary of the real one is: mongos.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { BSON, type Document } from "mongodb";

const headerBytes = 16;
const replyCode = 1;
const queryCode = 2004;
const messageCode = 2013;

/** Answers each command with what `answer` gives for it. */
export async function wireServer(answer: (command: Document) => Document): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= headerBytes && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        socket.write(replyTo(message, answer));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

function replyTo(message: Buffer, answer: (command: Document) => Document): Buffer {
  const body = message.subarray(headerBytes);
  // The first question of a connection is an OP_QUERY: flags, the name of a collection, two numbers, and the command.
  if (message.readInt32LE(12) === queryCode) {
    const reply = BSON.serialize(answer(documentAt(body, body.indexOf(0, 4) + 9)));
    const facts = Buffer.alloc(20);
    facts.writeInt32LE(1, 16);
    return framed(message, replyCode, Buffer.concat([facts, reply]));
  }
  // All others are an OP_MSG: flags, the kind of the section, and the command.
  return framed(message, messageCode, Buffer.concat([Buffer.alloc(5), BSON.serialize(answer(documentAt(body, 5)))]));
}

function documentAt(body: Buffer, at: number): Document {
  return BSON.deserialize(body.subarray(at, at + body.readInt32LE(at)));
}

function framed(message: Buffer, code: number, body: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(headerBytes + body.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(code, 12);
  return Buffer.concat([header, body]);
}
