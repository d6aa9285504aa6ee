import { Hoplink } from "../../src/client/index.ts";
import { ScriptedServer } from "./scripted-server.ts";

/** A client of a server whose answers the test chooses. The server has to be stopped. */
export async function scriptedClient(): Promise<{ server: ScriptedServer; hoplink: Hoplink }> {
  const server = await ScriptedServer.start();
  return { server, hoplink: new Hoplink({ apiKey: "svc_test_key", baseUrl: server.base }) };
}
