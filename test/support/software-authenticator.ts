/**
 * A security key in software: registers and signs by WebAuthn (ES256). Unlike a browser's own it can state that it has
 * not verified its user, and send a certificate that nobody requested.
 */
const ORIGIN = "http://localhost:8787";
const RP_ID = "localhost";

const FLAG_USER_PRESENT = 0x01;
const FLAG_USER_VERIFIED = 0x04;
const FLAG_ATTESTED_CREDENTIAL = 0x40;

type Bytes = Uint8Array<ArrayBuffer>;

export class SoftwareAuthenticator {
  readonly #keys: CryptoKeyPair;
  readonly #id = crypto.getRandomValues(new Uint8Array(16));
  /** Whether it requires a finger or a PIN, and says so. */
  verifiesUser = true;

  private constructor(keys: CryptoKeyPair) {
    this.#keys = keys;
  }

  static async create(): Promise<SoftwareAuthenticator> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    return new SoftwareAuthenticator(
      (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair,
    );
  }

  /**
   * The result of `navigator.credentials.create`, as JSON.
   * @param attestation  what it sends about itself: nothing, a signature by the new key, or also a certificate
   */
  async register(
    { challenge }: { challenge: string },
    attestation: "none" | "self-signed" | "with a certificate" = "none",
  ) {
    const { x = "", y = "" } = (await crypto.subtle.exportKey("jwk", this.#keys.publicKey)) as JsonWebKey;
    const publicKey = concatBytes(
      new Uint8Array([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
      concatBytes(new Uint8Array([0x21, 0x58, 32]), fromBase64Url(x)),
      concatBytes(new Uint8Array([0x22, 0x58, 32]), fromBase64Url(y)),
    );
    const credential = concatBytes(new Uint8Array(16), new Uint8Array([0, this.#id.length]), this.#id, publicKey);
    const data = concatBytes(await this.#authenticatorData(FLAG_ATTESTED_CREDENTIAL), credential);
    const statement = [
      [cborText("alg"), new Uint8Array([0x26])],
      [cborText("sig"), cborBytes(await this.#sign("webauthn.create", challenge, data))],
      [cborText("x5c"), new Uint8Array([0x81]), cborBytes(new Uint8Array([0x30, 0x03, 0x02, 0x01, 0x01]))],
    ].slice(0, { none: 0, "self-signed": 2, "with a certificate": 3 }[attestation]);
    const object = concatBytes(
      new Uint8Array([0xa3]),
      concatBytes(cborText("fmt"), cborText(attestation === "none" ? "none" : "packed")),
      concatBytes(cborText("attStmt"), new Uint8Array([0xa0 + statement.length]), ...statement.flat()),
      concatBytes(cborText("authData"), cborBytes(data)),
    );
    return this.#credential("webauthn.create", challenge, { attestationObject: toBase64Url(object) });
  }

  /** The result of `navigator.credentials.get`, as JSON. */
  async authenticate({ challenge }: { challenge: string }) {
    const data = await this.#authenticatorData(0);
    return this.#credential("webauthn.get", challenge, {
      authenticatorData: toBase64Url(data),
      signature: toBase64Url(await this.#sign("webauthn.get", challenge, data)),
    });
  }

  async #sign(type: string, challenge: string, data: Bytes): Promise<Bytes> {
    const clientData = utf8(clientDataOf(type, challenge));
    const signed = concatBytes(data, new Uint8Array(await crypto.subtle.digest("SHA-256", clientData)));
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, this.#keys.privateKey, signed);
    return derOf(new Uint8Array(signature));
  }

  #credential(type: string, challenge: string, response: Record<string, string>) {
    const id = toBase64Url(this.#id);
    const clientDataJSON = toBase64Url(utf8(clientDataOf(type, challenge)));
    return {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: { ...response, clientDataJSON },
    };
  }

  async #authenticatorData(more: number): Promise<Bytes> {
    const flags = FLAG_USER_PRESENT | more | (this.verifiesUser ? FLAG_USER_VERIFIED : 0);
    const host = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(RP_ID)));
    return concatBytes(host, new Uint8Array([flags, 0, 0, 0, 0]));
  }
}

function clientDataOf(type: string, challenge: string): string {
  return JSON.stringify({ type, challenge, origin: ORIGIN, crossOrigin: false });
}

/** A text of fewer than 24 bytes. */
function cborText(text: string): Bytes {
  return concatBytes(new Uint8Array([0x60 + text.length]), utf8(text));
}

/** At most 255 bytes. */
function cborBytes(bytes: Bytes): Bytes {
  return concatBytes(new Uint8Array([0x58, bytes.length]), bytes);
}

/** The two halves of a signature in DER form. */
function derOf(signature: Bytes): Bytes {
  const numbers = [signature.slice(0, 32), signature.slice(32)].map((half) => {
    const digits = half.slice(half.findIndex((byte) => byte !== 0));
    const unsigned = (digits[0] ?? 0) >= 0x80 ? concatBytes(new Uint8Array([0]), digits) : digits;
    return concatBytes(new Uint8Array([0x02, unsigned.length]), unsigned);
  });
  const body = concatBytes(...numbers);
  return concatBytes(new Uint8Array([0x30, body.length]), body);
}

function concatBytes(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function utf8(text: string): Bytes {
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
