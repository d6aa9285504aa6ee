/**
 * A DNS server on 127.0.0.1 (dns2, over TCP) with a zone that tests write, and in front of it DNS over HTTPS as a
 * public resolver offers it: the front forwards messages unchanged, or stays silent, or fails.
 */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import DNS from "dns2";

import { listenOnFreePort } from "./ports.ts";

const { Packet } = DNS;
const TTL_SECONDS = 60;

export type RecordType = "A" | "AAAA" | "CNAME" | "TXT";

/** The front's behavior instead of forwarding a query. */
export type DnsFault = "silent" | "stalled" | "down" | "garbled";

type RecordValue = string | string[];

export class DnsServer {
  /** For `DOH_URL`. */
  url = "";
  /** Queries received, as "name TYPE". */
  queries: string[] = [];
  fault: DnsFault | null = null;
  /** Whether answers contain the whole chain of a CNAME, as those of recursive resolvers do. */
  followsCnames = true;
  readonly #records = new Map<string, Map<RecordType, RecordValue[]>>();
  readonly #failures = new Map<string, number>();
  readonly #dns: DNS.DnsServer;
  readonly #dohServer: Server;
  #port = 0;

  static async start(): Promise<DnsServer> {
    const server = new DnsServer();
    const { tcp } = await server.#dns.listen({ tcp: { port: 0, address: "127.0.0.1" } });
    server.#port = tcp?.port ?? 0;
    server.url = `http://127.0.0.1:${await listenOnFreePort(server.#dohServer)}/dns-query`;
    return server;
  }

  private constructor() {
    this.#dns = DNS.createServer({
      tcp: true,
      handle: (request, send) => void send(this.#respond(request)),
    });
    this.#dohServer = createServer((request, response) => {
      this.#forward(request, response).catch(() => response.destroy());
    });
  }

  async stop(): Promise<void> {
    this.#dohServer.closeAllConnections();
    this.#dohServer.close();
    await this.#dns.close();
  }

  /** Replaces all records of this type. A TXT value may be a list: the strings that the record is split into. */
  set(name: string, type: RecordType, ...values: RecordValue[]): void {
    const records = this.#records.get(name) ?? new Map<RecordType, RecordValue[]>();
    records.set(type, values);
    this.#records.set(name, records);
  }

  /** Without a type the name itself is removed: NXDOMAIN. */
  remove(name: string, type?: RecordType): void {
    if (type) this.#records.get(name)?.delete(type);
    else this.#records.delete(name);
  }

  /** From now on queries for this name are answered with an error. */
  fail(name: string, rcode: "SERVFAIL" | "REFUSED" | null): void {
    if (rcode) this.#failures.set(name, Packet.RCODE[rcode]);
    else this.#failures.delete(name);
  }

  #respond(request: DNS.Packet): DNS.Packet {
    const response = Packet.createResponseFromRequest(request);
    const [question] = request.questions;
    if (!question) return response;
    const type = Packet.typeName(question.type) as RecordType;
    this.queries.push(`${question.name} ${type}`);
    response.header.ra = 1;
    response.header.rcode = this.#resolve(question.name, type, response.answers);
    return response;
  }

  #resolve(name: string, type: RecordType, answers: DNS.Packet["answers"], hops = 0): number {
    const key = name.toLowerCase();
    const failure = this.#failures.get(key);
    if (failure !== undefined) return failure;
    const records = this.#records.get(key);
    if (!records) return Packet.RCODE.NXDOMAIN;
    const alias = type === "CNAME" ? undefined : records.get("CNAME")?.[0];
    if (typeof alias === "string") {
      answers.push(resource(name, "CNAME", alias));
      const goesOn = this.followsCnames && hops < 12;
      return goesOn ? this.#resolve(alias.replace(/\.$/, ""), type, answers, hops + 1) : Packet.RCODE.NOERROR;
    }
    for (const value of records.get(type) ?? []) answers.push(resource(name, type, value));
    return Packet.RCODE.NOERROR;
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.fault === "silent") return;
    if (this.fault === "stalled") return response.writeHead(200, { "Content-Length": "50" }).flushHeaders();
    if (this.fault === "down") return void response.writeHead(502).end();
    const type = "application/dns-message";
    if (request.method !== "POST" || request.headers["content-type"] !== type || request.url !== "/dns-query") {
      return void response.writeHead(400).end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = this.fault === "garbled" ? Buffer.from("<html>") : await this.#exchange(Buffer.concat(chunks));
    response.writeHead(200, { "Content-Type": type }).end(answer);
  }

  /** DNS over TCP: each message is preceded by its length. */
  async #exchange(message: Buffer): Promise<Buffer> {
    const socket = connect(this.#port, "127.0.0.1");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(message.length);
    socket.write(Buffer.concat([length, message]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) break;
    }
    socket.destroy();
    return received.subarray(2, 2 + received.readUInt16BE(0));
  }
}

function resource(name: string, type: RecordType, value: RecordValue): DNS.Packet["answers"][number] {
  const common = { name, type: Packet.TYPE[type], class: Packet.CLASS.IN, ttl: TTL_SECONDS };
  const data =
    type === "TXT" ? { data: value } : type === "CNAME" ? { domain: String(value) } : { address: String(value) };
  return Object.assign(new Packet.Resource(), common, data);
}
