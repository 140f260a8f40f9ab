// Stands between a driver and a mongod, knows which command each message carries, and lets it pass, wait, or breaks the connection
// before or after it: what networks and full disks do, at the moment that a spec is about.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * `wait`: until another rule is set, which then holds for it. `cut`: the connection breaks and the server never sees the command.
 * `lose`: the server runs it and the connection breaks in place of the answer.
 */
export type Fate = "pass" | "wait" | "cut" | "lose";

/** Decides over a command by its name, and by what else its message says. */
export type Rule = (command: string, message: Buffer) => Fate;

const letAllPass: Rule = () => "pass";

export class MongoProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #wake = new Set<() => void>();
  #rule: Rule = letAllPass;
  /** Commands that the rule did not let pass. */
  readonly caught: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Before the one server that `uri` names first. */
  static async start(uri: string): Promise<MongoProxy> {
    const { host } = new URL(uri.replace(/,[^/]*/, ""));
    const [hostname = "", port] = host.split(":");
    const server = createServer();
    const proxy = new MongoProxy(server);
    server.on("connection", (socket) => proxy.#serve(socket, connect(Number(port ?? 27_017), hostname)));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  /** Drivers that come by it look for no other server of the set. */
  get uri(): string {
    return `mongodb://127.0.0.1:${(this.#server.address() as AddressInfo).port}/?directConnection=true`;
  }

  set rule(rule: Rule | undefined) {
    this.#rule = rule ?? letAllPass;
    for (const wake of [...this.#wake]) wake();
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.rule = undefined;
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(driver: Socket, mongod: Socket): void {
    const ends = [driver, mongod];
    for (const end of ends) {
      this.#sockets.add(end);
      end.setNoDelay(true);
      end.on("error", () => {});
      end.once("close", () => {
        this.#sockets.delete(end);
        for (const other of ends) other.destroy();
      });
    }
    let losing = false;
    mongod.on("data", (chunk) => (losing ? driver.destroy() : driver.write(chunk)));
    void this.#forward(driver, mongod, () => {
      losing = true;
    });
  }

  async #forward(driver: Socket, mongod: Socket, lose: () => void): Promise<void> {
    for await (const message of messages(driver)) {
      const command = commandOf(message);
      const fate = await this.#fateOf(command, message);
      if (fate === "cut") {
        driver.destroy();
        return;
      }
      if (fate === "lose") lose();
      mongod.write(message);
    }
  }

  async #fateOf(command: string, message: Buffer): Promise<Fate> {
    let fate = this.#rule(command, message);
    if (fate !== "pass") this.caught.push(command);
    while (fate === "wait") {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#wake.delete(wake);
          resolve();
        };
        this.#wake.add(wake);
      });
      fate = this.#rule(command, message);
    }
    return fate;
  }
}

async function* messages(socket: Socket): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
        const length = rest.readInt32LE(0);
        yield rest.subarray(0, length);
        rest = rest.subarray(length);
      }
    }
  } catch {
    // The connection broke.
  }
}

const opMsg = 2013;
/** The header, flags, the kind of the first section, the length of its document, the type of its first element. */
const nameAt = 16 + 4 + 1 + 4 + 1;

/** A command's name is the first name in its document; empty for what is no command. */
function commandOf(message: Buffer): string {
  if (message.readInt32LE(12) !== opMsg) return "";
  return message.toString("utf8", nameAt, message.indexOf(0, nameAt));
}
