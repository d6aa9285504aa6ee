/** A browser as a server sees it: with its own address and the cookies that it received. */
export class HttpSession {
  #cookies = new Map<string, string>();
  readonly #address = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}::1`;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async send(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const response = await this.open(method, path, body);
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  }

  async open(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        Origin: this.#url,
        "Sec-Fetch-Site": "same-origin",
        "CF-Connecting-IP": this.#address,
        Cookie: [...this.#cookies].map((pair) => pair.join("=")).join("; "),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }

  /** Signs up with a new account. */
  async signUp(): Promise<void> {
    const email = `person-${crypto.randomUUID()}@example.com`;
    const person = { name: "Test User", email, password: "correct horse battery" };
    const { status } = await this.send("POST", "/dashboard/api/auth/sign-up/email", person);
    if (status !== 200) throw new Error(`sign-up: ${status}`);
  }
}
