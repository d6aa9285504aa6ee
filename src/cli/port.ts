import { createServer } from "node:net";

const LOCALHOST = ["127.0.0.1", "::1"];

/** Whether a server can listen on a port of localhost. */
export async function isPortFree(port: number): Promise<boolean> {
  for (const host of LOCALHOST) if (await isTaken(port, host)) return false;
  return true;
}

/** Errors other than this one, as of a machine without IPv6, are left to the server that is started. */
function isTaken(port: number, host: string): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => done(error.code === "EADDRINUSE"));
    server.listen({ port, host }, () => server.close(() => done(false)));
  });
}
