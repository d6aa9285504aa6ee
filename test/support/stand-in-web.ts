/**
 * The web as a Worker's `fetch` sees it, for tests that must not reach the real one: hosts with addresses, resolved by
 * DNS over HTTPS, and pages. A request to a host that a test has not created fails, as without a network.
 */
import { decode, encode, type Packet } from "dns-packet";
import { vi } from "vitest";

type Page = (request: Request) => Response | Promise<Response>;

export class StandInWeb {
  /** Addresses of the requests, except those to the resolver. */
  readonly requests: string[] = [];
  readonly #addresses = new Map<string, string[]>();
  readonly #pages = new Map<string, Page>();

  /** @param resolver  `DOH_URL` */
  constructor(resolver: string) {
    vi.stubGlobal("fetch", async (input: RequestInfo | URL, init?: RequestInit) => {
      const request = new Request(input instanceof URL ? input.href : input, init);
      if (request.url === resolver) return this.#resolve(request);
      this.requests.push(request.url);
      const page = this.#pages.get(request.url);
      if (!page) throw new TypeError(`${request.url} cannot be reached`);
      return page(request);
    });
  }

  /** A host of these addresses. */
  host(name: string, ...addresses: string[]): this {
    this.#addresses.set(name, addresses);
    return this;
  }

  page(url: string, page: Page): this {
    this.#pages.set(url, page);
    return this;
  }

  leave(): void {
    vi.unstubAllGlobals();
  }

  async #resolve(request: Request): Promise<Response> {
    const [question] = decode(Buffer.from(await request.arrayBuffer())).questions ?? [];
    if (!question) return new Response(null, { status: 400 });
    const { name, type } = question;
    const own = (this.#addresses.get(name) ?? []).filter((address) => address.includes(":") === (type === "AAAA"));
    const answers = own.map((data) => ({ type: type as "A", name, data, ttl: 60 }));
    const packet: Packet = { type: "response", id: 0, questions: [question], answers };
    return new Response(Uint8Array.from(encode(packet)), { headers: { "Content-Type": "application/dns-message" } });
  }
}
