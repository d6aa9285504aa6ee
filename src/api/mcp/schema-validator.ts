/**
 * Stands in for `@modelcontextprotocol/server/_shims` in the Worker's bundle (`alias` in wrangler.toml), whose validator
 * of JSON schemas has 22 kB. The SDK would check with it what a user entered in the agent, and no tool here asks users.
 * It would also build the schemas of both revisions of the protocol for the first message, which needs one of them.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("No tool asks the agent's user for input");
  }
}
