// The program that Node, Deno and Bun run, next to `flow.js` and the package. Prints the flow's result as JSON.
import * as hoplink from "hoplink";

import { flow } from "./flow.js";

const { env } = globalThis.process ?? (await import("node:process"));
console.log(JSON.stringify(await flow(hoplink, { baseUrl: env.BASE, apiKey: env.KEY })));
