/**
 * A security key in software: registers and signs as WebAuthn has it (ES256, no attestation). Unlike a browser's own it
 * can say that it has not looked who holds it.
 */
const ORIGIN = "http://localhost:8787";
const RP_ID = "localhost";

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

type Bytes = Uint8Array<ArrayBuffer>;

export class Authenticator {
  readonly #keys: CryptoKeyPair;
  readonly #id = crypto.getRandomValues(new Uint8Array(16));
  /** Whether it asks for a finger or a PIN, and says so. */
  verifies = true;

  private constructor(keys: CryptoKeyPair) {
    this.#keys = keys;
  }

  static async create(): Promise<Authenticator> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    return new Authenticator((await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair);
  }

  /** What `navigator.credentials.create` gives, as JSON. */
  async register({ challenge }: { challenge: string }) {
    const { x = "", y = "" } = (await crypto.subtle.exportKey("jwk", this.#keys.publicKey)) as JsonWebKey;
    const publicKey = joined(
      new Uint8Array([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
      joined(new Uint8Array([0x21, 0x58, 32]), fromBase64Url(x)),
      joined(new Uint8Array([0x22, 0x58, 32]), fromBase64Url(y)),
    );
    const credential = joined(new Uint8Array(16), new Uint8Array([0, this.#id.length]), this.#id, publicKey);
    const data = joined(await this.#authenticatorData(HAS_CREDENTIAL), credential);
    const attestation = joined(
      new Uint8Array([0xa3]),
      joined(cborText("fmt"), cborText("none")),
      joined(cborText("attStmt"), new Uint8Array([0xa0])),
      joined(cborText("authData"), new Uint8Array([0x58, data.length]), data),
    );
    return this.#answer("webauthn.create", challenge, { attestationObject: toBase64Url(attestation) });
  }

  /** What `navigator.credentials.get` gives, as JSON. */
  async authenticate({ challenge }: { challenge: string }) {
    const data = await this.#authenticatorData(0);
    const clientData = encoded(clientDataOf("webauthn.get", challenge));
    const signed = joined(data, new Uint8Array(await crypto.subtle.digest("SHA-256", clientData)));
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, this.#keys.privateKey, signed);
    return this.#answer("webauthn.get", challenge, {
      authenticatorData: toBase64Url(data),
      signature: toBase64Url(derOf(new Uint8Array(signature))),
    });
  }

  #answer(type: string, challenge: string, response: Record<string, string>) {
    const id = toBase64Url(this.#id);
    const clientDataJSON = toBase64Url(encoded(clientDataOf(type, challenge)));
    return {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: { ...response, clientDataJSON },
    };
  }

  async #authenticatorData(more: number): Promise<Bytes> {
    const flags = PRESENT | more | (this.verifies ? VERIFIED : 0);
    const host = new Uint8Array(await crypto.subtle.digest("SHA-256", encoded(RP_ID)));
    return joined(host, new Uint8Array([flags, 0, 0, 0, 0]));
  }
}

function clientDataOf(type: string, challenge: string): string {
  return JSON.stringify({ type, challenge, origin: ORIGIN, crossOrigin: false });
}

/** A text of fewer than 24 bytes. */
function cborText(text: string): Bytes {
  return joined(new Uint8Array([0x60 + text.length]), encoded(text));
}

/** The two halves of a signature as DER has them. */
function derOf(signature: Bytes): Bytes {
  const numbers = [signature.slice(0, 32), signature.slice(32)].map((half) => {
    const digits = half.slice(half.findIndex((byte) => byte !== 0));
    const unsigned = (digits[0] ?? 0) >= 0x80 ? joined(new Uint8Array([0]), digits) : digits;
    return joined(new Uint8Array([0x02, unsigned.length]), unsigned);
  });
  const body = joined(...numbers);
  return joined(new Uint8Array([0x30, body.length]), body);
}

function joined(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function encoded(text: string): Bytes {
  return new TextEncoder().encode(text) as Bytes;
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function fromBase64Url(text: string): Bytes {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}
