/** Clients of the live stream that leave as a dying process does: their socket closes without notice. */
import type { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

export interface RawStream {
  status: number;
  /** Everything received, headers included. */
  text: () => string;
  socket: Socket;
}

/** @param origin  of the server, or of a proxy in front of it; `host` is the server's own */
export async function openRawStream(
  origin: string,
  host: string,
  headers: Record<string, string>,
  path = "/v1/events/stream",
): Promise<RawStream> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  let text = "";
  const head = new Promise<void>((done, fail) => {
    socket.on("data", (data: Buffer) => {
      text += String(data);
      if (text.includes("\r\n\r\n")) done();
    });
    socket.once("error", fail);
    socket.once("close", () => fail(new Error(`closed after: ${text}`)));
  });
  await head;
  return { status: Number(text.slice("HTTP/1.1 ".length).slice(0, 3)), text: () => text, socket };
}
